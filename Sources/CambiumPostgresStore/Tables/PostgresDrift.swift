import CambiumEngine
import CambiumMigration
import CambiumModel
import CambiumPostgresSQL
import CambiumSQL

/// Finds the changes that another program has made to the tables of a store.
struct PostgresDrift {
    let layout: PostgresLayout
    let connection: PostgresConnection

    private static let obstacles = [
        "on PostgreSQL only indexes, constraints, defaults and NOT NULL are recreated"
    ]

    /// The reason why a migration does not repair the changes that it finds at its end.
    static let obstacleOfMigrations =
        "on PostgreSQL a migration repairs nothing, but a program of the store's version does with "
        + "StoreOptions.driftPolicy repair"

    /// The objects in the schema of the store.
    func catalogue() throws -> PostgresCatalogue {
        var name = PostgresParameters()
        name.append(.text(layout.schemaName), as: .text)
        return try PostgresCatalogue(
            connection, namespace: "(SELECT oid FROM pg_namespace WHERE nspname = $1)", name)
    }

    /// Creates the expected tables as temporary tables, and compares the server's descriptions of
    /// both. Each version of the server may describe the same table differently.
    ///
    /// - Parameter isInTransaction: Whether the caller has begun a transaction, in which nothing is
    ///   left. Otherwise the method begins its own, and rolls it back.
    func differences(isInTransaction: Bool = false) throws -> [StoreDifference] {
        let (expected, actual) = try catalogues(isInTransaction: isInTransaction)
        return differences(expected, actual)
    }

    /// The statements that give the tables the limits, defaults and indexes of the model, in place of
    /// those of another model with the same version hash. There is a transaction already.
    ///
    /// - Parameter ignoresOthers: Whether it does not matter what other programs have changed.
    /// - Throws: ``MigrationError/storeDiffers(_:)`` where more than that differs.
    func refreshment(ignoringOthers ignoresOthers: Bool) throws -> [MigrationStatement] {
        let (expected, actual) = try catalogues(isInTransaction: true)
        let changed = differences(expected, actual)
            .filter { $0.kind != .external && !$0.obstacles.isEmpty }
        guard ignoresOthers || changed.isEmpty else { throw MigrationError.storeDiffers(changed) }
        return PostgresRepair(expected, actual, layout).statements
    }

    private func differences(
        _ expected: PostgresCatalogue, _ actual: PostgresCatalogue
    ) -> [StoreDifference] {
        var found: [StoreDifference] = []
        for relation in Set(expected.relations + actual.relations).sorted()
        where !relation.hasPrefix(HistorySQL.prefix) {
            found += differences(of: relation, expected, actual)
        }
        return found.sorted { $0.name < $1.name }
    }

    /// The catalogues of the expected and the actual tables.
    func catalogues(
        isInTransaction: Bool
    ) throws -> (expected: PostgresCatalogue, actual: PostgresCatalogue) {
        let temporary = PostgresLayout(layout.model, schemaInSQL: "pg_temp")
        let statements = PostgresSchema(of: PostgresDerivations(temporary)).statements
            .filter { !$0.hasPrefix("CREATE SCHEMA") }
        _ = try connection.run([
            isInTransaction
                ? PostgresStatement("SAVEPOINT drift") : PostgresConnection.begin(isReadOnly: false)
        ])
        defer { _ = try? connection.run(isInTransaction ? "ROLLBACK TO drift" : "ROLLBACK") }
        _ = try connection.run(statements.map { PostgresStatement($0) })
        let expected = try PostgresCatalogue(
            connection, namespace: "pg_my_temp_schema()", PostgresParameters())
        return (expected, try catalogue())
    }

    private func differences(
        of relation: String, _ expected: PostgresCatalogue, _ actual: PostgresCatalogue
    ) -> [StoreDifference] {
        let thing = PostgresCatalogue.Thing(relation: relation, name: relation, kind: "relation")
        guard let kind = expected.definitions[thing] else {
            return [
                StoreDifference(
                    name: relation, .external, expected: nil, actual: actual.definitions[thing])
            ]
        }
        guard actual.definitions[thing] == kind else {
            return [
                StoreDifference(
                    name: relation, actual.definitions[thing] == nil ? .missing : .changed,
                    expected: kind, actual: actual.definitions[thing], obstacles: Self.obstacles)
            ]
        }
        let (wanted, have) = (expected.parts(of: relation), actual.parts(of: relation))
        var found: [StoreDifference] = []
        var parts: [(name: String, kind: StoreDifference.Kind, isColumn: Bool)] = []
        for part in Set(wanted.keys).union(have.keys).sorted(by: { $0.name < $1.name })
        where wanted[part] != have[part] && !part.isOfHistory {
            let kind: StoreDifference.Kind =
                wanted[part] == nil ? .external : have[part] == nil ? .missing : .changed
            if part.kind == "index" || part.kind == "trigger" {
                found.append(
                    StoreDifference(
                        name: part.name, kind, expected: wanted[part], actual: have[part],
                        obstacles: kind == .external || part.kind == "index" ? [] : Self.obstacles))
            } else {
                parts.append((part.name, kind, part.kind == "column"))
            }
        }
        if !parts.isEmpty {
            func text(_ parts: [PostgresCatalogue.Thing: String]) -> String {
                parts.map { "\($0.key.name) \($0.value)" }.sorted().joined(separator: "\n")
            }
            found.append(
                StoreDifference(
                    name: relation, .changed, expected: text(wanted), actual: text(have),
                    parts: parts,
                    obstacles: PostgresRepair.isPossible(of: relation, expected, actual)
                        ? [] : Self.obstacles))
        }
        return found
    }
}
