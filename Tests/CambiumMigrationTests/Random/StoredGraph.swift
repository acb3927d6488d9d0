import CambiumModel
import CambiumSQLite

@testable import MigrationTestSupport

/// The objects of a store and the links between them, by what they are in a ``RandomModel``.
struct StoredGraph {
    struct Reference: Hashable {
        /// The root entity.
        let root: String
        let key: Int64
    }

    struct Object {
        let entity: String
        let version: StoredValue
        var values: [String: StoredValue]
    }

    /// A link, with its places in the lists of both ends.
    struct Link {
        let source: Reference
        let destination: Reference
        let places: (ofSource: Int64?, ofDestination: Int64?)
    }

    private(set) var objects: [Reference: Object] = [:]
    private(set) var links: [String: [Link]] = [:]

    /// Reads a store.
    init(of random: RandomModel, _ model: Model, in connection: Connection) throws {
        for kind in random.kinds { try readObjects(of: kind, random, model, connection) }
        for link in random.links { try readLinks(link, random, model, connection) }
    }

    private mutating func readObjects(
        of kind: RandomModel.Kind, _ random: RandomModel, _ model: Model, _ connection: Connection
    ) throws {
        guard let entity = model.entity(named: kind.name) else { return }
        let attributes = random.attributes(of: kind)
        let root = model.root(of: entity)
        let columns = attributes.compactMap { attribute in
            model.entity(named: attribute.owner.name).map { owner in
                "\"\(model.column(of: attribute.name, in: owner))\""
            }
        }
        let rows = try connection.rows(
            "SELECT \((["_id", "_version"] + columns).joined(separator: ", ")) FROM \"\(root.name)\""
                + (model.hasSubentities(root) ? " WHERE \"_entity\" = '\(kind.name)'" : ""))
        for row in rows {
            guard case .integer(let key) = row[0] else { continue }
            let values = zip(attributes, row[2...]).map { attribute, value in
                (attribute.id, attribute.isExternal ? value.withoutExternalForm : value)
            }
            objects[Reference(root: random.root(of: kind).id, key: key)] = Object(
                entity: kind.id, version: row[1],
                values: Dictionary(values, uniquingKeysWith: { first, _ in first }))
        }
    }

    private mutating func readLinks(
        _ link: RandomModel.Link, _ random: RandomModel, _ model: Model, _ connection: Connection
    ) throws {
        guard let source = random.kind(named: link.source),
            let destination = random.kind(named: link.destination),
            let entity = model.entity(named: link.source),
            let relationship = entity.relationships.first(where: { $0.name == link.name })
        else { return }
        let place: (table: String, source: String, destination: String)
        switch model.storage(of: relationship, of: entity) {
        case .key(let column, _): place = (model.root(of: entity).name, "_id", column)
        case .inverseKey(let column):
            place = (random.root(of: destination).name, column, "_id")
        case .joinTable(let name, let source, let destination):
            place = (name, source, destination)
        case .transient: return
        }
        let positions = [
            model.positionColumn(of: relationship, of: entity),
            model.inverse(of: relationship).flatMap {
                model.positionColumn(of: $0.relationship, of: $0.entity)
            },
        ].map { $0.map { "\"\($0)\"" } ?? "NULL" }
        let rows = try connection.rows(
            """
            SELECT "\(place.source)", "\(place.destination)", \(positions[0]), \(positions[1]) \
            FROM "\(place.table)" \
            WHERE "\(place.source)" IS NOT NULL AND "\(place.destination)" IS NOT NULL
            """)
        let roots = (random.root(of: source).id, random.root(of: destination).id)
        links[link.id] = rows.compactMap { row in
            guard case .integer(let first) = row[0], case .integer(let second) = row[1] else {
                return nil
            }
            return Link(
                source: Reference(root: roots.0, key: first),
                destination: Reference(root: roots.1, key: second),
                places: (row[2].number, row[3].number))
        }
    }
}

extension StoredGraph.Link: CustomStringConvertible {
    /// The keys, and the places.
    var description: String {
        let places = [places.ofSource, places.ofDestination].map { $0.map(String.init) ?? "-" }
        return "\(source.key) > \(destination.key) (\(places.joined(separator: ", ")))"
    }
}

extension StoredValue {
    fileprivate var number: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }

    /// The bytes of a value that lies in the row, and not in a file.
    fileprivate var withoutExternalForm: StoredValue {
        guard case .blob(let data) = self, data.first == 1 else { return self }
        return .blob(Data(data.dropFirst()))
    }
}
