import CambiumModel
import CambiumPostgresSQL
import CambiumSQL

/// The tables, columns, constraints, indexes and triggers in a schema, as the server describes
/// them.
struct PostgresCatalogue {
    /// A named object: a relation, or a part of a table.
    struct Thing: Hashable {
        /// The table, or the relation itself.
        let relation: String
        let name: String
        /// `relation`, `column`, `constraint`, `index` or `trigger`.
        let kind: String

        /// Whether the object belongs to the history. The history can be turned on and off.
        var isOfHistory: Bool {
            relation.hasPrefix(HistorySQL.prefix)
                || kind == "trigger" && name.hasPrefix(PostgresHistoryNames.triggerPrefix)
        }
    }

    private(set) var definitions: [Thing: String] = [:]
    /// The properties of columns that can be changed without changing values.
    private(set) var columns: [Thing: Column] = [:]

    struct Column: Equatable {
        /// The type, with everything that has no property of its own below.
        let type: String
        let isRequired: Bool
        let standard: String?
    }

    /// Reads the catalogue. It sets the session's time zone, because the server's descriptions of
    /// dates depend on it.
    ///
    /// - Parameter namespace: An expression for the OID of the schema.
    init(
        _ connection: PostgresConnection, namespace: String, _ parameters: PostgresParameters
    ) throws {
        let rows = try connection.run(
            """
            WITH n AS (SELECT oid, quote_ident(nspname) || '.' AS prefix FROM pg_namespace \
            WHERE oid = \(namespace) AND set_config('TimeZone', 'UTC', true) <> '' \
            AND set_config('DateStyle', 'ISO, YMD', true) <> ''), \
            r AS (SELECT c.oid, c.relname, c.relkind, c.relpersistence, n.prefix \
            FROM pg_class AS c \
            JOIN n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')), \
            d AS ( \
            SELECT relname, relname AS name, 'relation' AS kind, relkind::text \
            || CASE WHEN relpersistence = 'u' THEN ' UNLOGGED' ELSE '' END \
            || CASE WHEN EXISTS (SELECT FROM pg_inherits WHERE inhparent = r.oid) \
            THEN ' INHERITED' ELSE '' END \
            || coalesce((SELECT string_agg(' RULE ' || rulename, '' ORDER BY rulename) \
            FROM pg_rewrite WHERE ev_class = r.oid AND rulename <> '_RETURN'), '') AS text, prefix, \
            NULL::text AS type, NULL::boolean AS required, NULL::text AS standard \
            FROM r UNION ALL \
            SELECT r.relname, a.attname, 'column', format_type(a.atttypid, a.atttypmod) \
            || coalesce(' COLLATE ' || nullif(l.collname, 'default'), '') \
            || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END \
            || CASE WHEN a.attidentity <> '' THEN ' IDENTITY' ELSE '' END \
            || CASE WHEN a.attgenerated = 's' THEN ' GENERATED ALWAYS AS (' \
            || pg_get_expr(v.adbin, v.adrelid) || ')' \
            ELSE coalesce(' DEFAULT ' || pg_get_expr(v.adbin, v.adrelid), '') END, r.prefix, \
            concat_ws(' ', format_type(a.atttypid, a.atttypmod), l.collname, a.attidentity, \
            a.attgenerated, CASE WHEN a.attgenerated <> '' \
            THEN pg_get_expr(v.adbin, v.adrelid) END), a.attnotnull, \
            CASE WHEN a.attgenerated = '' THEN pg_get_expr(v.adbin, v.adrelid) END \
            FROM r JOIN pg_attribute AS a ON a.attrelid = r.oid \
            AND a.attnum > 0 AND NOT a.attisdropped \
            LEFT JOIN pg_attrdef AS v ON v.adrelid = a.attrelid AND v.adnum = a.attnum \
            LEFT JOIN pg_collation AS l ON l.oid = a.attcollation UNION ALL \
            SELECT r.relname, k.conname, 'constraint', pg_get_constraintdef(k.oid) \
            || CASE WHEN EXISTS (SELECT FROM pg_trigger WHERE tgconstraint = k.oid \
            AND tgenabled IN ('D', 'R')) THEN ' DISABLED' ELSE '' END, r.prefix, \
            NULL, NULL, NULL \
            FROM r JOIN pg_constraint AS k ON k.conrelid = r.oid AND k.contype <> 'n' UNION ALL \
            SELECT r.relname, i.relname, 'index', pg_get_indexdef(i.oid) \
            || CASE WHEN x.indisvalid AND x.indisready THEN '' ELSE ' INVALID' END, r.prefix, \
            NULL, NULL, NULL \
            FROM r JOIN pg_index AS x ON x.indrelid = r.oid JOIN pg_class AS i \
            ON i.oid = x.indexrelid WHERE NOT EXISTS (SELECT FROM pg_constraint AS k \
            WHERE k.conindid = i.oid AND k.contype IN ('p', 'u', 'x')) UNION ALL \
            SELECT r.relname, t.tgname, 'trigger', pg_get_triggerdef(t.oid), r.prefix, \
            NULL, NULL, NULL \
            FROM r JOIN pg_trigger AS t ON t.tgrelid = r.oid AND NOT t.tgisinternal) \
            SELECT relname::text, name::text, kind, \
            replace(replace(text, prefix, ''), 'pg_temp.', ''), \
            replace(type, prefix, ''), required, replace(standard, prefix, '') FROM d
            """, parameters)
        for row in 0..<rows.count {
            let thing = Thing(
                relation: rows.text(row, 0), name: rows.text(row, 1), kind: rows.text(row, 2))
            definitions[thing] = rows.text(row, 3)
            guard !rows.isNull(row, 4) else { continue }
            columns[thing] = Column(
                type: rows.text(row, 4), isRequired: rows.boolean(row, 5),
                standard: rows.isNull(row, 6) ? nil : rows.text(row, 6))
        }
    }

    func parts(of relation: String) -> [Thing: String] {
        definitions.filter { $0.key.relation == relation && $0.key.kind != "relation" }
    }

    /// Whether a relation is a table.
    func isTable(_ relation: String) -> Bool {
        let thing = Thing(relation: relation, name: relation, kind: "relation")
        return definitions[thing].map { $0 == "r" || $0 == "p" } ?? false
    }

    var relations: [String] {
        definitions.keys.filter { $0.kind == "relation" }.map(\.relation).sorted()
    }

    /// The name of the hash in the metadata.
    static let nameOfHash = "catalogue"

    /// A hash of all definitions without the history's, because the history can be turned on and
    /// off. It shows whether anything was changed.
    var hash: String {
        let lines = definitions.filter { !$0.key.isOfHistory }
            .map { "\($0.key.relation) \($0.key.name) \($0.key.kind) \($0.value)" }
        return SHA256.hexadecimal(of: lines.sorted().joined(separator: "\n"))
    }
}
