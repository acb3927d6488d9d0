import CambiumPlan

/// What becomes of the names of a store while the statements of a chain run: which they make, and
/// whether what has a name afterwards is still what had it before. SQLite does not tell upper case
/// from lower.
package struct MigratedNames: Sendable {
    /// The names of tables and indexes that statements make, in lower case, each with the name as
    /// they write it.
    package private(set) var made: [String: String] = [:]
    /// Those that were in use when they were made.
    package private(set) var taken: Set<String> = []
    /// The names of tables that stood for something else before, or for nothing any more.
    package private(set) var strangers: Set<String> = []
    /// The same of columns, by their tables.
    package private(set) var strangeColumns: [String: Set<String>] = [:]

    /// The objects that have a name, each with the table it belongs to.
    private var present: [String: String]
    private let kept: Set<String>

    /// Begins with what a store has.
    ///
    /// - Parameter kept: The names of what is not the model's, which stays or comes back.
    package init(of objects: [StoreObject], keeping kept: [StoreObject]) {
        present = Dictionary(
            objects.filter { $0.kind != .trigger }
                .map { ($0.name.lowercased(), $0.table.lowercased()) },
            uniquingKeysWith: { first, _ in first })
        self.kept = Set(kept.map { $0.name.lowercased() })
    }

    /// Follows the operations of one migration.
    package mutating func follow(_ operations: [SchemaOperation]) {
        var helpers: Set<String> = []
        for operation in operations {
            switch operation {
            case .createTable(let table):
                helpers.insert(table)
                make(table, of: table)
            case .renameTable(let table, let new):
                present[table.lowercased()] = nil
                make(new, of: new)
            case .dropTable(let table): drop(table)
            case .createIndex(let name, let table, _): make(name, of: table)
            default: break
            }
        }
        for case .dropTable(let table) in operations where !helpers.contains(table) {
            let key = table.lowercased()
            guard let columns = TableCopies.columnsMadeOfOthers(of: table, by: operations) else {
                strangers.insert(key)
                continue
            }
            strangeColumns[key, default: []].formUnion(columns)
        }
    }

    /// Whether there is anything of that name afterwards.
    package func isPresent(_ name: String) -> Bool { present[name.lowercased()] != nil }

    private mutating func make(_ name: String, of table: String) {
        let key = name.lowercased()
        made[key] = name
        if present[key] != nil { taken.insert(key) }
        present[key] = table.lowercased()
    }

    private mutating func drop(_ table: String) {
        let key = table.lowercased()
        // The indexes of a table go with it, those of others come back.
        present = present.filter { $0.value != key || ($0.key != key && kept.contains($0.key)) }
    }
}
