import CambiumModel
import CambiumSQL

/// The statements that copy the objects of a table of Core Data into one of ours. Core Data's
/// database is attached as `source`.
struct ObjectCopySQL: Sendable {
    /// The name under which Core Data's database is attached.
    static let source = "source"

    /// Attaches a database (parameter 1).
    static let attach = "ATTACH ? AS \"\(source)\""
    /// Detaches it.
    static let detach = "DETACH \"\(source)\""

    let layout: CoreDataLayout
    let object: CoreDataLayout.ObjectSource
    let table: Table
    var from: String {
        "\(SQLText.identifier(Self.source)).\(SQLText.identifier(object.table)) AS s NOT INDEXED"
    }

    /// Copies all rows.
    var copy: String {
        let columns = table.columns.filter { !$0.isGenerated }
            .compactMap { column in value(of: column).map { (column.name, $0) } }
        let names = columns.map { SQLText.identifier($0.0) }.joined(separator: ", ")
        let values = columns.map(\.1).joined(separator: ",\n    ")
        return "INSERT INTO \(SQLText.identifier(table.name)) (\(names))\nSELECT \(values)\n"
            + "FROM \(from)\nWHERE \(isKnown)"
    }

    /// Copies the rows with keys between parameters 1 and 2. Unlike ``copy`` it accepts rows with a
    /// position in a list that is not a number, see ``invalidPositions(_:)``.
    var copyPart: String {
        var part = self
        part.skipsInvalidPositions = true
        return part.copy + " AND s.\"Z_PK\" BETWEEN ?1 AND ?2"
    }

    private(set) var skipsInvalidPositions = false

    /// One row of numbers: how many rows there are, the least and the greatest key. Unlike
    /// ``counts`` it does not read the rows.
    var extent: String {
        "SELECT (SELECT count(*) FROM \(from)), (SELECT min(s.\"Z_PK\") FROM \(from)), "
            + "(SELECT max(s.\"Z_PK\") FROM \(from))"
    }

    /// One row of numbers: the number of rows, the least and the greatest key, the number of rows
    /// of each entity, and the number of rows with a key for each of
    /// ``CoreDataLayout/ObjectSource/keys``.
    var counts: String {
        let entities = object.entities.map { entity in
            let isOfEntity =
                object.otherNumbers == nil ? "s.\"Z_ENT\" = \(entity.number)" : isOfKnownEntity
            return "coalesce(sum(\(isOfEntity)), 0)"
        }
        let keys = object.keys.map { key in
            key.column.map { "count(s.\(SQLText.identifier($0)))" } ?? "0"
        }
        let all = ["count(*)", "min(s.\"Z_PK\")", "max(s.\"Z_PK\")"]
        return "SELECT \((all + entities + keys).joined(separator: ", ")) FROM \(from)"
    }

    /// The keys and entity numbers of rows of unknown entities. All columns are read, so that
    /// damage is found and not mistaken for a row of another entity.
    var unknownRows: String {
        "SELECT s.\"Z_PK\", s.\"Z_ENT\", s.* FROM \(from) WHERE \(isKnown) IS NOT 1"
    }

    /// The entity numbers of rows that are imported although their number is another version's, and
    /// the number of rows with each; nil if no row can be.
    var rowsOfOtherNumbers: String? {
        guard object.otherNumbers != nil, let entity = object.entities.first else { return nil }
        return "SELECT s.\"Z_ENT\", count(*) FROM \(from) "
            + "WHERE s.\"Z_ENT\" <> \(entity.number) AND \(isKnown) GROUP BY 1 ORDER BY 1"
    }

    /// The entity number of the row of a key (parameter 1).
    var entityNumber: String {
        "SELECT s.\"Z_ENT\" FROM \(from) WHERE s.\"Z_PK\" = ?1"
    }

    /// The attributes with values that may become nil because they cannot be read, each with a
    /// query of the keys of these rows, and whether their value is JSON of another type.
    var unreadable: [(entity: Entity, attribute: Attribute, query: String)] {
        object.attributes.compactMap { source in
            guard ImportedValueSQL.mayBecomeNil(source.attribute), let column = source.column else {
                return nil
            }
            let name = layout.model.column(of: source.attribute.name, in: source.entity)
            return (
                source.entity, source.attribute,
                "SELECT t.\"_id\", "
                    + ImportedValueSQL.json(of: "s.\(SQLText.identifier(column))", as: "")
                    + " IS NOT NULL FROM \(SQLText.identifier(table.name)) AS t "
                    + "JOIN \(from) ON s.\"Z_PK\" = t.\"_id\" "
                    + "WHERE t.\(SQLText.identifier(name)) IS NULL "
                    + "AND s.\(SQLText.identifier(column)) IS NOT NULL"
                    + (isOf(source.entity).map { " AND \($0)" } ?? "")
            )
        }
    }

