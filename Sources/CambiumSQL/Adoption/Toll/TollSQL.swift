import CambiumModel

/// The queries that count what a step between two versions takes.
struct TollSQL {
    private let difference: ModelDifference
    private var match: ModelMatch { difference.match }
    private var old: Model { difference.old }
    private var new: Model { difference.new }

    private static let none = "SELECT 0"

    init(_ difference: ModelDifference) {
        self.difference = difference
    }

    /// The objects that a drop by a condition takes.
    func objects(_ drop: ModelMatch.ConditionalDrop) -> String {
        "SELECT count(*) FROM \(SQLText.identifier(old.root(of: drop.entity).name)) "
            + "WHERE \(drop.sql)"
    }

    func measure(of change: ModelChange) -> MigrationToll.Measure {
        switch change {
        case .entityDropped(let entity):
            return .objects([entity])
        case .duplicatesDropped(let name, _):
            let family = new.entity(named: name).map(new.family) ?? []
            return .objects(Set(family.compactMap { match.oldEntity(of: $0)?.name }))
        case .attributeDropped(let name, let attribute):
            return .counted(values(attribute, of: formerEntity(name)), .values)
        case .attributeRevised(let name, let attribute):
            let former = match.former(.init(entity: name, property: attribute))
            return .counted(
                values(
                    former?.property ?? attribute,
                    of: former.flatMap { old.entity(named: $0.entity) } ?? formerEntity(name)),
                .values)
        case .caseDropped(let enumeration, let name, _):
            return .counted(values(of: name, in: enumeration), .values)
        case .relationshipDropped(let name, let relationship, _):
            return .counted(links(relationship, of: formerEntity(name)), .links)
        case .linksDropped(let name, let relationship):
            let former = match.former(.init(entity: name, property: relationship))
            return .counted(
                surplus(
                    former?.property ?? relationship,
                    of: former.flatMap { old.entity(named: $0.entity) } ?? formerEntity(name)),
                .links)
        case .orderChanged(let name, let relationship, _):
            let former = match.former(.init(entity: name, property: relationship))
            return .counted(
                links(
                    former?.property ?? relationship,
                    of: former.flatMap { old.entity(named: $0.entity) } ?? formerEntity(name)),
                .links)
        default:
            // Nothing else takes anything; if it did, it would have to be told.
            return .counted("SELECT 1", .values)
        }
    }

    /// Changes have the new names, and drops those of what is dropped.
    private func formerEntity(_ name: String) -> Entity? {
        new.entity(named: name).flatMap(match.oldEntity) ?? old.entity(named: name)
    }

    // MARK: Values

    private func values(_ name: String, of entity: Entity?) -> String {
        guard let entity else { return Self.none }
        let owners = old.lineage(of: entity)
        let columns = owners.flatMap { owner in
            owner.attributes.filter {
                ($0.name == name || $0.name.hasPrefix(name + ".")) && !$0.isTransient
            }.map { "count(t.\(SQLText.identifier(old.column(of: $0.name, in: owner))))" }
        }
        guard !columns.isEmpty else { return Self.none }
        let rows = EntityRows(of: entity, in: old)
        return "SELECT \(columns.joined(separator: " + ")) FROM \(rows.table) AS t "
            + "WHERE \(rows.isMeant)1"
    }

    /// The values of a case of an enumeration.
    private func values(of name: String, in enumeration: String) -> String {
        guard
            let found = old.enumeration(named: enumeration)?.cases.first(where: { $0.name == name })
        else { return Self.none }
        let counts = old.entities.flatMap { entity in
            entity.attributes.compactMap { attribute -> String? in
                guard attribute.type == .enumeration(enumeration), !attribute.isTransient,
                    let value = old.stored(found.rawValue, as: attribute.type)
                else { return nil }
                return "(SELECT count(*) FROM \(SQLText.identifier(old.root(of: entity).name)) "
                    + "WHERE \(SQLText.identifier(old.column(of: attribute.name, in: entity))) = "
                    + SQLText.literal(value) + ")"
            }
        }
        return counts.isEmpty ? Self.none : "SELECT " + counts.joined(separator: " + ")
    }

