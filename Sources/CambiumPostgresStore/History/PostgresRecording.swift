import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL

/// The tables of a store, as the history records them.
final class RecordedTables: Sendable {
    /// By the index of the root entity.
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

/// The statements that note changes of rows in the history. Saves and triggers use them.
///
/// - A row of an object notes the object, with the names of the properties whose columns differ.
/// - A to-one relationship with an inverse notes the objects that it referenced and references,
///   with the name of the inverse.
/// - A pair of a join table notes the objects at both ends. A position in a list notes the owner.
///
/// A reader of the history combines the notes for one object into one change.
struct PostgresRecording {
    let layout: PostgresLayout
    let tables: RecordedTables
    /// The table of the changes, with the schema.
    let changes: String
    let keepsValues: Bool

    /// The version of a row. The raw value is the name of the table expression with these rows.
    enum Version: String {
        case old = "o"
        case new = "n"

        func column(_ name: String) -> String { PostgresTable.column(name, of: rawValue) }
    }

    // MARK: Rows

    /// Notes the new rows of a table of objects; none if the history does not record them.
    ///
    /// - Parameter id: The id of the transaction, in SQL.
    func insertions(_ id: String, of entity: EntityDescription) -> [String] {
        guard let recorded = objects(entity) else { return [] }
        return recorded.owners.map { touch($0, .new, id) } + [
            change(
                id, .insert, entity, .new,
                values: keepsValues ? values(of: recorded.columns, .new, entity) : nil)
        ]
    }

    /// - Parameters:
    ///   - former: The table expression with the rows before the update.
    ///   - isOfOthers: Whether the rows may have new positions in lists. Saves note these by
    ///     ``orders(_:_:_:of:)``.
    func updates(
        _ id: String, of entity: EntityDescription, from former: String, isOfOthers: Bool = false
    ) -> [String] {
        guard let recorded = objects(entity) else { return [] }
        let former = " JOIN \(former) AS o ON o.\"_id\" = n.\"_id\""
        let placed = isOfOthers ? recorded.owners.filter { $0.positionColumn != nil } : []
        let names = recorded.properties.map { name, columns in
            let differs = columns.map(differs).joined(separator: " OR ")
            return "CASE WHEN \(differs) THEN \(SQLText.literal(name)) END"
        }
        return recorded.owners.flatMap { owner in
            [Version.old, .new].map {
                touch(owner, $0, id, joined: former, where: differs(owner.key))
            }
        }
            + placed.map { owner in
                touch(owner, .new, id, joined: former, where: owner.positionColumn.map(differs))
            } + [
                change(
                    id, .update, entity, .new, joined: former,
                    properties: names.isEmpty
                        ? "''" : "array_to_string(ARRAY[\(names.joined(separator: ", "))], ' ')",
                    values: keepsValues ? differences(of: recorded.columns, entity) : nil,
                    where: placed.isEmpty ? nil : isMoreThanMoved(recorded, entity))
            ]
    }

    func deletions(_ id: String, of entity: EntityDescription) -> [String] {
        guard let recorded = objects(entity) else { return [] }
        let columns = recorded.columns.filter { keepsValues || $0.isPreserved }
        return recorded.owners.map { touch($0, .old, id) } + [
            change(id, .delete, entity, .old, values: values(of: columns, .old, entity))
        ]
    }

    /// A condition that is false for rows that only got another position in their owner's list.
    private func isMoreThanMoved(
        _ recorded: RecordedObjects, _ entity: EntityDescription
    ) -> String {
        let others =
            [SystemColumn.version]
            + (layout.model.entities[entity.rootIndex].hasEntityColumn ? [SystemColumn.entity] : [])
            + recorded.properties.flatMap(\.columns)
        func any(_ columns: [String]) -> String { columns.map(differs).joined(separator: " OR ") }
        return "\(any(others)) OR NOT (\(any(recorded.owners.compactMap(\.positionColumn))))"
    }

    func objects(_ entity: EntityDescription) -> RecordedObjects? {
        tables.objects[entity.rootIndex]
    }

    // MARK: Links

    /// The ends of the pairs of a join table, by its name with the schema.
    func ends(_ table: String) -> [RecordedEnd] { tables.pairs[table] ?? [] }

    /// Notes inserted or deleted pairs.
    func links(_ id: String, _ table: String, _ version: Version = .new) -> String {
        insertion(ends(table).map { touch($0, id, version) }.joined(separator: " UNION ALL "))
    }

