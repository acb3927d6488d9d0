import CambiumModel
import CambiumSQL

/// The statements that take a whole row out of its table and put it back with other values, for
/// rows that exchange unique values: each would meet the other's old value.
///
/// A value in between that no row has, such as NULL, might break a CHECK; a row that is not there
/// breaks none, and foreign keys are looked at when the transaction ends.
struct RowCopySQL: Sendable {
    /// All columns that can be written, in the order of the table.
    let columns: [String]
    /// For a column that holds a key, the column of the place that belongs to it.
    let positions: [String: String]
    private let table: String

    init(root: Entity, in model: Model) {
        table = SQLText.identifier(root.name)
        columns = Schema.table(of: root, in: model).columns
            .filter { !$0.isGenerated }.map(\.name)
        var positions: [String: String] = [:]
        for entity in model.family(of: root) {
            for relationship in entity.relationships {
                guard case .key(let key, _) = model.storage(of: relationship, of: entity),
                    let position = model.inversePositionColumn(of: relationship, of: entity)
                else { continue }
                positions[key] = position
            }
        }
        self.positions = positions
    }

    /// Reads the columns of the row whose key is parameter 1.
    var select: String {
        "SELECT \(names) FROM \(table) WHERE \(SQLText.identifier(SystemColumn.key)) = ?"
    }

    /// Takes the row out whose key is parameter 1.
    var delete: String {
        "DELETE FROM \(table) WHERE \(SQLText.identifier(SystemColumn.key)) = ?"
    }

    /// Puts a row in; the values are parameters.
    var insert: String {
        let values = columns.map { _ in "?" }.joined(separator: ", ")
        return "INSERT INTO \(table) (\(names)) VALUES (\(values))"
    }

    private var names: String { columns.map(SQLText.identifier).joined(separator: ", ") }
}
