import CambiumModel
import CambiumSQL

/// The statements that find and repair keys of a to-one relationship that do not reference an
/// object of the right entity.
struct KeyCheckSQL: Sendable {
    /// The relationship.
    let relationship: Relationship
    private let table: String
    private let column: String
    private let entityColumn: String?
    private let positionColumn: String?
    private let target: String
    private let name: String
    private let destination: Entity
    private let owner: String
    private let model: Model

    /// - Parameter entity: The entity that declares the relationship.
    /// - Returns: nil if our store keeps its keys at the other side.
    init?(_ relationship: Relationship, of entity: Entity, in model: Model) {
        guard
            case .key(let column, let entityColumn) = model.storage(of: relationship, of: entity),
            let destination = model.entity(named: relationship.destination)
        else { return nil }
        let root = model.root(of: entity)
        self.relationship = relationship
        table = SQLText.identifier(root.name)
        self.column = SQLText.identifier(column)
        self.entityColumn = entityColumn.map(SQLText.identifier)
        positionColumn = model.inversePositionColumn(of: relationship, of: entity)
            .map(SQLText.identifier)
        target = Self.object(of: destination, key: "t.\(self.column)", in: model)
        self.destination = destination
        owner = entity.name
        self.model = model
        name = model.hasSubentities(root) ? "t.\"_entity\"" : SQLText.literal(.text(root.name))
    }

    /// A query that returns a row if an object of an entity has a key.
    static func object(of entity: Entity, key: String, in model: Model) -> String {
        let root = model.root(of: entity)
        var query =
            "SELECT 1 FROM \(SQLText.identifier(root.name)) AS d WHERE d.\"_id\" = \(key)"
        if entity.parent != nil {
            let names = model.family(of: entity).map { SQLText.literal(.text($0.name)) }
            query += " AND d.\"_entity\" IN (\(names.joined(separator: ", ")))"
        }
        return query
    }

    /// The number of rows with a key.
    var count: String { "SELECT count(\(column)) FROM \(table)" }

    /// Whether any key in a column references no object of an entity. Each key is looked up once,
    /// in order. If the objects' keys have no gap, no key is looked up.
    static func hasDangling(
        _ column: String, in table: String, to entity: Entity, _ model: Model
    ) -> String {
        let search =
            "EXISTS (SELECT 1 FROM (SELECT DISTINCT \(column) AS \"k\" FROM \(table) "
            + "WHERE \(column) IS NOT NULL) AS t "
            + "WHERE NOT EXISTS (\(object(of: entity, key: "t.\"k\"", in: model))))"
        guard entity.parent == nil else { return search }
        let objects = SQLText.identifier(entity.name)
        func one(_ value: String, _ table: String) -> String { "(SELECT \(value) FROM \(table))" }
        let (first, last) = (one("min(\"_id\")", objects), one("max(\"_id\")", objects))
        return "CASE WHEN \(one("count(*)", objects)) = \(last) - \(first) + 1 "
            + "AND \(one("min(\(column))", table)) >= \(first) "
            + "AND \(one("max(\(column))", table)) <= \(last) THEN 0 ELSE \(search) END"
    }

    /// Whether any key references no object, or one of another entity than beside it.
    var hasFaults: String {
        guard let entityColumn else {
            return "SELECT " + Self.hasDangling(column, in: table, to: destination, model)
        }
        // Grouping sorts, and small numbers are sorted faster than names. An index has no entities,
        // and would be read beside the table.
        let cases = model.family(of: destination).enumerated().map { number, entity in
            "WHEN \(SQLText.literal(.text(entity.name))) THEN \(number)"
        }.joined(separator: " ")
        return "SELECT EXISTS (SELECT 1 FROM (SELECT \(column), CASE \(entityColumn) \(cases) END "
            + "AS \"e\" FROM \(table) NOT INDEXED WHERE \(column) IS NOT NULL GROUP BY 1, 2) AS t "
            + "WHERE NOT EXISTS (\(target) AND CASE d.\"_entity\" \(cases) END IS t.\"e\"))"
    }

    /// The root of the entity of the referenced objects.
    var destinationRoot: Entity { model.root(of: destination) }

    /// The same by a map of the referenced objects (parameter 1): a byte for each key from 1 on,
    /// see ``EntityMapSQL``. Nil if no entity is stored beside the key.
    var hasFaultsByMap: String? {
        entityColumn.map { entityColumn in
            let byte = EntityMapSQL(destinationRoot, in: model)
                .byte(of: entityColumn, among: model.family(of: destination))
            // substr() takes the lower 32 bits of a key for the whole.
            return "SELECT EXISTS (SELECT 1 FROM \(table) NOT INDEXED WHERE \(column) IS NOT NULL "
                + "AND (\(column) NOT BETWEEN 1 AND length(?1) "
                + "OR substr(?1, \(column), 1) IS NOT \(byte)))"
        }
    }

    /// Writes beside each key the entity of the object that it references; nil if no entity is
    /// stored.
    var setEntities: String? {
        entityColumn.map { entityColumn in
            let entity = target.replacing(
                "SELECT 1", with: "SELECT d.\"_entity\"", maxReplacements: 1
            )
            .replacing("t.\(column)", with: "\(table).\(column)")
            return "UPDATE \(table) SET \(entityColumn) = (\(entity)) "
                + "WHERE \(column) IS NOT NULL AND \(entityColumn) IS NOT (\(entity))"
        }
    }

    /// Key, entity and target of the rows with a key that references no object.
    var dangling: String {
        "SELECT t.\"_id\", \(name), t.\(column) FROM \(table) AS t "
            + "WHERE t.\(column) IS NOT NULL AND NOT EXISTS (\(target))"
    }

    /// Key, entity and target of the rows with a target that an earlier row references already; for
    /// a one-to-one relationship.
    var duplicates: String {
        "SELECT t.\"_id\", \(name), t.\(column) FROM \(table) AS t WHERE t.\(column) IS NOT NULL "
            + "AND EXISTS (SELECT 1 FROM \(table) AS o WHERE o.\(column) = t.\(column) "
            + "AND o.\"_id\" < t.\"_id\")"
    }

    /// The entity of the object with a key (parameter 1), in any entity of the hierarchy.
    var entityOfObject: String {
        let name =
            model.hasSubentities(destinationRoot)
            ? "\"_entity\"" : SQLText.literal(.text(destinationRoot.name))
        return "SELECT \(name) FROM \(SQLText.identifier(destinationRoot.name)) WHERE \"_id\" = ?1"
    }

    /// Whether the relationship is a one-to-one that is its own inverse, so that both objects have
    /// a key.
    var isSymmetric: Bool {
        model.inverse(of: relationship).map {
            ($0.relationship, $0.entity.name) == (relationship, owner)
        }
            ?? false
    }

    /// Selects the one-sided links of a relationship that is its own inverse: the key, entity and
    /// target of each row whose target does not reference it, and the target of the target row.
    var oneSided: String {
        "SELECT t.\"_id\", \(name), t.\(column), o.\(column) FROM \(table) AS t JOIN \(table) AS o "
            + "ON o.\"_id\" = t.\(column) WHERE o.\(column) IS NOT t.\"_id\" ORDER BY 1"
    }

    /// Sets the key (parameter 2) in the row (parameter 1).
    var set: String { "UPDATE \(table) SET \(column) = ?2 WHERE \"_id\" = ?1" }

    /// Takes the key from the row (parameter 1).
    var clear: String {
        let columns = [column, entityColumn, positionColumn].compactMap(\.self)
            .map { "\($0) = NULL" }.joined(separator: ", ")
        return "UPDATE \(table) SET \(columns) WHERE \"_id\" = ?1"
    }

    /// Takes the row away (parameter 1).
    var remove: String { "DELETE FROM \(table) WHERE \"_id\" = ?1" }
}