    // MARK: Links

    /// All relationships of the old version that are kept, each pair of inverses once.
    var links: [MigrationToll.Links] {
        old.entities.flatMap { entity in
            entity.relationships.compactMap { relationship -> MigrationToll.Links? in
                switch old.storage(of: relationship, of: entity) {
                case .key, .joinTable(_, "_source", _): break
                default: return nil
                }
                let ends =
                    [ModelMatch.PropertyName(entity: entity.name, property: relationship.name)]
                    + [old.inverse(of: relationship)].compactMap(\.self).map {
                        ModelMatch.PropertyName(
                            entity: $0.entity.name, property: $0.relationship.name)
                    }
                let heir = ends.lazy.compactMap { match.successor($0) }.first
                let after = heir.flatMap { heir in
                    new.entity(named: heir.entity).map {
                        Self.count(of: heir.property, in: $0, new)
                    }
                }
                // What has moved within its hierarchy is under another name.
                let moved = Set(match.moves.values.flatMap(\.values))
                if after == nil, ends.contains(where: moved.contains) { return nil }
                return .init(
                    entity: entity.name, relationship: relationship.name,
                    before: Self.count(of: relationship.name, in: entity, old), after: after)
            }
        }
    }

    private func links(_ name: String, of entity: Entity?) -> String {
        entity.map { Self.count(of: name, in: $0, old) } ?? Self.none
    }

    /// How many links there are; those of a relationship that is its own inverse are there twice.
    private static func count(of name: String, in entity: Entity, _ model: Model) -> String {
        guard let relationship = model.relationship(name, of: entity) else { return none }
        let inverse = model.inverse(of: relationship)
        let isSymmetric = inverse?.relationship == relationship
        let table = SQLText.identifier(model.root(of: entity).name)
        switch model.storage(of: relationship, of: entity) {
        case .key(let column, _):
            let key = SQLText.identifier(column)
            return isSymmetric
                ? "SELECT count(*) FROM \(table) WHERE \(key) >= \"_id\""
                : "SELECT count(\(key)) FROM \(table)"
        case .inverseKey(let column):
            guard let inverse else { return none }
            return "SELECT count(\(SQLText.identifier(column))) FROM "
                + SQLText.identifier(model.root(of: inverse.entity).name)
        case .joinTable(let name, let source, let destination):
            return "SELECT count(*) FROM \(SQLText.identifier(name))"
                + (isSymmetric
                    ? " WHERE \(SQLText.identifier(source)) <= \(SQLText.identifier(destination))"
                    : "")
        case .transient:
            return none
        }
    }

    /// How many links of a to-many objects have beyond the first.
    private func surplus(_ name: String, of entity: Entity?) -> String {
        guard let entity, let relationship = old.relationship(name, of: entity) else {
            return Self.none
        }
        switch old.storage(of: relationship, of: entity) {
        case .joinTable(let table, let source, _):
            return "SELECT count(*) - count(DISTINCT \(SQLText.identifier(source))) FROM "
                + SQLText.identifier(table)
        case .inverseKey(let column):
            guard let inverse = old.inverse(of: relationship) else { return Self.none }
            let key = SQLText.identifier(column)
            return "SELECT count(\(key)) - count(DISTINCT \(key)) FROM "
                + SQLText.identifier(old.root(of: inverse.entity).name)
        case .key(let column, _):
            // The other end is the one of which one link is kept.
            let key = SQLText.identifier(column)
            return "SELECT count(\(key)) - count(DISTINCT \(key)) FROM "
                + SQLText.identifier(old.root(of: entity).name)
        case .transient:
            return Self.none
        }
    }
}
