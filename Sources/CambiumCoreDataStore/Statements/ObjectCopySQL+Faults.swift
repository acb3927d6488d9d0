import CambiumModel
import CambiumSQL

// Values in rows of objects that do not have the property. All entities of a hierarchy share a
// table, and Core Data reads and writes such columns only for the other entities. If such a row has
// the default, a migration of Core Data wrote it to all rows, and it is not a loss.
extension ObjectCopySQL {
    /// A property of some entities of the hierarchy, and the rows of others that have a value of
    /// it.
    struct StrayValues: Sendable {
        /// The entity that declares it.
        let entity: Entity
        /// The name of the property.
        let property: String
        /// Whether the property is a relationship.
        let isLink: Bool
        /// Key, entity number and value of the rows that are in our store.
        let query: String
        fileprivate let condition: String
    }

    /// The values that may be stray.
    var strays: [StrayValues] {
        let attributes = object.attributes.map {
            (
                entity: $0.entity, name: $0.attribute.name, column: $0.column,
                attribute: Optional($0.attribute)
            )
        }
        let keys = object.keys.filter { key in
            // Relationships that our store keeps at the other side are compared with that side.
            if case .key = layout.model.storage(of: key.relationship, of: key.entity) {
                return true
            }
            return false
        }.map {
            (
                entity: $0.entity, name: $0.relationship.name, column: $0.column,
                attribute: Attribute?.none
            )
        }
        return (attributes + keys).compactMap { entity, name, column, attribute in
            guard let column, let isOf = isOf(entity) else { return nil }
            let value = "s.\(SQLText.identifier(column))"
            let condition =
                "\(value) IS NOT NULL AND NOT \(isOf)"
                + (attribute.flatMap { isNoDefault(value, of: $0) } ?? "")
            return StrayValues(
                entity: entity, property: name, isLink: attribute == nil,
                query: "SELECT s.\"Z_PK\", s.\"Z_ENT\", \(value) FROM \(from) "
                    + "WHERE \(condition) AND \(isCopied)",
                condition: condition)
        }
    }

    private func isNoDefault(_ value: String, of attribute: Attribute) -> String? {
        layout.model.sqlDefault(of: attribute).map { content in
            let imported = ImportedValueSQL(model: layout.model).sql(of: value, for: attribute)
            guard attribute.type == .float, case .real(let number) = content else {
                return " AND (\(imported)) IS NOT \(SQLText.literal(content))"
            }
            // Core Data stores a float as a double, so all values that round to it are equal.
            let float = Float(number)
            let bounds = [float.nextDown, float.nextUp].map { other in
                SQLText.literal(.real((Double(float) + Double(other)) / 2))
            }
            return " AND coalesce((\(imported)) NOT BETWEEN \(bounds[0]) AND \(bounds[1]), 1)"
        }
    }

    /// Queries of whether any row has one, all in few scans of the table.
    func exist(_ strays: [StrayValues]) -> [String] {
        // SQLite accepts expressions with a depth of at most a thousand.
        let size = 400
        return stride(from: 0, to: strays.count, by: size).map { start in
            let conditions = strays[start..<min(start + size, strays.count)]
                .map { "(\($0.condition))" }.joined(separator: " OR ")
            return "SELECT EXISTS (SELECT 1 FROM \(from) WHERE \(conditions))"
        }
    }

    /// Key and entity number of the objects with a position beside a key that is not a number; nil
    /// if there are no positions.
    func invalidPositions(_ key: CoreDataLayout.KeySource) -> String? {
        guard let column = key.column, let positions = key.positionColumn else { return nil }
        return "SELECT s.\"Z_PK\", s.\"Z_ENT\" FROM \(from) "
            + "WHERE typeof(s.\(SQLText.identifier(positions))) NOT IN ('integer', 'null') "
            + "AND s.\(SQLText.identifier(column)) IS NOT NULL"
            + (isOf(key.entity).map { " AND \($0)" } ?? "")
            + " AND \(isCopied)"
    }
}