    /// The decimal attributes, each with a query of the keys of the copied rows with NaN.
    var notANumber: [(attribute: Attribute, query: String)] {
        object.attributes.compactMap { source in
            switch source.attribute.type {
            case .decimal, .anyDecimal: break
            default: return nil
            }
            guard let column = source.column else { return nil }
            return (
                source.attribute,
                "SELECT s.\"Z_PK\" FROM \(from) "
                    + "WHERE \(ImportedValueSQL.isNaN("s.\(SQLText.identifier(column))"))"
                    + (isOf(source.entity).map { " AND \($0)" } ?? "") + " AND \(isCopied)"
            )
        }
    }

    /// Queries the type and value of an attribute in the row of a key (parameter 1): the beginning
    /// of a string, and the length of bytes. nil if the store has no column for the attribute.
    func valueQuery(_ attribute: String, of entity: Entity?) -> String? {
        let source = object.attributes.first {
            $0.attribute.name == attribute && (entity == nil || isMember(entity, of: $0.entity))
        }
        guard let column = source?.column.map({ "s.\(SQLText.identifier($0))" }) else { return nil }
        return "SELECT typeof(\(column)), CASE typeof(\(column)) "
            + "WHEN 'text' THEN substr(\(column), 1, \(Self.shownLength + 1)) "
            + "WHEN 'blob' THEN length(\(column)) ELSE \(column) END FROM \(from) "
            + "WHERE s.\"Z_PK\" = ?1"
    }

    /// The number of characters of a text that are shown.
    static let shownLength = 40

    private func isMember(_ entity: Entity?, of declaring: Entity) -> Bool {
        entity.map { layout.model.lineage(of: $0).contains { $0.name == declaring.name } } ?? true
    }

    /// The attributes with values that may be in files. Each element has a query of the key, the
    /// entity and the name of the file as bytes, and a statement that sets the value (parameter 2)
    /// in the row with a key (parameter 1).
    var external: [(entity: Entity, attribute: Attribute, query: String, update: String)] {
        let file = SQLText.literal(.blob(Data([ExternalForm.file])))
        let name = SQLText.identifier(table.name)
        let entity =
            layout.model.hasSubentities(object.root)
            ? SQLText.identifier(SystemColumn.entity)
            : SQLText.literal(.text(object.root.name))
        return object.attributes.filter { $0.attribute.usesExternalForm }.map { source in
            let column = SQLText.identifier(
                layout.model.column(of: source.attribute.name, in: source.entity))
            return (
                source.entity, source.attribute,
                "SELECT \"_id\", \(entity), substr(\(column), 2) FROM \(name) "
                    + "WHERE substr(\(column), 1, 1) = \(file)",
                "UPDATE \(name) SET \(column) = ?2 WHERE \"_id\" = ?1"
            )
        }
    }

    /// Sets the next key to assign (parameter 1).
    var setNextKey: String {
        "UPDATE \"_keys\" SET \"next\" = ?1 WHERE \"entity\" = "
            + SQLText.literal(.text(object.root.name))
    }

    /// The greatest key, except implausibly great ones: after a damaged key no further key could be
    /// assigned.
    var lastKey: String {
        "SELECT coalesce(max(\"_id\"), 0) FROM \(SQLText.identifier(table.name)) "
            + "WHERE \"_id\" < \(Int64(1) << 60)"
    }

    // MARK: Values

    /// Damage may have made anything of a version.
    private static let isVersion =
        "s.\"Z_OPT\" BETWEEN 2 AND \(Int64(1) << 60) AND typeof(s.\"Z_OPT\") = 'integer'"

    /// Whether a row is of an entity or of one below it; nil if all rows are.
    func isOf(_ entity: Entity) -> String? {
        guard entity.parent != nil else { return nil }
        let family = Set(layout.model.family(of: entity).map(\.name))
        let numbers = object.entities.filter { family.contains($0.entity.name) }
            .map { "\($0.number)" }.joined(separator: ", ")
        return "s.\"Z_ENT\" IN (\(numbers))"
    }

    /// Whether a row is one of an object of the version's.
    private var isKnown: String { "(\(isOfKnownEntity) AND s.\"Z_PK\" > 0)" }

