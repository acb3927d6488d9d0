import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL

/// What the history says of the tables of a store.
final class RecordedTables: Sendable {
    /// By the number of the root entity.
    fileprivate let objects: [Int: RecordedObjects]
    /// By the name of the table, with the schema.
    fileprivate let pairs: [String: [RecordedEnd]]

    init(_ layout: PostgresLayout) {
        let model = layout.model.model
        var objects: [Int: RecordedObjects] = [:]
        var pairs: [String: [RecordedEnd]] = [:]
        for table in Schema(of: model).tables {
            switch table.content {
            case .objects(let root):
                if let index = layout.model[root]?.index {
                    objects[index] = RecordedObjects(of: table, model)
                }
            case .links:
                pairs[layout.qualified(table.name)] = RecordedEnd.ends(of: table, model)
            case .system: break
            }
        }
        self.objects = objects
        self.pairs = pairs
    }
}

/// Makes the statements of one transaction note what they do to the rows that they write: each
/// becomes one with the other statement as a part, and counts the rows as that one does.
///
/// - An object's row notes the object, with the names of the properties whose columns differ.
/// - A to-one with an inverse notes the objects that it referenced and references, with the name of
///   the inverse.
/// - A pair of a join table notes the objects at both ends; a place in a list notes the owner.
///
/// Reading the history makes one change of what it says of an object.
struct PostgresRecorder {
    let layout: PostgresLayout
    let tables: RecordedTables
    let sql: PostgresHistorySQL
    let keepsValues: Bool
    /// What the transaction's changes are found by.
    let transaction: Int64

    private enum Version: String {
        case old = "o"
        case new = "n"

        func column(_ name: String) -> String { PostgresTable.column(name, of: rawValue) }
    }

    // MARK: Rows

    /// - Parameter statement: `INSERT INTO …` a table of objects.
    func inserting(
        _ statement: PostgresStatement, _ entity: EntityDescription
    ) -> PostgresStatement {
        noting(
            PostgresStatement("\(statement.sql) RETURNING *", statement.parameters),
            insertionOf: entity) ?? statement
    }

    /// Notes rows that were inserted by other means than a statement; nil where nothing is noted of
    /// them.
    func copied(_ keys: [Int64], _ entity: EntityDescription) -> PostgresStatement? {
        var parameters = PostgresParameters()
        parameters.appendArray(of: keys)
        return noting(
            PostgresStatement(
                """
                SELECT * FROM \(layout.table(of: entity.entity)) WHERE "_id" = ANY($1) \
                ORDER BY "_id"
                """, parameters), insertionOf: entity)
    }

    private func noting(
        _ rows: PostgresStatement, insertionOf entity: EntityDescription
    ) -> PostgresStatement? {
        guard let recorded = objects(entity) else { return nil }
        return noting(
            rows, as: .new, touches: recorded.owners.map { touch($0, .new) }
        ) { id in
            change(
                id, .insert, entity, .new,
                values: keepsValues ? values(of: recorded.columns, .new, entity) : nil)
        }
    }

    /// - Parameters:
    ///   - statement: `UPDATE … AS t` of a table of objects.
    ///   - table: That table, or a temporary one with the same columns.
    func updating(
        _ statement: PostgresStatement, _ entity: EntityDescription, in table: String
    ) -> PostgresStatement {
        guard let recorded = objects(entity) else { return statement }
        let former = " JOIN \(table) AS o ON o.\"_id\" = n.\"_id\""
        return noting(
            statement, as: .new, returning: "t.*",
            touches: recorded.owners.flatMap { owner in
                [Version.old, .new].map {
                    touch(owner, $0, joined: former, where: differs(owner.key))
                }
            }
        ) { id in
            let names = recorded.properties.map { name, columns in
                let differs = columns.map(differs).joined(separator: " OR ")
                return "CASE WHEN \(differs) THEN \(SQLText.literal(name)) END"
            }
            return change(
                id, .update, entity, .new, joined: former,
                properties: names.isEmpty
                    ? "''" : "array_to_string(ARRAY[\(names.joined(separator: ", "))], ' ')",
                values: keepsValues ? differences(of: recorded.columns, entity) : nil)
        }
    }

