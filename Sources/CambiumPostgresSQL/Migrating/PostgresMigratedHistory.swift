import CambiumModel
import CambiumPlan
import CambiumSQL

/// The changes of a migration to the history of a store on a server.
///
/// A recorded change and its values are in one row. The values have the form that they have on the
/// wire. The changes of the migration itself get the id in the setting of its transaction.
struct PostgresMigratedHistory: HistoryDialect {
    let old: Model
    let new: Model
    let names: PostgresHistoryNames

    private var changes: String { names.changes }
    private static let transaction = "current_setting('\(PostgresHistoryNames.saving)')::bigint"
    private static let (updated, deleted) = (1, 2)

    var mark: String {
        insertion(
            "(\"transaction\", \"kind\", \"entity\", \"key\") "
                + "VALUES (\(Self.transaction), \(Self.updated), '', 0)")
    }

    private func insertion(_ rest: String) -> String { "INSERT INTO \(changes) \(rest)" }

    // MARK: The migration

    func deletions(
        of rows: RecordedRows, shift: String?, preserved: [CarriedColumn]
    ) -> [String] {
        let columns = preserved.isEmpty ? "" : ", \"columns\", \"old\", \"new\""
        let key = "\"_id\"\(shift.map { " + \($0)" } ?? "")"
        return [
            PostgresName.shortened(
                insertion(
                    """
                    ("transaction", "kind", "entity", "key"\(columns)) \
                    SELECT \(Self.transaction), \(Self.deleted), \(SQLText.literal(rows.name)), \
                    \(key)\(preserved.isEmpty ? "" : ", v.c, v.o, v.n") \
                    FROM \(SQLText.identifier(rows.table))\(values(preserved))\(rows.condition)
                    """))
        ]
    }

    /// The columns that are not NULL, with their values.
    private func values(_ preserved: [CarriedColumn]) -> String {
        if preserved.isEmpty { return "" }
        let rows = preserved.map { column in
            let name = SQLText.identifier(column.old)
            let types = types(of: column)
            let bytes = types.map { $0.new.bytes(from: $0.old, $0.old.bytes(of: name)) } ?? name
            return "(\(SQLText.literal(column.new)), \(bytes), \(name) IS NOT NULL)"
        }
        return """
             CROSS JOIN LATERAL (SELECT array_agg(x.c) AS c, array_agg(x.o) AS o, \
            array_agg(NULL::bytea) AS n FROM (VALUES \(rows.joined(separator: ", "))) \
            AS x(c, o, d) WHERE x.d) AS v
            """
    }

    func survivors(_ tables: [(name: String, entities: [String])]) -> [String] {
        tables.map { table in
            PostgresName.shortened(
                """
                DELETE FROM \(changes) AS c USING \(SQLText.identifier(table.name)) AS t \
                WHERE c."transaction" = \(Self.transaction) AND c."kind" = \(Self.deleted) \
                AND c."entity" IN (\(SQLText.literals(table.entities))) AND c."key" = t."_id"
                """)
        }
    }

    func update(of rows: RecordedRows, _ properties: [String]) -> String {
        PostgresName.shortened(
            insertion(
                """
                ("transaction", "kind", "entity", "key", "properties") \
                SELECT \(Self.transaction), \(Self.updated), \(SQLText.literal(rows.name)), "_id", \
                \(SQLText.literal(properties.joined(separator: " "))) \
                FROM \(SQLText.identifier(rows.table))\(rows.condition)
                """))
    }

    // MARK: Earlier changes

