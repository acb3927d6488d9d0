/// How far a migration is.
public struct MigrationProgress: Sendable, Hashable {
    /// What a migration does, in this order.
    public enum Phase: String, Sendable, Hashable, CaseIterable {
        /// A copy of the store is made, because data will be lost.
        case backup
        /// The statements run.
        case migration
        /// Links and tables are checked.
        case verification
    }

    /// What is done at the moment.
    public let phase: Phase
    /// How many statements have run.
    public let completed: Int
    /// How many there are.
    public let total: Int
    /// How much of the whole is done, from 0 to 1: an estimate by the number of rows, which never
    /// goes back.
    public let fraction: Double
    /// What is done now.
    public let summary: String
}
