/// How far an import of a Core Data store is.
public struct CoreDataImportProgress: Sendable, Hashable {
    /// What an import does, in this order.
    public enum Phase: String, Sendable, Hashable, CaseIterable {
        /// Objects and links are copied.
        case copying
        /// Indexes are made, and links are checked.
        case checking
        /// The new store is brought to the program's version.
        case migrating
    }

    /// What is done at the moment.
    public let phase: Phase
    /// How much of the whole is done, from 0 to 1: an estimate, which never goes back.
    public let fraction: Double
    /// What is done now.
    public let summary: String
}
