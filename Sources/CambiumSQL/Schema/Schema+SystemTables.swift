import CambiumModel

extension Schema {
    static let systemTables = [
        Table(
            name: "_metadata",
            columns: [
                systemColumn("name", "TEXT NOT NULL PRIMARY KEY"),
                systemColumn("value", "TEXT NOT NULL"),
            ], constraints: [], options: "STRICT, WITHOUT ROWID", indexes: [], content: .system),
        Table(
            name: "_keys",
            columns: [
                systemColumn("entity", "TEXT NOT NULL PRIMARY KEY"),
                systemColumn("next", "INTEGER NOT NULL"),
            ], constraints: [], options: "STRICT, WITHOUT ROWID", indexes: [], content: .system),
    ]

    static func systemColumn(_ name: String, _ rest: String) -> Table.Column {
        Table.Column(
            name: name, definition: "\(SQLText.identifier(name)) \(rest)", content: .system)
    }
}
