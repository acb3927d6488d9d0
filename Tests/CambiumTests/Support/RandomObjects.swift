import Cambium
import Foundation

/// Random objects with links of every shape, and what can be seen of them: for tests that only ask
/// whether it stays the same.
struct RandomObjects {
    /// Attributes of every type, relationships of every shape, lists, hierarchies, and links of an
    /// entity to itself that are their own inverse or have none.
    static let model = Model(
        name: "Anything", version: "1",
        entities: Exchange.value.entities + OrderedModel.value.entities + [friend],
        enumerations: Exchange.value.enumerations)

    private static let friend = Entity(
        name: "Friend",
        attributes: [
            Attribute(name: "name", type: .string, defaultValue: .constant(.string("")))
        ],
        relationships: [
            Relationship(
                name: "friends", destination: "Friend", inverse: "friends", isToMany: true),
            Relationship(name: "best", destination: "Friend"),
            Relationship(name: "rivals", destination: "Friend", isToMany: true),
        ])

    let context: ManagedObjectContext
    var generator: SeededGenerator
    private var objects: [String: [ManagedObject]] = [:]

    private var model: Model { context.coordinator.managedObjectModel }

    init(in context: ManagedObjectContext, seed: UInt64) {
        self.context = context
        generator = SeededGenerator(seed: seed)
    }

    // MARK: Making

    /// Inserts objects and links them, saves, and then changes some of it, so that versions, lists
    /// and keys are not those of a new store.
    mutating func fill() throws {
        for entity in model.entities where !entity.isAbstract {
            objects[entity.name] = try (0..<Int.random(in: 0..<5, using: &generator)).map {
                try make(entity, $0)
            }
        }
        for entity in model.entities {
            for object in objects[entity.name] ?? [] { try link(object) }
        }
        try removeIncomplete()
        try context.save()
        for object in objects.values.joined().sorted(by: Self.precedes)
        where generator.chance(0.3) && !object.isDeleted {
            if try generator.chance(0.7) || isHeldWithoutInverse(object) {
                try link(object)
            } else {
                delete(object)
                // Others may go with it.
                context.processPendingChanges()
            }
        }
        try removeIncomplete()
        try context.save()
    }

    private mutating func make(_ entity: Entity, _ number: Int) throws -> ManagedObject {
        let object = try context.insertObject(ofEntity: entity.name)
        for attribute in model.attributes(of: entity) where attribute.derivation == nil {
            if attribute.isOptional, generator.chance(0.3) { continue }
            var value = RandomValue.value(of: attribute, in: model, &generator)
            if case .string(let text) = value, attribute.type == .string {
                value = .string("\(number)\(text)")
            }
            if attribute.isExternal, generator.chance(0.3) {
                value = .data(Data(repeating: UInt8(number), count: 150_000))
            }
            try object.setValue(value, forKey: attribute.name)
        }
        return object
    }

    private mutating func link(_ object: ManagedObject) throws {
        for relationship in model.relationships(of: object.entity)
        where !relationship.isTransient {
            guard let destination = model.entity(named: relationship.destination) else { continue }
            let others = model.family(of: destination).flatMap { objects[$0.name] ?? [] }
                .filter { !$0.isDeleted }.shuffled(using: &generator)
            let inverse = relationship.inverse.flatMap { name in
                model.relationships(of: destination).first { $0.name == name }
            }
            if !relationship.isToMany {
                // Of a list that may grow too long the other side takes care.
                guard inverse?.maximumCount == nil else { continue }
                let isSet = !relationship.isOptional || generator.chance(0.6)
                try object.setRelatedObject(isSet ? others.first : nil, forKey: relationship.name)
            } else if relationship.isOrdered {
                let list = try object.orderedRelatedObjects(forKey: relationship.name)
                for other in others where generator.chance(0.4) {
                    let isFull = relationship.maximumCount.map { list.count >= $0 } ?? false
                    if isFull, !list.contains(other) { continue }
                    if generator.chance(0.2) { list.remove(other) } else { list.append(other) }
                }
                if list.count > 1, generator.chance(0.5) { list.move(from: list.count - 1, to: 0) }
            } else {
                let set = try object.relatedObjects(forKey: relationship.name)
                for other in others where generator.chance(0.3) {
                    if generator.chance(0.2) { set.remove(other) } else { set.insert(other) }
                }
            }
        }
    }