// Links of a one-to-one relationship that only one of the two rows in Core Data's tables has.
extension ObjectCopySQL {
    /// The links of a one-to-one relationship that our store keeps at the other side, and that only
    /// this side has in Core Data's table. Nil for other relationships.
    ///
    /// The columns are the key, the entity number, the target, and three Boolean values: whether
    /// the new store has the object, the target, and an object of any entity with the target's key.
    func oneSided(_ key: CoreDataLayout.KeySource) -> String? {
        let model = layout.model
        guard let column = key.column,
            case .inverseKey(let owner) = model.storage(of: key.relationship, of: key.entity),
            let destination = model.entity(named: key.relationship.destination)
        else { return nil }
        let target = KeyCheckSQL.object(
            of: destination, key: "s.\(SQLText.identifier(column))", in: model)
        return "SELECT s.\"Z_PK\", s.\"Z_ENT\", s.\(SQLText.identifier(column)), "
            + "EXISTS (SELECT 1 FROM \(SQLText.identifier(table.name)) AS t "
            + "WHERE t.\"_id\" = s.\"Z_PK\"), EXISTS (\(target)), EXISTS (SELECT 1 FROM "
            + "\(SQLText.identifier(model.root(of: destination).name)) AS o "
            + "WHERE o.\"_id\" = s.\(SQLText.identifier(column))) FROM \(from) "
            + "WHERE s.\(SQLText.identifier(column)) IS NOT NULL AND NOT EXISTS (SELECT 1 FROM "
            + "\(SQLText.identifier(model.root(of: destination).name)) AS o "
            + "WHERE o.\"_id\" = s.\(SQLText.identifier(column)) "
            + "AND o.\(SQLText.identifier(owner)) = s.\"Z_PK\")"
    }

    /// Selects the objects that have no key of a one-to-one relationship in Core Data's store, but
    /// a link in the new store, because the other object has the key. The columns are the key, the
    /// entity number, and the key of the other object. The result is nil for other relationships.
    func completed(_ key: CoreDataLayout.KeySource) -> String? {
        let model = layout.model
        guard let column = key.column, let inverse = model.inverse(of: key.relationship),
            !inverse.relationship.isToMany
        else { return nil }
        let objects: String
        switch model.storage(of: key.relationship, of: key.entity) {
        case .inverseKey(let owner):
            objects =
                "JOIN \(SQLText.identifier(model.root(of: inverse.entity).name)) AS o "
                + "ON o.\(SQLText.identifier(owner)) = s.\"Z_PK\""
        case .key(let own, _)
        where (inverse.relationship, inverse.entity) == (key.relationship, key.entity):
            objects =
                "JOIN (SELECT \"_id\" AS \"k\", \(SQLText.identifier(own)) AS \"_id\" FROM "
                + "\(SQLText.identifier(table.name)) WHERE \(SQLText.identifier(own)) IS NOT NULL) AS o "
                + "ON o.\"k\" = s.\"Z_PK\""
        default: return nil
        }
        return "SELECT s.\"Z_PK\", s.\"Z_ENT\", o.\"_id\" FROM \(from) \(objects) "
            + "WHERE s.\(SQLText.identifier(column)) IS NULL"
    }
}

// Strings that may be invalid as URIs: Core Data accepts some that are invalid here.
extension ObjectCopySQL {
    /// An attribute of URIs, and the rows of our store that are to be looked at.
    struct DoubtfulURIs: Sendable {
        /// The attribute.
        let attribute: Attribute
        /// Key and text of the rows with a text that may be invalid as a URI.
        let query: String
    }

    /// The attributes of URIs.
    var doubtfulURIs: [DoubtfulURIs] {
        object.attributes.filter { $0.attribute.type == .uri && $0.column != nil }.map { source in
            let name = SQLText.identifier(
                layout.model.column(of: source.attribute.name, in: source.entity))
            // A host name without a port is always valid. The text after it is escaped.
            let isPlain = ["http", "https"].map { "\(name) GLOB '\($0)://[a-zA-Z0-9]*'" }
            return DoubtfulURIs(
                attribute: source.attribute,
                query: "SELECT \"_id\", \(name) FROM \(SQLText.identifier(table.name)) NOT INDEXED "
                    + "WHERE \(name) IS NOT NULL AND (instr(substr(\(name), 9), ':') <> 0 "
                    + "OR instr(substr(\(name), 9), '[') <> 0 "
                    + "OR NOT (\(isPlain.joined(separator: " OR "))))")
        }
    }

    /// Deletes a row of our store (parameter 1).
    var remove: String {
        "DELETE FROM \(SQLText.identifier(table.name)) WHERE \"_id\" = ?1"
    }
}
