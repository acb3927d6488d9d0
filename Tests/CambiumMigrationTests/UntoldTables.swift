import CambiumMigration
import CambiumModel
import CambiumSQL

extension Migration {
    /// The tables of two versions that a statement names and its operation does not, each with the
    /// statement. The text of a table or a column says itself what that references.
    func untoldTables(from old: Model, to new: Model) -> [String] {
        let tables = Schema(of: old).tables + Schema(of: new).tables
        let names = Set(tables.filter { $0.content != .system }.map(\.name))
        return steps.flatMap(\.statements).compactMap { statement in
            switch statement.operation {
            case .createTable, .addColumn, .other: return nil
            // One row of a table that changes anyway.
            case .insertRows("_refusal", _): return nil
            default: break
            }
            let words = Set(statement.sql.split(separator: "\"").map(String.init))
            let untold = names.intersection(words).subtracting(statement.operation.tables)
            return untold.isEmpty ? nil : "\(untold.sorted()) in \(statement.sql)"
        }
    }
}
