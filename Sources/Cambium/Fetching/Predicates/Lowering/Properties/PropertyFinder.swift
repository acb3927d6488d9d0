import CambiumRecords
import Synchronization

/// Finds the properties that key paths name, by reading through the key paths.
///
/// A Swift key path does not tell its name, and its getter may be the program's own. The finder
/// therefore reads it several times, from objects with sample values. A key path names a property
/// only if it reads this property and no other, and returns exactly the property's value each time.
/// A getter that computes something is recognized by its results; a getter that only returns a
/// property counts as this property.
///
/// The finder stops at the first result that no property explains. Plain values come first, so a
/// getter that traps on some values (`count * 2`, `name.first!`) is usually recognized before it
/// receives them. A getter that traps on plain values cannot be detected in time.
enum PropertyFinder {
    /// - Parameter chain: A key path of the class, followed by key paths into its composite values.
    /// - Returns: The property, or nil if the key path names none.
    /// - Complexity: A dozen readings the first time, then a table lookup.
    static func property(
        _ chain: [AnyKeyPath], of objectClass: ManagedObject.Type, _ model: ModelDescription
    ) -> FoundProperty? {
        guard let entity = model[objectClass.entityName] else { return nil }
        return model.prepared { _ in KnownProperties() }.property(chain, of: objectClass) {
            find(chain, PropertyProbe(objectClass, entity, model))
        }
    }

    private static func find(_ chain: [AnyKeyPath], _ probe: PropertyProbe) -> FoundProperty? {
        let first = probe.read(chain, filling: 0)
        var possible = Self.possible(chain, first, probe)
        for filling in 1..<PropertyProbe.fillings where !possible.isEmpty {
            let reading = probe.read(chain, filling: filling)
            guard reading.reads == first.reads else { return nil }
            let others = Self.possible(chain, reading, probe)
            possible.removeAll { !others.contains($0) }
        }
        guard let only = possible.first, possible.count == 1 else { return nil }
        return probe.property(only)
    }

    /// Returns all properties that would explain one reading.
    private static func possible(
        _ chain: [AnyKeyPath], _ reading: PropertyProbe.Reading, _ probe: PropertyProbe
    ) -> [PossibleProperty] {
        if reading.hasReadElsewhere { return [] }
        if let collection = reading.value as? any ToManyValue {
            let isOwn = collection.owner === reading.object && reading.reads.isEmpty
            return isOwn ? [.relationship(collection.ordinal)] : []
        }
        if let id = reading.value as? ObjectID {
            return id == reading.object.objectID && reading.reads.isEmpty ? [.identity] : []
        }
        if let toOne = reading.toOne {
            let read: ObservedProperty = toOne.slot.map { .slot($0) } ?? .links(toOne.ordinal)
            return reading.reads == [read] ? [.relationship(toOne.ordinal)] : []
        }
        return attributes(chain, reading, probe)
    }

    // MARK: Attributes

    private static func attributes(
        _ chain: [AnyKeyPath], _ reading: PropertyProbe.Reading, _ probe: PropertyProbe
    ) -> [PossibleProperty] {
        let slots = reading.reads.compactMap { if case .slot(let slot) = $0 { slot } else { nil } }
        guard slots.count == reading.reads.count, !slots.isEmpty else { return [] }
        var possible: [PossibleProperty] = []
        if chain.count > 1 || slots.count == 1 {
            for slot in slots where isValue(of: slot, in: reading, chain, probe) {
                possible.append(.slot(slot))
            }
        }
        guard let value = reading.value else { return possible }
        // Reading a composite value reads all of its parts, including the parts of nested composite
        // values.
        let names = Set(slots.compactMap { probe.entity.attributes[$0]?.name })
        for composite in probe.entity.model.compositeAttributes(of: probe.entity.entity) {
            let prefix = composite.name + "."
            if chain.count > 1 || names.allSatisfy({ $0.hasPrefix(prefix) }),
                isComposite(value, composite.name, reading, probe)
            {
                possible.append(.composite(composite.name))
            }
        }
        return possible
    }

