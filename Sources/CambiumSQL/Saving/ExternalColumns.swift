import CambiumModel

/// Finds the files that rows of an entity's table reference.
package struct ExternalColumns: Sendable {
    private let table: String
    private let columns: [String]

    /// - Returns: Nil if no entity of the root's family has a column of that kind.
    package init?(of root: Entity, in model: Model) {
        table = SQLText.identifier(root.name)
        columns = model.family(of: root).flatMap { entity in
            entity.attributes.filter { $0.usesExternalForm && !$0.isTransient }
                .map { SQLText.identifier(model.column(of: $0.name, in: entity)) }
        }
        if columns.isEmpty { return nil }
    }

    /// A query of the file names of the rows in `pending`, as bytes, one a row.
    package var queryOfPending: String {
        let key = SQLText.identifier(SystemColumn.key)
        return union { column in
            """
            SELECT substr(t.\(column), 2) FROM pending AS p CROSS JOIN \(table) AS t \
            WHERE t.\(key) = p.key AND \(isFile("t.\(column)"))
            """
        }
    }

    /// The names of the files of all rows, as bytes, one a row. Reads the whole table.
    package var queryOfAll: String {
        union { column in
            "SELECT substr(\(column), 2) FROM \(table) WHERE \(isFile(column))"
        }
    }

    /// For each column, the statements that replace references to files with values. The query
    /// returns the key and the name of the file as bytes. The update gives the row of a key
    /// (parameter 1) a value (parameter 2). The query reads the whole table.
    package var inlining: [(query: String, update: String)] {
        let key = SQLText.identifier(SystemColumn.key)
        return columns.map { column in
            (
                "SELECT \(key), substr(\(column), 2) FROM \(table) WHERE \(isFile(column))",
                "UPDATE \(table) SET \(column) = ?2 WHERE \(key) = ?1"
            )
        }
    }

    private func isFile(_ column: String) -> String {
        "substr(\(column), 1, 1) = \(SQLText.literal(.blob(Data([ExternalForm.file]))))"
    }

    private func union(_ query: (String) -> String) -> String {
        columns.map(query).joined(separator: " UNION ALL ")
    }
}
