import CambiumPlan
import CambiumPostgresSQL
import CambiumSQL

/// The statements that recreate the indexes, constraints, defaults and NOT NULL that another program
/// has removed or changed, or another form of the model's version has. Values stay as they are.
struct PostgresRepair {
    private(set) var statements: [MigrationStatement] = []
    private var additions: [(order: Int, statement: MigrationStatement)] = []

    /// - Parameters:
    ///   - expected: The schema that the store should have.
    ///   - actual: The schema that it has.
    init(_ expected: PostgresCatalogue, _ actual: PostgresCatalogue, _ layout: PostgresLayout) {
        let tables = Schema(of: layout.model.model).tables
        let indexes = tables.flatMap(\.indexes)
        for relation in expected.relations where !relation.hasPrefix(HistorySQL.prefix) {
            let (wanted, have) = (expected.parts(of: relation), actual.parts(of: relation))
            let table = layout.qualified(relation)
            // The server's names may be shortened.
            let fullName =
                tables.first { PostgresName.short($0.name) == relation }?.name ?? relation
            for part in have.keys.sorted(by: { $0.name < $1.name })
            where wanted[part] == nil && Self.isOfModel(part) {
                drop(part, of: relation, table, layout)
            }
            for (part, definition) in wanted.sorted(by: { $0.key.name < $1.key.name })
            where have[part] != definition {
                let name = SQLText.identifier(part.name)
                if have[part] != nil { drop(part, of: relation, table, layout) }
                switch part.kind {
                case "column":
                    add(expected.columns[part], actual.columns[part], name, of: fullName, table)
                case "index":
                    let index = indexes.first { PostgresName.short($0.name) == part.name }
                    let operation = SchemaOperation.createIndex(
                        part.name, on: fullName, unique: index?.uniqueRows)
                    additions.append((1, MigrationStatement(operation, definition)))
                case "constraint":
                    // The columns that a foreign key references have to be unique by then.
                    let isForeign = definition.hasPrefix("FOREIGN")
                    let addition =
                        isForeign
                        ? MigrationStatement(
                            .addForeignKey(part.name, of: fullName),
                            "ALTER TABLE \(table) ADD CONSTRAINT \(name) \(definition)")
                        : Self.adding(definition, name, to: fullName, table)
                    additions.append((isForeign ? 2 : 0, addition))
                default: break
                }
            }
        }
        additions.sort { $0.order < $1.order }
        if !(statements.isEmpty && additions.isEmpty) {
            // Names without a schema refer to the store's own tables.
            statements.insert(
                MigrationStatement(.other, PostgresSchema.searchPath(layout.schema)), at: 0)
        }
        statements += additions.map(\.statement)
    }

    /// - Returns: A statement in which the condition of a check is a part of its own, because it
    ///   finds the rows that do not meet it.
    private static func adding(
        _ definition: String, _ name: String, to relation: String, _ table: String
    ) -> MigrationStatement {
        let head = "ALTER TABLE \(table) ADD CONSTRAINT \(name) "
        let check = "CHECK ("
        guard definition.hasPrefix(check), definition.hasSuffix(")") else {
            return MigrationStatement(.alterTable(relation), head + definition)
        }
        let condition = definition.dropFirst(check.count).dropLast()
        return MigrationStatement(.alterTable(relation), head + check, String(condition), ")")
    }

    private mutating func drop(
        _ part: PostgresCatalogue.Thing, of relation: String, _ table: String,
        _ layout: PostgresLayout
    ) {
        let name = SQLText.identifier(part.name)
        switch part.kind {
        case "index":
            statements.append(
                MigrationStatement(.other, "DROP INDEX \(layout.schema).\(name)"))
        case "constraint":
            statements.append(
                MigrationStatement(
                    .alterTable(relation), "ALTER TABLE \(table) DROP CONSTRAINT \(name)"))
        default: break
        }
    }

    /// Whether an index or a check is one of the model's by its name, of this form or another one.
    private static func isOfModel(_ part: PostgresCatalogue.Thing) -> Bool {
        switch part.kind {
        case "index": TableIndex.mayBeOurs(part.name)
        case "constraint": ConstraintName(part.name) != nil
        default: false
        }
    }

    private mutating func add(
        _ wanted: PostgresCatalogue.Column?, _ have: PostgresCatalogue.Column?, _ name: String,
        of relation: String, _ table: String
    ) {
        guard let wanted, let have, wanted.type == have.type else { return }
        func alter(_ change: String) {
            statements.append(
                MigrationStatement(
                    .alterTable(relation), "ALTER TABLE \(table) ALTER COLUMN \(name) \(change)"))
        }
        if wanted.standard != have.standard {
            alter(wanted.standard.map { "SET DEFAULT \($0)" } ?? "DROP DEFAULT")
        }
        if wanted.isRequired != have.isRequired {
            alter(wanted.isRequired ? "SET NOT NULL" : "DROP NOT NULL")
        }
    }

    /// Whether a table can be repaired. It can if each column has its type, and another program has
    /// added neither a column nor a constraint.
    static func isPossible(
        of relation: String, _ expected: PostgresCatalogue, _ actual: PostgresCatalogue
    ) -> Bool {
        let (wanted, have) = (expected.parts(of: relation), actual.parts(of: relation))
        return wanted.keys.filter { $0.kind == "column" }
            .allSatisfy { expected.columns[$0]?.type == actual.columns[$0]?.type }
            && have.keys.allSatisfy {
                wanted[$0] != nil || isOfModel($0)
                    || !["column", "constraint"].contains($0.kind)
            }
    }
}
