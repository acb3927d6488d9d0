import Synchronization

/// What a key path of a class leads to.
enum FoundProperty: Sendable {
    /// An attribute, or with a dot a part of a composite one.
    case attribute(String)
    /// A composite value.
    case composite(String)
    case toOne(String, ManagedObject.Type)
    case toMany(String, ManagedObject.Type)
    /// The object's identity.
    case identity
}

/// Finds the properties that key paths lead to, by reading through them.
///
/// A key path of Swift does not tell its name, and a getter may be the program's own. So it is read
/// several times from objects with made-up values. It leads to a property only where it reads this
/// one and nothing else, and yields its very value each time; a getter that computes something is
/// told by its results, and one that only hands a property on means just that.
enum PropertyFinder {
    // Safety: the key paths are those of predicates, which are Sendable.
    private struct Key: Hashable, @unchecked Sendable {
        let type: ObjectIdentifier
        let chain: [AnyKeyPath]
    }

    private static let known = Mutex<[Key: FoundProperty?]>([:])

    /// - Parameter chain: A key path of the class; further ones lead on through composite values.
    /// - Returns: nil where it is no property of the model.
    /// - Complexity: A few dozen readings the first time, then a look into a table.
    static func property(
        _ chain: [AnyKeyPath], of objectClass: ManagedObject.Type, _ model: RuntimeModel
    ) -> FoundProperty? {
        guard let entity = model[objectClass.entityName] else { return nil }
        let key = Key(type: ObjectIdentifier(objectClass), chain: chain)
        if let found = known.withLock({ $0[key] }) { return found }
        // Not inside of the lock: a getter of the program may do anything.
        let found = find(chain, PropertyProbe(objectClass, entity, model))
        known.withLock { $0[key] = .some(found) }
        return found
    }

    private static func find(_ chain: [AnyKeyPath], _ probe: PropertyProbe) -> FoundProperty? {
        let readings = (0..<PropertyProbe.fillings).map { probe.read(chain, filling: $0) }
        guard let first = readings.first, !readings.contains(where: \.hasReadElsewhere) else {
            return nil
        }
        if let collection = first.value as? any ToManyValue {
            guard collection.owner === first.object, first.reads.isEmpty else { return nil }
            return relationship(collection.ordinal, of: probe)
        }
        if first.value is ObjectID {
            let isOwn = readings.allSatisfy {
                $0.value as? ObjectID == $0.object.objectID && $0.reads.isEmpty
            }
            return isOwn ? .identity : nil
        }
        if let toOne = first.toOne {
            let isSame = readings.allSatisfy { reading in
                reading.toOne === toOne
                    && reading.reads == [toOne.slot.map { .slot($0) } ?? .links(toOne.ordinal)]
            }
            return isSame ? relationship(toOne.ordinal, of: probe) : nil
        }
        return attribute(chain, readings, probe)
    }

    private static func relationship(_ ordinal: Int, of probe: PropertyProbe) -> FoundProperty {
        let relationship = probe.entity.relationships[ordinal]
        let type = probe.destination(of: relationship)
        let name = relationship.relationship.name
        return relationship.isToMany ? .toMany(name, type) : .toOne(name, type)
    }

    // MARK: Attributes

    private static func attribute(
        _ chain: [AnyKeyPath], _ readings: [PropertyProbe.Reading], _ probe: PropertyProbe
    ) -> FoundProperty? {
        guard let reads = readings.first?.reads, readings.allSatisfy({ $0.reads == reads }) else {
            return nil
        }
        let slots = reads.compactMap { if case .slot(let slot) = $0 { slot } else { nil } }
        guard slots.count == reads.count, !slots.isEmpty else { return nil }
        if chain.count == 1, slots.count == 1, let attribute = probe.entity.attributes[slots[0]],
            case .codable = attribute.type
        {
            return .attribute(attribute.name)
        }
        let names = Set(slots.compactMap { probe.entity.attributes[$0]?.name })
        let matches = slots.filter { slot in
            readings.allSatisfy { isValue(of: slot, in: $0, probe) }
        }
        if let slot = matches.first, matches.count == 1,
            let name = probe.entity.attributes[slot]?.name,
            chain.count > 1 || slots.count == 1
        {
            return .attribute(name)
        }
        // A composite value reads all of its parts; those of one in it are among them.
        let composites = probe.entity.model.compositeAttributes(of: probe.entity.entity)
        let found = composites.filter { composite in
            (chain.count > 1 || names.allSatisfy { $0.hasPrefix(composite.name + ".") })
                && readings.allSatisfy { reading in
                    reading.value.map { isComposite($0, composite.name, reading, probe) } ?? false
                }
        }
        return found.count == 1 ? .composite(found[0].name) : nil
    }

    private static func isValue(
        of slot: Int, in reading: PropertyProbe.Reading, _ probe: PropertyProbe
    ) -> Bool {
        guard let attribute = probe.entity.attributes[slot] else { return false }
        return isEqual(reading.value, to: attribute, slot, reading)
    }

    private static func isEqual(
        _ value: Any?, to attribute: Attribute, _ slot: Int, _ reading: PropertyProbe.Reading
    ) -> Bool {
        let object = reading.object
        let expected = object.value(ofSlot: slot, attribute, in: object.readable)
        guard let value else { return expected == .null }
        guard let found = (value as? any AttributeValue)?.attributeValue else { return false }
        if case .string(let one) = found, case .string(let other) = expected {
            return one.hasEqualBytes(other)
        }
        return found == expected
    }

    /// Whether a structure has exactly the values of a composite attribute's parts.
    private static func isComposite(
        _ value: Any, _ name: String, _ reading: PropertyProbe.Reading, _ probe: PropertyProbe
    ) -> Bool {
        let parts = Mirror(reflecting: value).children
        guard !parts.isEmpty else { return false }
        return parts.allSatisfy { part in
            guard let label = part.label else { return false }
            let path = "\(name).\(label)"
            let content = (part.value as? any OptionalValue).map(\.content) ?? part.value
            if let slot = probe.entity.layout.slot(of: path),
                let attribute = probe.entity.attributes[slot]
            {
                if case .codable = attribute.type { return true }
                return isEqual(content, to: attribute, slot, reading)
            }
            return content.map { isComposite($0, path, reading, probe) } ?? false
        }
    }
}

extension PropertyProbe {
    func destination(of relationship: RelationshipDescription) -> ManagedObject.Type {
        model.entities[relationship.destination].objectClass
    }
}

/// A to-many relationship's value, whatever it leads to.
protocol ToManyValue {
    var owner: ManagedObject { get }
    var ordinal: Int { get }
    static func isCount(_ path: AnyKeyPath) -> Bool
    static func isEmptiness(_ path: AnyKeyPath) -> Bool
}

extension ToMany: ToManyValue {
    static func isCount(_ path: AnyKeyPath) -> Bool { path == \ToMany<Destination>.count }
    static func isEmptiness(_ path: AnyKeyPath) -> Bool { path == \ToMany<Destination>.isEmpty }
}

extension OrderedToMany: ToManyValue {
    static func isCount(_ path: AnyKeyPath) -> Bool { path == \OrderedToMany<Destination>.count }
    static func isEmptiness(_ path: AnyKeyPath) -> Bool {
        path == \OrderedToMany<Destination>.isEmpty
    }
}
