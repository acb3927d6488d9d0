import CambiumPostgresSQL
import CambiumSQL

/// The statements that recreate the indexes, constraints, defaults and NOT NULL that another
/// program has removed or changed. Values stay as they are.
struct PostgresRepair {
    private(set) var statements: [String] = []
    private var additions: [(order: Int, sql: String)] = []

    /// - Parameters:
    ///   - expected: The schema that the store should have.
    ///   - actual: The schema that it has.
    init(_ expected: PostgresCatalogue, _ actual: PostgresCatalogue, _ layout: PostgresLayout) {
        // Names without a schema refer to the store's own tables.
        statements = [PostgresSchema.searchPath(layout.schema)]
        for relation in expected.relations where !relation.hasPrefix(HistorySQL.prefix) {
            let (wanted, have) = (expected.parts(of: relation), actual.parts(of: relation))
            let table = layout.qualified(relation)
            for (part, definition) in wanted.sorted(by: { $0.key.name < $1.key.name })
            where have[part] != definition {
                let name = SQLText.identifier(part.name)
                switch part.kind {
                case "column":
                    add(expected.columns[part], actual.columns[part], name, of: table)
                case "index":
                    if have[part] != nil {
                        statements.append("DROP INDEX \(layout.schema).\(name)")
                    }
                    additions.append((1, definition))
                case "constraint":
                    if have[part] != nil {
                        statements.append("ALTER TABLE \(table) DROP CONSTRAINT \(name)")
                    }
                    // The columns that a foreign key references have to be unique by then.
                    let isForeign = definition.hasPrefix("FOREIGN")
                    let sql = "ALTER TABLE \(table) ADD CONSTRAINT \(name) \(definition)"
                    additions.append((isForeign ? 2 : 0, sql))
                default: break
                }
            }
        }
        statements += additions.sorted { $0.order < $1.order }.map(\.sql)
    }

    private mutating func add(
        _ wanted: PostgresCatalogue.Column?, _ have: PostgresCatalogue.Column?, _ name: String,
        of table: String
    ) {
        guard let wanted, let have, wanted.type == have.type else { return }
        let column = "ALTER TABLE \(table) ALTER COLUMN \(name)"
        if wanted.standard != have.standard {
            statements.append(
                wanted.standard.map { "\(column) SET DEFAULT \($0)" } ?? "\(column) DROP DEFAULT")
        }
        if wanted.isRequired != have.isRequired {
            statements.append("\(column) \(wanted.isRequired ? "SET" : "DROP") NOT NULL")
        }
    }

    /// Whether a table can be repaired: each column has its type, and there are no additional
    /// columns.
    static func isPossible(
        of relation: String, _ expected: PostgresCatalogue, _ actual: PostgresCatalogue
    ) -> Bool {
        let (wanted, have) = (expected.parts(of: relation), actual.parts(of: relation))
        return wanted.keys.filter { $0.kind == "column" }
            .allSatisfy { expected.columns[$0]?.type == actual.columns[$0]?.type }
            && have.keys.allSatisfy {
                wanted[$0] != nil || !["column", "constraint"].contains($0.kind)
            }
    }
}