    private static func isValue(
        of slot: Int, in reading: PropertyProbe.Reading, _ chain: [AnyKeyPath],
        _ probe: PropertyProbe
    ) -> Bool {
        guard let attribute = probe.entity.attributes[slot] else { return false }
        // There are no sample values of the program's own types. A getter that reads only one such
        // attribute counts as that attribute.
        if case .codable = attribute.type, chain.count == 1 { return !attribute.name.contains(".") }
        // A result that cannot be nil unwraps an optional attribute, and would trap on nil.
        let canBeNil = chain.last.map { type(of: $0).valueType is any OptionalValue.Type } ?? false
        if attribute.isOptional, !attribute.name.contains("."), !canBeNil { return false }
        return isEqual(reading.value, to: attribute, slot, reading)
    }

    private static func isEqual(
        _ value: Any?, to attribute: Attribute, _ slot: Int, _ reading: PropertyProbe.Reading
    ) -> Bool {
        let object = reading.object
        let expected = object.properties.value(ofSlot: slot, attribute, in: object.readable)
        guard let value else { return expected == .null }
        guard let found = (value as? any AttributeValue)?.attributeValue else { return false }
        // A narrower number is a conversion, and would trap on the larger values that follow.
        if let number = value as? any FixedWidthInteger,
            let greatest = attribute.type.descriptor.integers?.upperBound,
            number.bitWidth <= Int64.bitWidth - greatest.leadingZeroBitCount
        {
            return false
        }
        if case .string(let one) = found, case .string(let other) = expected {
            return one.hasEqualBytes(other)
        }
        return found == expected
    }

    /// Returns whether a structure has exactly the values of a composite attribute's parts.
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
    fileprivate func property(_ property: PossibleProperty) -> FoundProperty? {
        switch property {
        case .slot(let slot): return entity.attributes[slot].map { .attribute($0.name) }
        case .composite(let name): return .composite(name)
        case .identity: return .identity
        case .relationship(let ordinal):
            let relationship = entity.relationships[ordinal]
            let type = model.entities[relationship.destination].objectClass
            let name = relationship.relationship.name
            return relationship.isToMany ? .toMany(name, type) : .toOne(name, type)
        }
    }
}

/// The property that a key path of a class names.
enum FoundProperty: Sendable {
    /// An attribute, or, with a dot, a part of a composite attribute.
    case attribute(String)
    /// A composite value.
    case composite(String)
    case toOne(String, ManagedObject.Type)
    case toMany(String, ManagedObject.Type)
    /// The object's identity.
    case identity
}

/// A property that a key path may name, according to the readings so far.
enum PossibleProperty: Equatable {
    case slot(Int)
    case composite(String)
    /// A relationship, by its ordinal.
    case relationship(Int)
    case identity
}

/// A cache of the properties that key paths name in one model.
///
/// Each model has its own cache: a class may represent entities of several versions, and the same
/// key path may name properties with different names there.
final class KnownProperties: Sendable {
    // Safety: the key paths come from predicates, and predicates are Sendable.
    private struct Key: Hashable, @unchecked Sendable {
        let type: ObjectIdentifier
        let chain: [AnyKeyPath]
    }

    private let found = Mutex([Key: FoundProperty?]())

    /// - Parameter find: Finds a property that is not in the cache.
    func property(
        _ chain: [AnyKeyPath], of objectClass: ManagedObject.Type, find: () -> FoundProperty?
    ) -> FoundProperty? {
        let key = Key(type: ObjectIdentifier(objectClass), chain: chain)
        if let known = found.withLock({ $0[key] }) { return known }
        // Outside of the lock, because a getter of the program may do anything.
        let property = find()
        found.withLock { $0[key] = .some(property) }
        return property
    }
}

