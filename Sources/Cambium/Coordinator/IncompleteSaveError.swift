/// A save over several stores that some of them have committed and others have not.
///
/// All stores write before the first one commits, and keys that lead nowhere are looked for before,
/// so this takes a commit that fails after another one has succeeded: a full disk, a file that went
/// away. The objects of the committed stores are saved in every respect: their `didSave()` was
/// called, and observers and other contexts have heard of them. The others are still changed and
/// can be saved again.
public struct IncompleteSaveError: Error, Sendable {
    /// The stores that have the changes.
    public let committedStores: [PersistentStore]
    /// The stores that do not.
    public let failedStores: [PersistentStore]
    /// Why.
    public let underlying: any Error

    /// Core Data's code for an incomplete save.
    public var coreDataCode: Int { 134040 }
}

extension IncompleteSaveError: CustomStringConvertible {
    /// Which stores have the changes, which do not, and why.
    public var description: String { "\(summary): \(underlying). \(remedy)" }

    var remedy: String { "Save again after you have removed the cause." }

    /// Which stores have the changes, and which do not.
    var summary: String {
        func names(_ stores: [PersistentStore]) -> String {
            stores.map { "\($0.location)" }.joined(separator: ", ")
        }
        return "The save was committed in \(names(committedStores)), but not in "
            + names(failedStores)
    }
}