    /// Notes the pairs to which other programs gave new positions in lists.
    func movedLinks(_ id: String, _ table: String) -> String? {
        let touches = ends(table).compactMap { end in
            end.position.map { position in
                """
                \(touch(end, id, .new)) JOIN o ON o."_source" = n."_source" \
                AND o."_destination" = n."_destination" WHERE \(differs(position))
                """
            }
        }
        return touches.isEmpty ? nil : insertion(touches.joined(separator: " UNION ALL "))
    }

    private func touch(_ end: RecordedEnd, _ id: String, _ version: Version) -> String {
        let key = version.column(end.column)
        return touch(
            id, entity: entity(named: end.entity, of: key, in: end), key: key,
            property: end.relationship) + " FROM \(version.rawValue)"
    }

    /// The entity of the object at an end. If the entity has subentities, the object's row says it.
    private func entity(named name: String, of key: String, in end: RecordedEnd) -> String {
        guard let table = end.tableOfEntities else { return SQLText.literal(name) }
        return """
            coalesce((SELECT e."_entity" FROM \(layout.qualified(table)) AS e \
            WHERE e."_id" = \(key)), \(SQLText.literal(name)))
            """
    }

    /// Notes that lists were reordered.
    ///
    /// - Parameter keys: An expression for the keys of the lists' owners.
    func orders(
        _ id: String, _ keys: String, _ relationship: RelationshipDescription,
        of owner: EntityDescription
    ) -> String {
        let root = layout.model.entities[owner.rootIndex]
        return insertion(
            """
            \(touch(id, entity: entity(of: root, "t"), key: "t.\"_id\"",
                property: relationship.relationship.name)) \
            FROM \(layout.table(of: root.entity)) AS t WHERE t."_id" = ANY(\(keys))
            """)
    }

    // MARK: Statements

    private static let columns = """
        ("transaction", "kind", "entity", "key", "properties")
        """

    private func insertion(_ query: String) -> String {
        "INSERT INTO \(changes) \(Self.columns) \(query)"
    }

    private func change(
        _ id: String, _ kind: HistoryChange.Kind, _ entity: EntityDescription, _ version: Version,
        joined: String = "", properties: String = "''", values: String?,
        where condition: String? = nil
    ) -> String {
        let names =
            values == nil
            ? Self.columns
            : """
            ("transaction", "kind", "entity", "key", "properties", "columns", "old", "new")
            """
        let root = layout.model.entities[entity.rootIndex]
        return """
            INSERT INTO \(changes) \(names) SELECT \(id), \(kind.rawValue), \
            \(self.entity(of: root, version.rawValue)), \
            \(version.column(SystemColumn.key)), \(properties)\
            \(values == nil ? "" : ", v.c, v.o, v.n") \
            FROM \(version.rawValue)\(joined)\(values.map { " CROSS JOIN LATERAL (\($0)) AS v" } ?? "")\
            \(condition.map { " WHERE \($0)" } ?? "")
            """
    }

    /// Notes the owner that a row referenced or references.
    private func touch(
        _ owner: RecordedOwner, _ version: Version, _ id: String, joined: String = "",
        where condition: String? = nil
    ) -> String {
        let key = version.column(owner.key)
        let literal = SQLText.literal(owner.destination)
        return insertion(
            touch(
                id,
                entity: owner.entityColumn.map { "coalesce(\(version.column($0)), \(literal))" }
                    ?? literal,
                key: key, property: owner.inverse)
                + " FROM \(joined.isEmpty ? version.rawValue : Version.new.rawValue)\(joined)"
                + " WHERE \(key) IS NOT NULL"
                + (condition.map { " AND (\($0))" } ?? ""))
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

    /// The values of columns that differ. A key also differs if the entity of its object differs.
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

    /// Selects three arrays: the names of the columns that meet their conditions, and their old and
    /// new values.
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

    /// A value in the form that it has on the wire, so that no bit is lost.
    private func bytes(
        of column: String, _ version: Version, _ entity: EntityDescription
    ) -> String {
        (layout.tables[entity.rootIndex].type(of: column) ?? .text)
            .bytes(of: version.column(column))
    }
}

extension PostgresTable {
    /// The type of a column of the family; nil if the family has no such column.
    func type(of column: String) -> PostgresType? {
        columns.first { $0.name == column }?.type
    }
}