    /// - Parameter statement: `DELETE FROM … AS t`, a table of objects.
    func deleting(
        _ statement: PostgresStatement, _ entity: EntityDescription
    ) -> PostgresStatement {
        guard let recorded = objects(entity) else { return statement }
        let columns = recorded.columns.filter { keepsValues || $0.isPreserved }
        return noting(
            statement, as: .old, returning: "t.*", touches: recorded.owners.map { touch($0, .old) }
        ) { id in
            change(id, .delete, entity, .old, values: values(of: columns, .old, entity))
        }
    }

    private func objects(_ entity: EntityDescription) -> RecordedObjects? {
        tables.objects[entity.rootIndex]
    }

    // MARK: Links

    /// - Parameters:
    ///   - statement: One that inserts pairs into a join table or deletes them.
    ///   - table: The table, with the schema.
    func linking(_ statement: PostgresStatement, _ table: String) -> PostgresStatement {
        let ends = tables.pairs[table] ?? []
        let list = ends.map { PostgresName.identifier($0.column) }.joined(separator: ", ")
        guard !ends.isEmpty else { return statement }
        return noting(statement, as: .new, returning: list, touches: []) { id in
            """
            INSERT INTO \(sql.changes) \(Self.columns) \
            \(ends.map { touch($0, id) }.joined(separator: " UNION ALL "))
            """
        }
    }

    private func touch(_ end: RecordedEnd, _ id: String) -> String {
        touch(
            id, entity: entity(named: end.entity, of: Version.new.column(end.column), in: end),
            key: Version.new.column(end.column), property: end.relationship) + " FROM n"
    }

    /// The entity of the object at an end, which its own row knows.
    private func entity(named name: String, of key: String, in end: RecordedEnd) -> String {
        guard let table = end.tableOfEntities else { return SQLText.literal(name) }
        return """
            coalesce((SELECT e."_entity" FROM \(layout.qualified(table)) AS e \
            WHERE e."_id" = \(key)), \(SQLText.literal(name)))
            """
    }

    /// Notes that the lists of some owners have another order.
    func ordering(
        _ owners: Set<Int64>, _ relationship: RelationshipDescription, of owner: EntityDescription
    ) -> PostgresStatement {
        var parameters = PostgresParameters()
        parameters.appendArray(of: owners.sorted())
        parameters.append(.integer(transaction), as: .bigint)
        let root = layout.model.entities[owner.rootIndex]
        return PostgresStatement(
            """
            INSERT INTO \(sql.changes) \(Self.columns) \
            \(touch("$2", entity: entity(of: root, "t"), key: "t.\"_id\"",
                property: relationship.relationship.name)) \
            FROM \(layout.table(of: root.entity)) AS t WHERE t."_id" = ANY($1)
            """, parameters)
    }

    // MARK: Statements

    private static let columns = """
        ("transaction", "kind", "entity", "key", "properties")
        """

    private func noting(
        _ statement: PostgresStatement, as version: Version, returning list: String,
        touches: [(_ id: String) -> String], _ change: (_ id: String) -> String
    ) -> PostgresStatement {
        noting(
            PostgresStatement("\(statement.sql) RETURNING \(list)", statement.parameters),
            as: version, touches: touches, change)
    }

    /// A statement with what it notes.
    ///
    /// - Parameters:
    ///   - statement: One that returns rows.
    ///   - version: What these are.
    ///   - touches: What it notes of other objects.
    ///   - change: Notes a change for each row, with the parameter that is the transaction's id.
    private func noting(
        _ statement: PostgresStatement, as version: Version,
        touches: [(_ id: String) -> String], _ change: (_ id: String) -> String
    ) -> PostgresStatement {
        var parameters = statement.parameters
        parameters.append(.integer(transaction), as: .bigint)
        let id = "$\(parameters.count)"
        let parts =
            ["\(version.rawValue) AS (\(statement.sql))"]
            + touches.enumerated().map { number, touch in
                "a\(number) AS (INSERT INTO \(sql.changes) \(Self.columns) \(touch(id)))"
            }
        return PostgresStatement(
            "WITH \(parts.joined(separator: ", ")) \(change(id))", parameters)
    }

