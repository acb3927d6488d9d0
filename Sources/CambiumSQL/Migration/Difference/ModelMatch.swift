import CambiumModel

/// Which entities and properties of a new version are those of the old one: by name, or by the name
/// that `renamedFrom` gives. What the author declares as dropped matches nothing, so that something
/// of the same name is new.
struct ModelMatch {
    let old: Model
    let new: Model
    private(set) var problems: [MigrationProblem] = []
    private var oldEntities: [String: String] = [:]
    private var newEntities: [String: String] = [:]
    private var oldProperties: [PropertyName: PropertyName] = [:]
    private var newProperties: [PropertyName: PropertyName] = [:]

    /// A property and the entity that declares it.
    struct PropertyName: Hashable {
        let entity: String
        let property: String
    }

    init(old: Model, new: Model) {
        self.old = old
        self.new = new
        // What the author says goes before what only has the same name.
        for isExplicit in [true, false] {
            for entity in new.entities { match(entity, isExplicit: isExplicit) }
        }
        for entity in new.entities {
            guard let oldEntity = oldEntity(of: entity) else { continue }
            let attributes = entity.attributes.map { ($0.name, $0.renamedFrom) }
            let relationships = entity.relationships.map { ($0.name, $0.renamedFrom) }
            for isExplicit in [true, false] {
                match(
                    attributes, of: entity, with: oldEntity.attributes.map(\.name), of: oldEntity,
                    isExplicit: isExplicit)
                match(
                    relationships, of: entity, with: oldEntity.relationships.map(\.name),
                    of: oldEntity, isExplicit: isExplicit)
            }
        }
    }

    private mutating func match(_ entity: Entity, isExplicit: Bool) {
        guard oldEntities[entity.name] == nil else { return }
        let from = entity.renamedFrom.flatMap { old.entity(named: $0) == nil ? nil : $0 }
        if isExplicit {
            guard let from, !isDropped(from, nil) else { return }
            if let other = newEntities[from] {
                problems.append(
                    MigrationProblem(
                        entity: entity.name,
                        message: "\(entity.name) and \(other) both say renamedFrom=\"\(from)\""))
                return
            }
            pair(entity.name, from)
        } else if from == nil {
            if old.entity(named: entity.name) == nil {
                guard let missing = entity.renamedFrom else { return }
                problems.append(
                    MigrationProblem(
                        entity: entity.name,
                        message: "\(entity.name) says renamedFrom=\"\(missing)\", but version "
                            + "\(old.version) has no entity of that name"))
            } else if newEntities[entity.name] == nil, !isDropped(entity.name, nil) {
                pair(entity.name, entity.name)
            }
        }
    }

    private mutating func pair(_ newName: String, _ oldName: String) {
        oldEntities[newName] = oldName
        newEntities[oldName] = newName
    }

    private mutating func match(
        _ properties: [(name: String, renamedFrom: String?)], of entity: Entity,
        with names: [String], of oldEntity: Entity, isExplicit: Bool
    ) {
        for (name, renamedFrom) in properties {
            let newProperty = PropertyName(entity: entity.name, property: name)
            // A name that an earlier step has used up is no mistake where the new one exists.
            let from = renamedFrom.flatMap { names.contains($0) ? $0 : nil }
            let oldName = isExplicit ? from : from == nil ? name : nil
            guard let oldName, oldProperties[newProperty] == nil else { continue }
            guard names.contains(oldName) else {
                guard let renamedFrom else { continue }
                problems.append(
                    MigrationProblem(
                        entity: entity.name, property: name,
                        message: "\(entity.name).\(name) says renamedFrom=\"\(renamedFrom)\", but "
                            + "\(oldEntity.name) of version \(old.version) has no such property"))
                continue
            }
            guard !isDropped(oldEntity.name, oldName) else { continue }
            let oldProperty = PropertyName(entity: oldEntity.name, property: oldName)
            if let other = newProperties[oldProperty] {
                guard isExplicit else { continue }
                problems.append(
                    MigrationProblem(
                        entity: entity.name, property: name,
                        message: "\(entity.name).\(name) and \(other.property) both say "
                            + "renamedFrom=\"\(oldName)\""))
                continue
            }
            oldProperties[newProperty] = oldProperty
            newProperties[oldProperty] = newProperty
        }
    }

    /// Whether the author says that the data of something in the old version may go.
    func isDropped(_ entity: String, _ property: String?) -> Bool {
        new.migration?.drops.contains { $0.entity == entity && $0.property == property } ?? false
    }

    func oldEntity(of entity: Entity) -> Entity? {
        oldEntities[entity.name].flatMap(old.entity(named:))
    }

    func newEntity(of entity: Entity) -> Entity? {
        newEntities[entity.name].flatMap(new.entity(named:))
    }

    func oldAttribute(of name: String, in entity: String) -> Attribute? {
        oldProperties[PropertyName(entity: entity, property: name)].flatMap { found in
            old.entity(named: found.entity)?.attributes.first { $0.name == found.property }
        }
    }

    func newAttribute(of name: String, in entity: String) -> Attribute? {
        newProperties[PropertyName(entity: entity, property: name)].flatMap { found in
            new.entity(named: found.entity)?.attributes.first { $0.name == found.property }
        }
    }

    func oldRelationship(of name: String, in entity: String) -> Relationship? {
        oldProperties[PropertyName(entity: entity, property: name)].flatMap { found in
            old.entity(named: found.entity)?.relationships.first { $0.name == found.property }
        }
    }

    func newRelationship(of name: String, in entity: String) -> Relationship? {
        newProperties[PropertyName(entity: entity, property: name)].flatMap { found in
            new.entity(named: found.entity)?.relationships.first { $0.name == found.property }
        }
    }

    /// What the author gives existing objects as the value of a new or newly required attribute.
    func fill(of attribute: String, in entity: String) -> ModelExpression? {
        new.migration?.fills.first { $0.entity == entity && $0.attribute == attribute }?.value
    }
}
