/// A part of a `#Predicate` that cannot be asked of a store. Nothing is ever filtered in memory in
/// its place: that would read every row.
public struct UnsupportedPredicateError: Error, Sendable, Hashable {
    /// The part, as near to the source as can be told.
    public let part: String
    /// Why it cannot be asked.
    public let reason: String
    /// What to write instead.
    public let remedy: String
}

extension UnsupportedPredicateError: CustomStringConvertible {
    /// One sentence for each.
    public var description: String { "\(part): \(reason). \(remedy)." }
}