    func renaming(entities: [(old: String, new: String)]) -> String {
        update(
            "\"entity\" = \(cases(of: "\"entity\"", entities)) END",
            of: entities.map(\.old))
    }

    func shift(keysOf entities: [String], by shift: String) -> String {
        update("\"key\" = \"key\" + \(shift)", of: entities)
    }

    func renaming(properties changes: [RenamedProperty]?, of entities: [String]) -> [String] {
        guard let changes else { return [update("\"properties\" = ''", of: entities)] }
        let gone = changes.filter { $0.to == nil }.map(\.from)
        let renamed = changes.compactMap { change in change.to.map { (change.from, $0) } }
        let name = renamed.isEmpty ? "u.p" : "\(cases(of: "u.p", renamed)) ELSE u.p END"
        return [
            update(
                """
                "properties" = array_to_string(ARRAY(SELECT \(name) \
                FROM unnest(string_to_array("properties", ' ')) WITH ORDINALITY AS u(p, i)\
                \(gone.isEmpty ? "" : " WHERE u.p NOT IN (\(SQLText.literals(gone)))") \
                ORDER BY u.i), ' ')
                """, of: entities, " AND \"properties\" <> ''")
        ]
    }

    func values(of entity: String, _ columns: [CarriedColumn], areRenamed: Bool) -> [String] {
        let translated = columns.compactMap { column -> (name: String, value: Value)? in
            translation(of: column).map { (column.old, $0) }
        }
        guard areRenamed || !translated.isEmpty else { return [] }
        if columns.isEmpty {
            return [update("\"columns\" = NULL, \"old\" = NULL, \"new\" = NULL", of: [entity])]
        }
        func value(_ side: String) -> String {
            if translated.isEmpty { return side }
            let cases = translated.map { name, value in
                "WHEN \(SQLText.literal(name)) THEN \(value(side)) "
            }
            return "CASE u.c \(cases.joined())ELSE \(side) END"
        }
        let renamed = columns.filter { $0.old != $0.new }.map { ($0.old, $0.new) }
        let name = renamed.isEmpty ? "u.c" : "\(cases(of: "u.c", renamed)) ELSE u.c END"
        return [
            update(
                """
                ("columns", "old", "new") = (SELECT array_agg(\(name) ORDER BY u.i), \
                array_agg(\(value("u.o")) ORDER BY u.i), array_agg(\(value("u.n")) ORDER BY u.i) \
                FROM unnest("columns", "old", "new") WITH ORDINALITY AS u(c, o, n, i) \
                WHERE u.c IN (\(SQLText.literals(columns.map(\.old)))))
                """, of: [entity], " AND \"columns\" IS NOT NULL")
        ]
    }

    let afterValues: [String] = []

    private func cases(of value: String, _ names: [(String, String)]) -> String {
        let cases = names.map { "WHEN \(SQLText.literal($0)) THEN \(SQLText.literal($1))" }
        return "CASE \(value) \(cases.joined(separator: " "))"
    }

    private func update(
        _ settings: String, of entities: [String], _ condition: String = ""
    ) -> String {
        """
        UPDATE \(changes) SET \(settings) \
        WHERE "entity" IN (\(SQLText.literals(entities)))\(condition)
        """
    }

    // MARK: Values

    /// Returns SQL for the new bytes from SQL for the old bytes.
    private typealias Value = (String) -> String

    private func types(of column: CarriedColumn) -> (old: PostgresType, new: PostgresType)? {
        column.attributes.map {
            (.column(of: $0.old, in: old), .column(of: $0.new, in: new))
        }
    }

    /// The conversion of a column's values; nil if their bytes do not change.
    private func translation(of column: CarriedColumn) -> Value? {
        switch column.reference {
        case .shifted(let shift)?:
            return { "int8send((\(PostgresType.number($0)) + \(shift))::bigint)" }
        case .renamed(let names)?:
            let cases = names.map { old, new in
                "WHEN '\\x\(Self.hexadecimal(old))'::bytea "
                    + "THEN '\\x\(Self.hexadecimal(new))'::bytea "
            }
            return { "CASE \($0) \(cases.joined())ELSE \($0) END" }
        case nil:
            guard let types = types(of: column), types.new.bytes(from: types.old, "") != "" else {
                return nil
            }
            return { types.new.bytes(from: types.old, $0) }
        }
    }

    private static func hexadecimal(_ text: String) -> String {
        text.utf8.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
