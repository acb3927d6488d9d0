/// A read by a context whose query generation has ended, because it was held for too long or others
/// have saved too much meanwhile.
///
/// The context needs another one: `setQueryGeneration(.current)`, and `refreshAllObjects()` where
/// its objects are to be as new.
public struct QueryGenerationExpired: Error, Sendable, CustomStringConvertible {
    /// What ended the generation, as the end of a sentence without its full stop.
    package let reason: String

    package init(reason: String) {
        self.reason = reason
    }

    /// What ended the generation, and what to do about it.
    public var description: String { "\(problem) \(remedy)" }

    package var problem: String { "The query generation has ended: \(reason)." }

    package var remedy: String { "Call setQueryGeneration(.current) for another one." }
}
