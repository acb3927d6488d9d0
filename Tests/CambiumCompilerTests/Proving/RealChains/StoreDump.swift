import CambiumModel
import CambiumSQLite

/// Everything that is in a store's tables, whatever the order of rows and columns.
struct StoreDump {
    /// The rows of each table, sorted, each column with its name.
    let tables: [String: [String]]

    init(of connection: Connection) throws {
        var tables: [String: [String]] = [:]
        let names = try connection.rows(
            "SELECT \"name\" FROM \"sqlite_schema\" WHERE \"type\" = 'table' ORDER BY 1")
        for case .text(let table)? in names.map(\.first) {
            let columns = try connection.rows(
                "SELECT \"name\" FROM pragma_table_xinfo('\(table)') ORDER BY 1"
            ).compactMap { row -> String? in
                if case .text(let name)? = row.first { "\"\(name)\"" } else { nil }
            }
            tables[table] = try connection.rows(
                "SELECT \(columns.joined(separator: ", ")) FROM \"\(table)\""
            ).map { "\(zip(columns, $0).map { "\($0)=\($1)" })" }.sorted()
        }
        self.tables = tables
    }
}