    private var isOfKnownEntity: String {
        func list(_ numbers: [Int64]) -> String {
            numbers.map { "\($0)" }.joined(separator: ", ")
        }
        guard let others = object.otherNumbers else {
            return "s.\"Z_ENT\" IN (\(list(object.entities.map(\.number))))"
        }
        return "(typeof(s.\"Z_ENT\") = 'integer' "
            + "AND s.\"Z_ENT\" BETWEEN 1 AND \(CoreDataCatalogue.firstSystemNumber - 1) "
            + "AND s.\"Z_ENT\" NOT IN (\(list(others))))"
    }

    /// Whether our store has the row.
    var isCopied: String {
        "EXISTS (SELECT 1 FROM \(SQLText.identifier(table.name)) AS t "
            + "WHERE t.\"_id\" = s.\"Z_PK\")"
    }

    /// SQL for the values of one of our columns; nil if they are not copied. If a column belongs to
    /// an entity, only rows of its objects are copied.
    private func value(of column: Table.Column) -> String? {
        guard let value = storedValue(of: column) else { return nil }
        guard let condition = owner(of: column).flatMap(isOf) else { return value }
        return "CASE WHEN \(condition) THEN \(value) END"
    }

    private func owner(of column: Table.Column) -> Entity? {
        switch column.content {
        case .system, .entity: return nil
        case .attribute(let name, _), .key(let name, _), .entityOfKey(let name, _):
            return layout.model.entity(named: name)
        case .position(let name, let relationship):
            // The positions are stored beside the key of the inverse.
            return layout.model.entity(named: name)
                .flatMap { layout.model.relationship(relationship, of: $0) }
                .flatMap { layout.model.inverse(of: $0)?.entity }
        }
    }

    private func storedValue(of column: Table.Column) -> String? {
        switch column.content {
        case .system:
            return column.name == SystemColumn.key
                ? "s.\"Z_PK\"" : "CASE WHEN \(Self.isVersion) THEN s.\"Z_OPT\" ELSE 1 END"
        case .entity:
            return entityName(of: "s.\"Z_ENT\"", among: object.entities)
        case .attribute(let entity, let name):
            return attribute(name, of: entity)
        case .key(let entity, let name):
            return key(name, of: entity)?.column.map { "s.\(SQLText.identifier($0))" }
        case .entityOfKey(let entity, let name):
            return key(name, of: entity).flatMap(entityOfKey)
        case .position(let entity, let name):
            // The positions are stored beside the key of the inverse.
            guard let entity = layout.model.entity(named: entity),
                let ordered = layout.model.relationship(name, of: entity),
                let inverse = layout.model.inverse(of: ordered),
                let key = key(inverse.relationship.name, of: inverse.entity.name),
                let positions = key.positionColumn
            else { return nil }
            let position = "s.\(SQLText.identifier(positions))"
            return skipsInvalidPositions
                ? "CASE typeof(\(position)) WHEN 'integer' THEN \(position) END" : position
        }
    }

    private func attribute(_ name: String, of entity: String) -> String? {
        guard
            let source = object.attributes.first(where: {
                $0.entity.name == entity && $0.attribute.name == name
            })
        else { return nil }
        if let column = source.column {
            return ImportedValueSQL(model: layout.model)
                .sql(of: "s.\(SQLText.identifier(column))", for: source.attribute)
        }
        // The store does not have the column: the value is the model's default for new objects.
        guard let value = layout.model.sqlDefault(of: source.attribute) else { return nil }
        return SQLText.literal(value)
    }

    private func key(_ name: String, of entity: String) -> CoreDataLayout.KeySource? {
        object.keys.first { $0.entity.name == entity && $0.relationship.name == name }
    }

    /// The name of the entity that a key references: the store may keep its number beside the key.
    private func entityOfKey(_ key: CoreDataLayout.KeySource) -> String? {
        guard let column = key.column,
            let destination = layout.model.entity(named: key.relationship.destination),
            let target = layout.objects.first(where: {
                $0.root.name == layout.model.root(of: destination).name
            })
        else { return nil }
        if let entityColumn = key.entityColumn {
            return entityName(of: "s.\(SQLText.identifier(entityColumn))", among: target.entities)
        }
        let name = entityName(of: "d.\"Z_ENT\"", among: target.entities)
        return "(SELECT \(name) FROM \(SQLText.identifier(Self.source))."
            + "\(SQLText.identifier(target.table)) AS d WHERE d.\"Z_PK\" = "
            + "s.\(SQLText.identifier(column)))"
    }

    private func entityName(
        of number: String, among entities: [(entity: Entity, number: Int64)]
    ) -> String {
        guard !entities.isEmpty else { return "NULL" }
        let cases = entities.map {
            "WHEN \($0.number) THEN \(SQLText.literal(.text($0.entity.name)))"
        }
        return "CASE \(number) \(cases.joined(separator: " ")) END"
    }
}
