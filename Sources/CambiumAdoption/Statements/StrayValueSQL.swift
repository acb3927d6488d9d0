import CambiumModel
import CambiumSQL

// Values in rows of objects whose entity does not have the property: all entities of a hierarchy
// share a table, and Core Data reads and writes such columns for the others only. The default in
// such a row is what a migration of Core Data's gave to all rows, and no loss.
extension ObjectAdoptionSQL {
    /// A property of some entities of the hierarchy, and the rows of others that have a value of it.
    struct Strays: Sendable {
        /// The entity that declares it.
        let entity: Entity
        /// Its name.
        let property: String
        /// Whether it is a relationship.
        let isLink: Bool
        /// Key, entity number and value of the rows that are in our store.
        let query: String
        fileprivate let condition: String
    }

    /// What may be astray.
    var strays: [Strays] {
        let attributes = object.attributes.map {
            (
                entity: $0.entity, name: $0.attribute.name, column: $0.column,
                attribute: Optional($0.attribute)
            )
        }
        let keys = object.keys.filter { key in
            // Those that our store keeps at the other side are compared with that.
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
            return Strays(
                entity: entity, property: name, isLink: attribute == nil,
                query: "SELECT s.\"Z_PK\", s.\"Z_ENT\", \(value) FROM \(from) "
                    + "WHERE \(condition) AND \(isCopied)",
                condition: condition)
        }
    }

    private func isNoDefault(_ value: String, of attribute: Attribute) -> String? {
        layout.model.sqlDefault(of: attribute).map { content in
            let adopted = AdoptedValue(model: layout.model).sql(of: value, for: attribute)
            guard attribute.type == .float, case .real(let number) = content else {
                return " AND (\(adopted)) IS NOT \(SQLText.literal(content))"
            }
            // Core Data stores a float in twice the bits: the same is all that rounds to it.
            let float = Float(number)
            let bounds = [float.nextDown, float.nextUp].map { other in
                SQLText.literal(.real((Double(float) + Double(other)) / 2))
            }
            return " AND coalesce((\(adopted)) NOT BETWEEN \(bounds[0]) AND \(bounds[1]), 1)"
        }
    }

    /// Queries of whether any row has one, all in few scans of the table.
    func areThere(_ strays: [Strays]) -> [String] {
        // SQLite takes expressions of no more than a thousand parts, one in the other.
        let size = 400
        return stride(from: 0, to: strays.count, by: size).map { start in
            let conditions = strays[start..<min(start + size, strays.count)]
                .map { "(\($0.condition))" }.joined(separator: " OR ")
            return "SELECT EXISTS (SELECT 1 FROM \(from) WHERE \(conditions))"
        }
    }

    /// Key and entity number of the objects whose place beside a key is no number; nil where there are
    /// no places.
    func oddPlaces(_ key: CoreDataLayout.KeySource) -> String? {
        guard let column = key.column, let places = key.positionColumn else { return nil }
        return "SELECT s.\"Z_PK\", s.\"Z_ENT\" FROM \(from) "
            + "WHERE typeof(s.\(SQLText.identifier(places))) NOT IN ('integer', 'null') "
            + "AND s.\(SQLText.identifier(column)) IS NOT NULL"
            + (isOf(key.entity).map { " AND \($0)" } ?? "")
            + " AND \(isCopied)"
    }
}
