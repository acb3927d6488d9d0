import CambiumModel
import CambiumSQL
import Foundation

@testable import CambiumSQLite

/// All that a file holds, as lines, but for what every store has for itself.
struct StoreDump {
    let schema: [String]
    let rows: [String]
    let largeValues: [String: Data]

    /// - Parameter roundsNumbers: Whether numbers of seconds of the same microsecond are the same.
    init(_ path: String, roundsNumbers: Bool) throws {
        let connection = try Connection.reading(path: path)
        let all = try connection.rows(
            "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name")
        var schema = all.filter { $0[0] != .text("table") }.map { "\($0)" }
        var rows: [String] = []
        for case .text(let name) in all.filter({ $0[0] == .text("table") }).map({ $0[1] }) {
            // The history starts over.
            if name.hasPrefix(HistorySQL.prefix) { continue }
            // A migration may add a column at the end of a table.
            let table = SQLText.identifier(name)
            let columns = try connection.rows(
                """
                SELECT name, type, "notnull", dflt_value, pk, hidden \
                FROM pragma_table_xinfo(\(SQLText.literal(name))) ORDER BY name
                """)
            schema += columns.map { "\(name) \($0)" }
            let list = columns.compactMap(\.first?.text).map { SQLText.identifier($0) }
            for row in try connection.rows(
                "SELECT \(list.joined(separator: ", ")) FROM \(table)")
            {
                if name == MetadataSQL.table, case .text(let key)? = row.first,
                    ["uuid", "definition", "frozenVersion", "history.epoch"].contains(key)
                {
                    continue
                }
                let values = row.map { value -> String in
                    guard roundsNumbers, case .real(let number) = value else { return "\(value)" }
                    return DateStorage.microseconds(ofSeconds: number).map { "\($0)" }
                        ?? "\(number)"
                }
                rows.append("\(name): \(values)")
            }
        }
        (self.schema, self.rows) = (schema, rows.sorted())
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
            .appendingPathComponent(".\(URL(fileURLWithPath: path).lastPathComponent).external")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        var values: [String: Data] = [:]
        for name in names {
            values[name] = try Data(contentsOf: folder.appendingPathComponent(name))
        }
        largeValues = values
    }
}