    private func change(
        _ id: String, _ kind: HistoryChange.Kind, _ entity: EntityDescription, _ version: Version,
        joined: String = "", properties: String = "''", values: String?
    ) -> String {
        let names =
            values == nil
            ? Self.columns
            : """
            ("transaction", "kind", "entity", "key", "properties", "columns", "old", "new")
            """
        let root = layout.model.entities[entity.rootIndex]
        return """
            INSERT INTO \(sql.changes) \(names) SELECT \(id), \(kind.rawValue), \
            \(self.entity(of: root, version.rawValue)), \
            \(version.column(SystemColumn.key)), \(properties)\
            \(values == nil ? "" : ", v.c, v.o, v.n") \
            FROM \(version.rawValue)\(joined)\(values.map { " CROSS JOIN LATERAL (\($0)) AS v" } ?? "")
            """
    }

    /// Notes the owner that a row referenced or references.
    private func touch(
        _ owner: RecordedOwner, _ version: Version, joined: String = "",
        where condition: String? = nil
    ) -> (_ id: String) -> String {
        { id in
            let key = version.column(owner.key)
            let literal = SQLText.literal(owner.destination)
            return touch(
                id,
                entity: owner.entityColumn.map { "coalesce(\(version.column($0)), \(literal))" }
                    ?? literal,
                key: key, property: owner.inverse)
                + " FROM \(joined.isEmpty ? version.rawValue : Version.new.rawValue)\(joined)"
                + " WHERE \(key) IS NOT NULL"
                + (condition.map { " AND (\($0))" } ?? "")
        }
    }

    private func touch(
        _ id: String, entity: String, key: String, property: String
    ) -> String {
        "SELECT \(id)::bigint, \(HistoryChange.Kind.update.rawValue)::smallint, \(entity), \(key), "
            + SQLText.literal(property)
    }

    private func entity(of root: EntityDescription, _ alias: String) -> String {
        root.hasEntityColumn
            ? PostgresTable.column(SystemColumn.entity, of: alias) : SQLText.literal(root.name)
    }

    // MARK: Values

    private func differs(_ column: String) -> String {
        "\(Version.old.column(column)) IS DISTINCT FROM \(Version.new.column(column))"
    }

    private func values(
        of columns: [RecordedObjects.Column], _ version: Version, _ entity: EntityDescription
    ) -> String? {
        Self.list(
            columns.map { column in
                let value = bytes(of: column.name, version, entity)
                return (
                    column.name, version == .old ? value : nil, version == .new ? value : nil,
                    "\(version.column(column.name)) IS NOT NULL"
                )
            })
    }

    /// The entity of a key belongs to the key.
    private func differences(
        of columns: [RecordedObjects.Column], _ entity: EntityDescription
    ) -> String? {
        Self.list(
            columns.map { column in
                (
                    column.name, bytes(of: column.name, .old, entity),
                    bytes(of: column.name, .new, entity),
                    ([column.name] + (column.key.map { [$0] } ?? [])).map(differs)
                        .joined(separator: " OR ")
                )
            })
    }

    /// Three arrays: the names of the columns that meet their conditions, and their values.
    private static func list(
        _ values: [(name: String, old: String?, new: String?, condition: String)]
    ) -> String? {
        guard !values.isEmpty else { return nil }
        let rows = values.map { name, old, new, condition in
            "(\(SQLText.literal(name)), \(old ?? "NULL::bytea"), \(new ?? "NULL::bytea"), "
                + "\(condition))"
        }
        return """
            SELECT array_agg(x.c) AS c, array_agg(x.o) AS o, array_agg(x.n) AS n \
            FROM (VALUES \(rows.joined(separator: ", "))) AS x(c, o, n, d) WHERE x.d
            """
    }

    /// A value as it is on the wire, so that it survives to the bit.
    private func bytes(
        of column: String, _ version: Version, _ entity: EntityDescription
    ) -> String {
        let value = version.column(column)
        switch layout.tables[entity.rootIndex].type(of: column) {
        case .boolean: return "boolsend(\(value))"
        case .smallint: return "int2send(\(value))"
        case .integer: return "int4send(\(value))"
        case .bigint: return "int8send(\(value))"
        case .real: return "float4send(\(value))"
        case .double: return "float8send(\(value))"
        case .decimal, .anyDecimal: return "numeric_send(\(value))"
        case .timestamp: return "timestamptz_send(\(value))"
        case .uuid: return "uuid_send(\(value))"
        case .bytea: return value
        case .text, nil: return "convert_to(\(value), 'UTF8')"
        }
    }
}

extension PostgresTable {
    /// The type of a column of the family; nil for one that is none of its.
    func type(of column: String) -> PostgresType? {
        columns.first { $0.name == column }?.type
    }
}
