/// A part of a migration: what it does in words, and the SQL that does it.
public struct MigrationStep: Sendable, Hashable {
    /// What the step does.
    public let summary: String
    /// What it means for the data.
    public let kind: MigrationKind
    /// The statements in order.
    public let sql: [String]

    /// Describes a step.
    public init(summary: String, kind: MigrationKind, sql: [String]) {
        self.summary = summary
        self.kind = kind
        self.sql = sql
    }
}
