import CambiumEngine
import CambiumMigration
import CambiumModel
import CambiumSQL

/// What is in a schema, as the server describes it: tables, columns, constraints, indexes.
private struct PostgresCatalogue {
    /// Something with a name: a relation, or a part of a table.
    struct Thing: Hashable {
        /// The table, or the relation itself.
        let relation: String
        let name: String
        /// `relation`, `column`, `constraint`, `index` or `trigger`.
        let kind: String
    }

    private(set) var definitions: [Thing: String] = [:]

    /// - Parameter namespace: An expression for the number of the schema.
    init(
        _ connection: PostgresConnection, namespace: String, _ parameters: PostgresParameters
    ) throws {
        let rows = try connection.run(
            """
            WITH n AS (SELECT oid, quote_ident(nspname) || '.' AS prefix FROM pg_namespace \
            WHERE oid = \(namespace)), \
            r AS (SELECT c.oid, c.relname, c.relkind, n.prefix FROM pg_class AS c \
            JOIN n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')), \
            d AS ( \
            SELECT relname, relname AS name, 'relation' AS kind, relkind::text AS text, prefix \
            FROM r UNION ALL \
            SELECT r.relname, a.attname, 'column', format_type(a.atttypid, a.atttypmod) \
            || coalesce(' COLLATE ' || nullif(l.collname, 'default'), '') \
            || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END \
            || CASE WHEN a.attgenerated = 's' THEN ' GENERATED ALWAYS AS (' \
            || pg_get_expr(v.adbin, v.adrelid) || ')' \
            ELSE coalesce(' DEFAULT ' || pg_get_expr(v.adbin, v.adrelid), '') END, r.prefix \
            FROM r JOIN pg_attribute AS a ON a.attrelid = r.oid \
            AND a.attnum > 0 AND NOT a.attisdropped \
            LEFT JOIN pg_attrdef AS v ON v.adrelid = a.attrelid AND v.adnum = a.attnum \
            LEFT JOIN pg_collation AS l ON l.oid = a.attcollation UNION ALL \
            SELECT r.relname, k.conname, 'constraint', pg_get_constraintdef(k.oid), r.prefix \
            FROM r JOIN pg_constraint AS k ON k.conrelid = r.oid AND k.contype <> 'n' UNION ALL \
            SELECT r.relname, i.relname, 'index', pg_get_indexdef(i.oid), r.prefix \
            FROM r JOIN pg_index AS x ON x.indrelid = r.oid JOIN pg_class AS i \
            ON i.oid = x.indexrelid WHERE NOT EXISTS (SELECT FROM pg_constraint AS k \
            WHERE k.conindid = i.oid AND k.contype IN ('p', 'u', 'x')) UNION ALL \
            SELECT r.relname, t.tgname, 'trigger', pg_get_triggerdef(t.oid), r.prefix \
            FROM r JOIN pg_trigger AS t ON t.tgrelid = r.oid AND NOT t.tgisinternal) \
            SELECT relname::text, name::text, kind, \
            replace(replace(text, prefix, ''), 'pg_temp.', '') FROM d
            """, parameters)
        for row in 0..<rows.count {
            let thing = Thing(
                relation: rows.text(row, 0), name: rows.text(row, 1), kind: rows.text(row, 2))
            definitions[thing] = rows.text(row, 3)
        }
    }

    func parts(of relation: String) -> [Thing: String] {
        definitions.filter { $0.key.relation == relation && $0.key.kind != "relation" }
    }

    var relations: [String] {
        definitions.keys.filter { $0.kind == "relation" }.map(\.relation).sorted()
    }
}

extension PostgresEngine {
    /// Makes the tables that the store should have as temporary ones, and lets the server describe
    /// both: each version of it has its own words for one thing.
    func differences() throws -> [StoreDifference] {
        let temporary = PostgresLayout(model, schemaInSQL: "pg_temp")
        let statements = PostgresSchema(of: PostgresDerivations(temporary)).statements
            .filter { !$0.hasPrefix("CREATE SCHEMA") }
        var name = PostgresParameters()
        name.append(.text(layout.schemaName), as: .text)
        let (expected, actual) = try pool.withConnection { connection in
            _ = try connection.run([PostgresConnection.begin(isReadOnly: false)])
            defer { _ = try? connection.run("ROLLBACK") }
            _ = try connection.run(statements.map { PostgresStatement($0) })
            return (
                try PostgresCatalogue(
                    connection, namespace: "pg_my_temp_schema()", PostgresParameters()),
                try PostgresCatalogue(
                    connection, namespace: "(SELECT oid FROM pg_namespace WHERE nspname = $1)",
                    name)
            )
        }
        var found: [StoreDifference] = []
        for relation in Set(expected.relations + actual.relations).sorted()
        where !relation.hasPrefix(HistorySQL.prefix) {
            found += differences(of: relation, expected, actual)
        }
        return found.sorted { $0.name < $1.name }
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
                    expected: kind, actual: actual.definitions[thing])
            ]
        }
        let (wanted, have) = (expected.parts(of: relation), actual.parts(of: relation))
        var found: [StoreDifference] = []
        var parts: [(name: String, kind: StoreDifference.Kind, isColumn: Bool)] = []
        for part in Set(wanted.keys).union(have.keys).sorted(by: { $0.name < $1.name })
        where wanted[part] != have[part] {
            let kind: StoreDifference.Kind =
                wanted[part] == nil ? .external : have[part] == nil ? .missing : .changed
            if part.kind == "index" || part.kind == "trigger" {
                found.append(
                    StoreDifference(
                        name: part.name, kind, expected: wanted[part], actual: have[part]))
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
                    parts: parts))
        }
        return found
    }
}