    /// Whether others lead to an object that will not hear of its end: a save would be refused.
    private func isHeldWithoutInverse(_ object: ManagedObject) throws -> Bool {
        for entity in model.entities {
            for relationship in entity.relationships
            where relationship.inverse == nil && relationship.destination == object.entity.name {
                for holder in objects[entity.name] ?? [] where !holder.isDeleted {
                    let isHeld =
                        if !relationship.isToMany {
                            try holder.relatedObject(forKey: relationship.name) === object
                        } else if relationship.isOrdered {
                            try holder.orderedRelatedObjects(forKey: relationship.name)
                                .contains(object)
                        } else {
                            try holder.many(relationship.name).contains(object)
                        }
                    if isHeld { return true }
                }
            }
        }
        return false
    }

    private mutating func delete(_ object: ManagedObject) {
        context.delete(object)
        objects[object.entity.name]?.removeAll { $0 === object }
    }

    private static func precedes(_ one: ManagedObject, _ other: ManagedObject) -> Bool {
        (one.entity.name, one.objectID.key) < (other.entity.name, other.objectID.key)
    }

    /// Deletes objects that lack what they must be linked to, and those that then lack it.
    private mutating func removeIncomplete() throws {
        while let incomplete = try firstIncomplete() {
            delete(incomplete)
            context.processPendingChanges()
        }
    }

    private func firstIncomplete() throws -> ManagedObject? {
        try objects.values.joined().first { object in
            try !object.isDeleted
                && model.relationships(of: object.entity).contains {
                    try !$0.isToMany && !$0.isOptional
                        && object.relatedObject(forKey: $0.name) == nil
                }
        }
    }

    // MARK: Looking

    /// By entity and key, each object in words: all values and all links.
    ///
    /// - Parameter dates: How a store keeps dates in which the objects are, or will be; nil where it
    ///   keeps them to the bit.
    static func contents(
        of context: ManagedObjectContext, dates: StoredDatePrecision? = nil
    ) throws -> [String: String] {
        let model = context.coordinator.managedObjectModel
        var contents: [String: String] = [:]
        for root in model.entities where root.parent == nil {
            for object in try context.all(root.name) {
                let entity = object.entity
                let values = try model.attributes(of: entity).map { attribute in
                    let value = try object.value(forKey: attribute.name)
                    return "\(attribute.name)=\(words(dates?.rounded(value) ?? value))"
                }
                let links = try model.relationships(of: entity).map { relationship in
                    let others =
                        relationship.isToMany
                        ? try object.many(relationship.name).map(name)
                        : [try object.relatedObject(forKey: relationship.name).map(name) ?? "nil"]
                    return "\(relationship.name)="
                        + (relationship.isOrdered ? others : others.sorted())
                        .joined(separator: ",")
                }
                contents[name(object)] = (values + links).joined(separator: " ")
            }
        }
        return contents
    }

    private static func name(_ object: ManagedObject) -> String { object.objectID.description }

    private static func words(_ value: Value) -> String {
        switch value {
        // Not by what they print: the very bits count.
        case .double(let value): "\(value.bitPattern)"
        case .date(let date): "\(date.timeIntervalSinceReferenceDate.bitPattern)"
        case .string(let text): "\(Array(text.utf8))"
        case .data(let data): "\(data.count):\(data.prefix(20).base64EncodedString())"
        default: "\(value)"
        }
    }
}
