/// A part of a migration: what it does in words, and the SQL that does it.
public struct MigrationStep: Sendable, Hashable {
    /// What the step does.
    public let summary: String
    /// What it means for the data.
    public let kind: MigrationKind
    /// Whether data goes away or becomes less exact: a copy of the store is made first. A step that
    /// needs data may do so too, which its kind alone does not tell.
    public let losesData: Bool
    /// The tables whose rows it reads or writes, by the names that they have afterwards.
    public let tables: [String]
    /// The name of the program's step that runs after the statements, if any.
    public let code: String?
    /// The statements in order.
    public let statements: [MigrationStatement]

    /// The texts of the statements.
    public var sql: [String] { statements.map(\.sql) }

    /// Describes a step.
    ///
    /// - Parameter losesData: nil takes the answer from the kind.
    public init(
        summary: String, kind: MigrationKind, losesData: Bool? = nil, tables: [String] = [],
        code: String? = nil, statements: [MigrationStatement]
    ) {
        self.summary = summary
        self.kind = kind
        self.losesData =
            losesData ?? [.lossy, .destructive, .needsCode].contains(kind)
        self.tables = tables
        self.code = code
        self.statements = statements
    }
}