/// Reads through a key path of an object with sample values.
struct PropertyProbe {
    /// The number of different sets of values. Plain values are tried first.
    static let fillings = SampleValue.fillings

    /// The result of a reading.
    struct Reading {
        /// The value, without the optional, or nil.
        let value: Any?
        let reads: Set<ObservedProperty>
        let hasReadElsewhere: Bool
        let object: ManagedObject
        /// The relationship, if the value is the sample object at its end.
        let toOne: RelationshipDescription?
    }

    let entity: EntityDescription
    let objectClass: ManagedObject.Type
    var model: ModelDescription { coordinator.model }
    private let coordinator: PersistentStoreCoordinator

    init(_ objectClass: ManagedObject.Type, _ entity: EntityDescription, _ model: ModelDescription)
    {
        self.objectClass = objectClass
        self.entity = entity
        coordinator = PersistentStoreCoordinator(
            detached: model, StoreTable([], in: model, after: nil))
    }

    /// Reads along key paths: each starts at the result of the one before it.
    func read(_ chain: [AnyKeyPath], filling: Int) -> Reading {
        let state = ContextState(coordinator)
        state.notesReads = true
        let object = objectClass.init(
            ObjectRegistration(
                state: state, entity: entity, key: 1, placed: record(filling), lifecycle: .clean))
        for relationship in entity.relationships where relationship.slot == nil {
            var links = LinkSet(isOrdered: relationship.isOrdered)
            if !relationship.isToMany {
                let key = Self.key(of: relationship)
                links.setStored(
                    [LinkSet.Member(key: key, entity: relationship.destination)], at: .max)
            }
            if relationship.isTransient {
                object.ownExtras.transientLinks[relationship.ordinal] = links
            } else {
                object.ownExtras.links[relationship.ordinal] = links
            }
        }
        let recorder = PropertyRecorder(of: object)
        state.recorder = recorder
        defer { state.recorder = nil }
        var value: Any? = object
        for path in chain {
            value = value.flatMap { Self.unwrapped($0[keyPath: path]) }
        }
        let found = value as? ManagedObject
        let toOne = entity.relationships.first { relationship in
            !relationship.isToMany
                && found
                    === recorder.destination(
                        entity: relationship.destination, key: Self.key(of: relationship))
        }
        return Reading(
            value: value, reads: recorder.reads, hasReadElsewhere: recorder.hasReadElsewhere,
            object: object, toOne: found == nil ? nil : toOne)
    }

    private static func key(of relationship: RelationshipDescription) -> Int64 {
        Int64(relationship.ordinal) + 2
    }

    /// Returns the content of nested optionals.
    private static func unwrapped(_ value: Any?) -> Any? {
        guard let value else { return nil }
        guard let optional = value as? any OptionalValue else { return value }
        return unwrapped(optional.content)
    }

    // MARK: Values

    private func record(_ filling: Int) -> PlacedRecord {
        let writer = RecordWriter()
        var placed = writer.makeRecord(entity.shape)
        for (slot, attribute) in entity.attributes.enumerated() {
            guard let attribute,
                let value = SampleValue(slot: slot, filling: filling, model: entity.model)
                    .value(of: attribute),
                let stored = entity.model.stored(value, of: attribute)
            else { continue }
            writer.set(stored, slot, of: &placed, entity.shape)
        }
        for relationship in entity.relationships {
            guard let slot = relationship.slot else { continue }
            placed.record.setInteger(slot, Self.key(of: relationship))
            if let entitySlot = relationship.entitySlot {
                let name = coordinator.model.entities[relationship.destination].name
                writer.set(.text(name), entitySlot, of: &placed, entity.shape)
            }
        }
        return placed
    }
}

/// An optional of any type.
protocol OptionalValue {
    var content: Any? { get }
}

extension Optional: OptionalValue {
    var content: Any? { self.map { $0 as Any } }
}

/// The value of a to-many relationship, with any destination.
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
