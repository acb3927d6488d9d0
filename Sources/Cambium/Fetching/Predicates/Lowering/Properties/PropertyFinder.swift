import CambiumRecords

/// Finds the properties that key paths lead to, by reading through them.
///
/// A key path of Swift does not tell its name, and a getter may be the program's own. So it is read
/// several times from objects with made-up values. It leads to a property only where it reads this
/// one and nothing else, and yields its very value each time; a getter that computes something is
/// told by its results, and one that only hands a property on means just that.
///
/// The first reading that no property explains is the last one. Since plain values come first, a
/// getter that cannot stand some values (`count * 2`, `name.first!`) has mostly been told before it
/// meets them; one that traps of plain values too cannot be stopped from it.
enum PropertyFinder {
    /// - Parameter chain: A key path of the class; further ones lead on through composite values.
    /// - Returns: nil where it is no property of the model.
    /// - Complexity: A dozen readings the first time, then a look into a table.
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
            possible.formIntersection(Self.possible(chain, reading, probe))
        }
        guard let only = possible.first, possible.count == 1 else { return nil }
        return probe.property(only)
    }

    /// All that one reading can be explained with.
    private static func possible(
        _ chain: [AnyKeyPath], _ reading: PropertyProbe.Reading, _ probe: PropertyProbe
    ) -> Set<PossibleProperty> {
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
    ) -> Set<PossibleProperty> {
        let slots = reading.reads.compactMap { if case .slot(let slot) = $0 { slot } else { nil } }
        guard slots.count == reading.reads.count, !slots.isEmpty else { return [] }
        var possible: Set<PossibleProperty> = []
        if chain.count > 1 || slots.count == 1 {
            for slot in slots where isValue(of: slot, in: reading, chain, probe) {
                possible.insert(.slot(slot))
            }
        }
        guard let value = reading.value else { return possible }
        // A composite value reads all of its parts; those of one in it are among them.
        let names = Set(slots.compactMap { probe.entity.attributes[$0]?.name })
        for composite in probe.entity.model.compositeAttributes(of: probe.entity.entity) {
            let prefix = composite.name + "."
            if chain.count > 1 || names.allSatisfy({ $0.hasPrefix(prefix) }),
                isComposite(value, composite.name, reading, probe)
            {
                possible.insert(.composite(composite.name))
            }
        }
        return possible
    }

    private static func isValue(
        of slot: Int, in reading: PropertyProbe.Reading, _ chain: [AnyKeyPath],
        _ probe: PropertyProbe
    ) -> Bool {
        guard let attribute = probe.entity.attributes[slot] else { return false }
        // Values of the program's own types are not made up: who reads one alone hands it on.
        if case .codable = attribute.type, chain.count == 1 { return !attribute.name.contains(".") }
        // What cannot be nil unwraps what may be, and would trap of nil.
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
        // A narrower number is a conversion, which would trap of the values that come later.
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
