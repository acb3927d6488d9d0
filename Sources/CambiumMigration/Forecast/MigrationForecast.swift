import CambiumPlan

/// What a migration of a store will do and cost, found out without changing anything.
///
/// Numbers of rows and bytes are estimates: they are right for the store as it is, and too high
/// where a statement has conditions.
public struct MigrationForecast: Sendable, Hashable {
    /// A step of the migration.
    public struct Step: Sendable, Hashable {
        /// What it does, in words.
        public let summary: String
        /// What it means for the data.
        public let kind: MigrationKind
        /// Whether data goes away or becomes less exact.
        public let losesData: Bool
        /// The name of the program's own step that runs in it, if any.
        public let code: String?
        /// How many statements it has.
        public let statements: Int
        /// How many rows it writes.
        public let rows: Int
    }

    /// The version of the model that the store has.
    public let from: String
    /// The version that it will have.
    public let to: String
    /// The versions on the way: the store's, those between, the program's. The store's alone where
    /// only checks, defaults or indexes are brought up to date.
    public let versions: [String]
    /// What will be done, in order. None where checks, defaults or indexes alone are brought up to
    /// date.
    public let steps: [Step]
    /// How many bytes the store has.
    public let storeSize: Int
    /// How many bytes the disk should have free: for the copy that is made before data is lost, and
    /// for the new tables beside the old ones. After the migration most of them are free again.
    public let bytesNeeded: Int
    /// How many bytes the store's disk has free; nil where the system does not tell.
    public let freeSpace: Int?
    /// What another program has changed about the store's tables.
    public let differences: [StoreDifference]
    /// What other programs have put into the store that is in the way: as long as there is something,
    /// nothing can be migrated.
    public let foreignObjects: [ForeignObject]

    /// What becomes of the store's history; nil where it has none, or where nothing is migrated.
    public let history: HistoryFate?

    /// What the whole means for the data: as much as the gravest step.
    public var kind: MigrationKind { steps.map(\.kind).max() ?? .additive }

    /// How many rows are written in all.
    public var rows: Int { steps.reduce(0) { $0 + $1.rows } }

    /// Whether a copy of the store will be made first.
    public var makesBackup: Bool {
        steps.contains(where: \.losesData) || differences.contains { $0.kind != .foreign }
    }

    /// The names of the steps that the program supplies, in order.
    public var codeSteps: [String] { steps.compactMap(\.code) }

    /// Whether the disk has room enough; nil where the system does not tell. A migration that runs
    /// out of room leaves the store as it was.
    public var fits: Bool? { freeSpace.map { $0 >= bytesNeeded } }
}