/// The statements that find rows without a required link, if the relationship is a to-one with keys
/// that our store keeps at the other side.
struct RequiredInverseSQL: Sendable {
    /// The relationship.
    let relationship: Relationship
    /// The entity of the objects that have the keys.
    let owner: Entity
    /// Whether there are any.
    let hasFaults: String
    /// Key and entity of the rows.
    let missing: String
    /// Takes a row away (parameter 1).
    let remove: String

    /// - Parameter entity: The entity that declares the relationship.
    /// - Returns: nil for other relationships.
    init?(_ relationship: Relationship, of entity: Entity, in model: Model) {
        guard !relationship.isToMany, !relationship.isOptional,
            case .inverseKey(let column) = model.storage(of: relationship, of: entity),
            let owner = model.entity(named: relationship.destination)
        else { return nil }
        self.relationship = relationship
        self.owner = owner
        let all = EntityRows(of: entity, in: model)
        let rows =
            "FROM \(all.table) AS t WHERE \(all.isOfEntity)NOT EXISTS (SELECT 1 FROM "
            + "\(SQLText.identifier(model.root(of: owner).name)) AS o "
            + "WHERE o.\(SQLText.identifier(column)) = t.\"_id\")"
        hasFaults = "SELECT EXISTS (SELECT 1 \(rows))"
        missing = "SELECT t.\"_id\", \(all.entity) \(rows)"
        remove = all.remove
    }
}

/// The statements for a map of a hierarchy's objects: for each key a byte with the number of the
/// object's entity, or 0 if there is no object. A lookup in the map costs a fraction of a lookup of
/// a row.
struct EntityMapSQL: Sendable {
    private let root: Entity
    private let numbers: [String: Int]
    private var table: String { SQLText.identifier(root.name) }

    init(_ root: Entity, in model: Model) {
        self.root = root
        let names = model.family(of: root).filter { !$0.isAbstract }.map(\.name)
        numbers = Dictionary(uniqueKeysWithValues: zip(names, 1...))
    }

    /// Whether a byte is enough for the entities.
    var isPossible: Bool { numbers.count < 256 }

    /// Selects one row: the number of objects, and the greatest key.
    var extent: String {
        "SELECT (SELECT count(*) FROM \(table)), (SELECT max(\"_id\") FROM \(table))"
    }

    /// Key and byte of all objects.
    var bytes: String {
        let cases = numbers.sorted { $0.value < $1.value }.map { name, number in
            "WHEN \(SQLText.literal(.text(name))) THEN \(number)"
        }
        return "SELECT \"_id\", CASE \"_entity\" \(cases.joined(separator: " ")) END "
            + "FROM \(table) NOT INDEXED"
    }

    /// SQL for the byte of an entity name in a column; NULL if it is none of these entities.
    func byte(of column: String, among entities: [Entity]) -> String {
        let cases = entities.compactMap { entity in
            numbers[entity.name].map { number in
                "WHEN \(SQLText.literal(.text(entity.name))) THEN "
                    + SQLText.literal(.blob(Data([UInt8(truncatingIfNeeded: number)])))
            }
        }
        return cases.isEmpty ? "NULL" : "CASE \(column) \(cases.joined(separator: " ")) END"
    }
}
