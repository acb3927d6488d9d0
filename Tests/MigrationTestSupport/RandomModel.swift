import CambiumModel

/// Random models, and random changes to them, as functions of a seed. Each part keeps its `id` if
/// it is renamed or moved.
struct RandomModel {
    struct Property {
        let id: String
        var name: String
        var type: AttributeType = .string
        var isOptional = true
        var defaultValue: DefaultValue?
        var from: String?
        /// A former name from an earlier version that is still in the file.
        var stale: String?
        var isExternal = false
    }

    struct Link {
        let id: String
        var name: String
        var inverse: String?
        /// The names of the entities at its ends.
        var source: String
        var destination: String
        var isToMany = false
        var isInverseToMany = true
        var isOrdered = false
        var isInverseOrdered = false
        var isTransient = false
        var from: String?
        var inverseFrom: String?
    }

    struct Kind {
        let id: String
        var name: String
        var parent: String?
        var from: String?
        var stale: String?
        var properties: [Property] = []
        var places: [Place] = []
        /// The set of its derived attributes: 0 for none, other numbers for different ones.
        var derivations = 0
        var isIndexed = false
        var isUnique = false
    }

    var random: SplitMix
    private var names = 0
    var kinds: [Kind] = []
    var links: [Link] = []
    /// Whether the enumeration has its third case.
    private(set) var hasMiddle = true
    var drops: [MigrationDeclaration.Drop] = []
    /// The entities, links and cases of the previous version.
    private(set) var former: (kinds: [Kind], links: [Link], hasMiddle: Bool) = ([], [], false)
    /// The declarations about objects and links.
    var declared = Declared()
    var fills: [MigrationDeclaration.Fill] = []
    private var keeps: [MigrationDeclaration.Keep] = []
    var deduplications: [MigrationDeclaration.Deduplication] = []

    /// Whether new values depend on the time and on random numbers.
    private let isDynamic: Bool

    init(seed: UInt64, isDynamic: Bool = true) {
        random = SplitMix(state: seed)
        self.isDynamic = isDynamic
        for _ in 0...random.next(3) { addKind() }
        for _ in 0...random.next(3) { addLink() }
        if random.next(3) == 0 { addParallelLink() }
        addStaleNames()
        former = (kinds, links, hasMiddle)
    }

    /// Gives entities and properties former names that others have now.
    private mutating func addStaleNames() {
        for index in kinds.indices where random.next(4) == 0 {
            let other = kinds[random.next(kinds.count)].name
            if other != kinds[index].name { kinds[index].stale = other }
        }
        for index in kinds.indices where kinds[index].properties.count > 1 && random.next(2) == 0 {
            kinds[index].properties[1].stale = kinds[index].properties[0].name
        }
    }

    private static let types: [AttributeType] = [
        .bool, .int16, .int32, .int64, .float, .double, .decimal(scale: 2), .decimal(scale: 4),
        .string, .date, .uuid, .uri, .data, .enumeration("Level"), .anyDecimal,
        .codable("[Int]"), .duration,
    ]

    mutating func name(_ prefix: String) -> String {
        names += 1
        return "\(prefix)\(names)"
    }

    private mutating func property() -> Property {
        let name = self.name("p")
        return Property(
            id: name, name: name, type: Self.types[random.next(Self.types.count)],
            isOptional: random.next(2) == 0, isExternal: random.next(3) == 0)
    }

    private mutating func addKind() {
        let parent = random.next(3) == 0 && !kinds.isEmpty ? kinds[random.next(kinds.count)] : nil
        let name = self.name("E")
        var kind = Kind(id: name, name: name, parent: parent?.name)
        for _ in 0...random.next(3) { kind.properties.append(property()) }
        kind.isIndexed = random.next(3) == 0
        kind.derivations = random.next(4)
        if random.next(3) == 0 { kind.places.append(place()) }
        kinds.append(kind)
    }

    private mutating func addLink() {
        let name = self.name("r")
        links.append(
            Link(
                id: name, name: name, inverse: random.next(3) == 0 ? nil : self.name("i"),
                source: kinds[random.next(kinds.count)].name,
                destination: kinds[random.next(kinds.count)].name,
                isToMany: random.next(2) == 0, isInverseToMany: random.next(3) > 0,
                isOrdered: random.next(2) == 0, isInverseOrdered: random.next(3) == 0))
    }

    /// Adds a second relationship between the same two entities.
    private mutating func addParallelLink() {
        if links[0].inverse == nil { links[0].inverse = name("i") }
        let (source, destination) = (links[0].source, links[0].destination)
        addLink()
        let last = links.count - 1
        if links[last].inverse == nil { links[last].inverse = name("i") }
        (links[last].source, links[last].destination) = (source, destination)
    }

    // MARK: Changes

    /// Starts the next version, in which nothing is renamed yet.
    mutating func beginNextVersion() {
        for index in kinds.indices {
            kinds[index].stale = kinds[index].from ?? kinds[index].stale
            kinds[index].from = nil
            for number in kinds[index].properties.indices {
                let property = kinds[index].properties[number]
                kinds[index].properties[number].stale = property.from ?? property.stale
                kinds[index].properties[number].from = nil
            }
            for number in kinds[index].places.indices { kinds[index].places[number].from = nil }
        }
        for index in links.indices {
            links[index].from = nil
            links[index].inverseFrom = nil
        }
        drops = []
        fills = []
        keeps = []
        deduplications = []
        declared = Declared()
        former = (kinds, links, hasMiddle)
    }

    mutating func change() {
        switch random.next(41) {
        case 0: addKind()
        case 1: addLink()
        case 2: dropKind()
        case 3: dropLink()
        case 4: renameKind()
        case 5, 6: changeLink()
        case 7, 8: changePlaces()
        case 9: kinds[random.next(kinds.count)].derivations = random.next(4)
        case 10: changeParent()
        case 11: moveUp()
        case 12: moveDown()
        case 13: lessenLinks()
        case 14: giveUpObjects()
        case 15: linkObjects()
        case 16: hasMiddle.toggle()
        case 17: changeCase()
        case 18: changeStorage()
        case 19, 20: dropInverse()
        case 21, 22, 23: makeUnique()
        case 24, 25, 26: exchangeInverses()
        case 27, 28, 29, 30: dropKindUnderOtherRoot()
        default: changeProperties()
        }
    }

    // MARK: Hierarchies

    private func isBelow(_ name: String?, _ ancestor: String) -> Bool {
        var current = name
        while let found = current {
            if found == ancestor { return true }
            current = kinds.first { $0.name == found }?.parent
        }
        return false
    }

    private mutating func changeParent() {
        let index = random.next(kinds.count)
        let others = kinds.map(\.name).filter { !isBelow($0, kinds[index].name) }
        let choice = random.next(others.count + 1)
        changeParent(of: index, to: choice < others.count ? others[choice] : nil)
    }

    private mutating func changeParent(of index: Int, to parent: String?) {
        // Drops the properties that were inherited. Those that are inherited again get new values.
        let name = kinds[index].from ?? kinds[index].name
        for kind in kinds where kind.name != kinds[index].name {
            guard isBelow(kinds[index].name, kind.name) else { continue }
            let properties =
                kind.properties.map { $0.from ?? $0.name } + kind.places.map { $0.from ?? $0.name }
            drops += properties.map { .init(entity: name, property: $0, reason: "test") }
        }
        kinds[index].parent = parent
    }

    /// Moves a root under another entity, and drops one of its subentities. The dropped entity's
    /// objects become objects of the remaining entity.
    private mutating func dropKindUnderOtherRoot() {
        let pairs = kinds.filter { kind in
            !kinds.contains { $0.parent == kind.name }
                && kinds.contains { $0.name == kind.parent && $0.parent == nil }
        }.flatMap { kind in
            kinds.filter { $0.parent == nil && $0.name != kind.parent }.map { (kind, $0.name) }
        }
        guard !pairs.isEmpty else { return }
        let (kind, root) = pairs[random.next(pairs.count)]
        drop(kind)
        guard let index = kinds.firstIndex(where: { $0.name == kind.parent }) else { return }
        changeParent(of: index, to: root)
        // The objects have no values for newly inherited properties.
        guard let other = kinds.firstIndex(where: { $0.name == root }) else { return }
        for number in kinds[other].properties.indices {
            kinds[other].properties[number].isOptional = true
        }
        for number in kinds[other].places.indices { kinds[other].places[number].isOptional = true }
        fills.removeAll { $0.entity == root }
    }

    /// Moves a property from a subentity to its parent.
    private mutating func moveUp() {
        let children = kinds.indices.filter {
            kinds[$0].parent != nil && !kinds[$0].properties.isEmpty
        }
        guard !children.isEmpty else { return }
        let child = children[random.next(children.count)]
        guard let parent = kinds.firstIndex(where: { $0.name == kinds[child].parent }) else {
            return
        }
        var property = kinds[child].properties.removeFirst()
        if !property.isOptional { property.defaultValue = value(for: property.type) }
        fills.removeAll { $0.attribute == property.name }
        kinds[parent].properties.append(property)
    }

    /// Moves a property from a parent to some of its subentities.
    private mutating func moveDown() {
        let parents = kinds.indices.filter { index in
            !kinds[index].properties.isEmpty
                && kinds.contains { $0.parent == kinds[index].name }
        }
        guard !parents.isEmpty else { return }
        let parent = parents[random.next(parents.count)]
        let property = kinds[parent].properties.removeFirst()
        fills.removeAll { $0.attribute == property.name }
        let name = kinds[parent].name
        for index in kinds.indices where kinds[index].parent == name && random.next(3) > 0 {
            kinds[index].properties.append(property)
        }
        drops.append(
            .init(
                entity: kinds[parent].from ?? name, property: property.from ?? property.name,
                reason: "test"))
    }

    /// Makes an end to-one, so that one of its links is kept.
    private mutating func lessenLinks() {
        guard !links.isEmpty else { return }
        let index = random.next(links.count)
        let link = links[index]
        func keep(_ entity: String, _ name: String, _ order: [MigrationDeclaration.Order]) {
            keeps.removeAll { $0.entity == entity && $0.relationship == name }
            keeps.append(.init(entity: entity, relationship: name, order: order, reason: "test"))
        }
        if link.isToMany {
            links[index].isToMany = false
            keep(link.source, link.name, order(ofKindNamed: link.destination))
        }
        if let inverse = link.inverse, link.isInverseToMany, random.next(2) == 0 {
            links[index].isInverseToMany = false
            keep(link.destination, inverse, order(ofKindNamed: link.source))
        }
    }

    private mutating func changeProperties() {
        let index = random.next(kinds.count)
        guard !kinds[index].properties.isEmpty, random.next(3) > 0 else {
            var added = property()
            if !added.isOptional { added.defaultValue = value(for: added.type) }
            kinds[index].properties.insert(
                added, at: random.next(kinds[index].properties.count + 1))
            return
        }
        let number = random.next(kinds[index].properties.count)
        let old = kinds[index].properties[number]
        switch random.next(8) {
        case 0:
            kinds[index].properties.remove(at: number)
            if let kind = oldName(of: kinds[index]) {
                drops.append(.init(entity: kind, property: old.from ?? old.name, reason: "test"))
            }
        case 1:
            kinds[index].properties[number].name = name("p")
            kinds[index].properties[number].from = old.from ?? old.name
        case 2:
            kinds[index].properties[number].isOptional.toggle()
            if old.isOptional, random.next(3) == 0 {
                declared.required.append((kinds[index].id, old.id))
            } else if old.isOptional {
                fills.append(
                    .init(
                        entity: kinds[index].name, attribute: old.name,
                        value: .literal(Self.constant(for: old.type))))
            }
        case 3:
            kinds[index].properties[number].type = Self.types[random.next(Self.types.count)]
            kinds[index].properties[number].defaultValue = nil
        case 4: kinds[index].properties[number].defaultValue = value(for: old.type)
        case 5: kinds[index].isIndexed.toggle()
        case 6: kinds[index].properties[number].isExternal.toggle()
        default:
            kinds[index].isUnique.toggle()
            guard kinds[index].isUnique, let first = kinds[index].properties.first else { return }
            deduplications.append(
                .init(
                    entity: kinds[index].name, properties: [first.name],
                    order: orderOfEquals(in: kinds[index]),
                    links: random.next(2) == 0 ? .move : .drop, reason: "test"))
        }
    }

    func oldName(of kind: Kind) -> String? { kind.from ?? kind.name }

    private mutating func dropKind() {
        let kind = kinds[random.next(kinds.count)]
        guard kinds.count > 1, !kinds.contains(where: { $0.parent == kind.name }) else { return }
        drop(kind)
    }

    private mutating func drop(_ kind: Kind) {
        kinds.removeAll { $0.name == kind.name }
        links.removeAll { $0.source == kind.name || $0.destination == kind.name }
        drops.append(.init(entity: kind.from ?? kind.name, reason: "test"))
    }

    private mutating func dropLink() {
        guard !links.isEmpty else { return }
        let link = links.remove(at: random.next(links.count))
        guard let source = kinds.first(where: { $0.name == link.source }) else { return }
        drops.append(
            .init(
                entity: source.from ?? source.name, property: link.from ?? link.name,
                reason: "test"))
    }

    private mutating func renameKind() {
        let index = random.next(kinds.count)
        renameKind(at: index, to: name("E"))
    }

    mutating func renameKind(at index: Int, to new: String) {
        let old = kinds[index].name
        kinds[index].from = kinds[index].from ?? old
        kinds[index].name = new
        for other in kinds.indices where kinds[other].parent == old { kinds[other].parent = new }
        for other in links.indices {
            if links[other].source == old { links[other].source = new }
            if links[other].destination == old { links[other].destination = new }
        }
        fills = fills.map {
            .init(
                entity: $0.entity == old ? new : $0.entity, attribute: $0.attribute,
                value: $0.value)
        }
    }

    private mutating func changeLink() {
        guard !links.isEmpty else { return }
        let index = random.next(links.count)
        switch random.next(6) {
        case 4:
            links[index].isOrdered.toggle()
        case 5:
            links[index].isInverseOrdered.toggle()
        case 0:
            links[index].from = links[index].from ?? links[index].name
            links[index].name = name("a")
        case 1:
            links[index].isToMany = true
        case 2:
            links[index].isInverseToMany = true
        default:
            guard let inverse = links[index].inverse else {
                links[index].inverse = name("i")
                links[index].isInverseToMany = true
                return
            }
            links[index].inverseFrom = links[index].inverseFrom ?? inverse
            links[index].inverse = name("a")
        }
    }

    static func constant(for type: AttributeType) -> Value {
        switch type {
        case .bool: .bool(true)
        case .int16, .int32, .int64, .decimal, .enumeration: .int(1)
        case .float, .double: .double(0.1)
        case .string: .string("it's")
        case .date: .date(Date(timeIntervalSinceReferenceDate: 1.5))
        case .duration: .duration(.nanoseconds(-1_500_000_000))
        case .uuid:
            .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)))
        case .uri: URL(string: "urn:x").map { .uri($0) } ?? .null
        case .data: .data(Data([0, 255]))
        case .anyDecimal: .decimal(Decimal(string: "-12.345678901234567890123") ?? 0)
        case .codable: .string("[1,2]")
        }
    }

    private func value(for type: AttributeType) -> DefaultValue {
        switch type {
        case .uuid where isDynamic: .newUUID
        case .date where isDynamic: .now
        default: .constant(Self.constant(for: type))
        }
    }

    // MARK: The model

    /// - Parameter former: The previous version; nil if there is none.
    func model(version: String, after former: String? = nil) -> Model {
        Model(
            name: "Random", version: version, entities: kinds.map(entity),
            enumerations: [
                Enumeration(
                    name: "Level", rawType: .int16,
                    cases: [
                        EnumerationCase(name: "low", rawValue: .int(0)),
                        EnumerationCase(name: "high", rawValue: .int(1)),
                    ] + (hasMiddle ? [EnumerationCase(name: "middle", rawValue: .int(2))] : []))
            ],
            composites: [Self.place, Self.mark, Self.spot],
            migration: former.map {
                MigrationDeclaration(
                    from: $0, fills: validFills, links: validLinks.map(\.declaration),
                    requirements: validRequirements,
                    drops: drops + validGivenUp.map(\.declaration), replacements: replacements,
                    keeps: validKeeps, deduplications: validDeduplications)
            })
    }

    /// The same model without the author's declarations for its migration.
    var undeclared: RandomModel {
        var model = self
        (model.fills, model.drops, model.keeps, model.deduplications) = ([], [], [], [])
        model.declared = Declared()
        return model
    }

    /// The fills whose attributes still exist after later changes.
    var validFills: [MigrationDeclaration.Fill] {
        fills.filter { fill in
            kinds.contains { kind in
                kind.name == fill.entity
                    && (kind.properties.contains { property in
                        property.name == fill.attribute
                            && .literal(Self.constant(for: property.type)) == fill.value
                    }
                        || kind.places.contains { place in
                            ["street", "number"].contains {
                                "\(place.name).\($0)" == fill.attribute
                            }
                        })
            }
        }
    }

    var validKeeps: [MigrationDeclaration.Keep] {
        keeps.filter { keep in
            links.contains { link in
                !isOutOfStore(link) && !link.isToMany
                    && (link.source, link.name) == (keep.entity, keep.relationship)
                    || !isOutOfStore(link) && !link.isInverseToMany
                        && link.destination == keep.entity
                        && link.inverse == keep.relationship
            }
        }
    }

    var validDeduplications: [MigrationDeclaration.Deduplication] {
        deduplications.filter { declared in
            kinds.contains { kind in
                kind.name == declared.entity && kind.isUnique
                    && kind.properties.first.map(\.name) == declared.properties.first
                    && declared.order.allSatisfy { order in
                        kind.properties.contains {
                            $0.name == order.attribute && Self.isNumber($0.type)
                        }
                    }
            }
        }
    }

    private func entity(_ kind: Kind) -> Entity {
        let first = kind.properties.first.map { [IndexElement(property: $0.name)] } ?? []
        return Entity(
            name: kind.name, parent: kind.parent, renamedFrom: kind.from ?? kind.stale,
            attributes: kind.properties.map {
                Attribute(
                    name: $0.name, type: $0.type, isOptional: $0.isOptional,
                    defaultValue: $0.defaultValue, renamedFrom: $0.from ?? $0.stale,
                    isExternal: $0.isExternal && $0.type == .data)
            } + kind.places.flatMap(parts) + derivations(of: kind),
            compositeAttributes: kind.places.flatMap { place in
                [
                    CompositeAttribute(
                        name: place.name, composite: place.composite.name,
                        isOptional: place.isOptional,
                        renamedFrom: place.from),
                    CompositeAttribute(
                        name: "\(place.name).spot", composite: "Spot", isOptional: true),
                ]
            },
            relationships: links.flatMap { relationships(of: $0, in: kind) },
            uniqueConstraints: kind.isUnique && !first.isEmpty
                ? [UniqueConstraint(properties: first.map(\.property))] : [],
            indexes: kind.isIndexed && !first.isEmpty ? [Index(elements: first)] : [])
    }

    /// Attributes derived from strings, by SQLite and by the program, and from objects at the other
    /// end.
    private func derivations(of kind: Kind) -> [Attribute] {
        guard kind.derivations > 0 else { return [] }
        var derived: [Attribute] = []
        for property in kind.properties where property.type == .string {
            let text = ModelExpression.keyPath(root: .subject, names: [property.name])
            derived.append(
                Attribute(
                    name: "length_\(property.name)", type: .int64, isOptional: true,
                    derivation: .function(.length, [text])))
            derived.append(
                Attribute(
                    name: "form_\(property.name)", type: .string, isOptional: true,
                    derivation: .function(kind.derivations == 1 ? .uppercase : .lowercase, [text])))
        }
        for link in links where link.source == kind.name && link.isToMany && !link.isTransient {
            derived.append(
                Attribute(
                    name: "count_\(link.name)", type: .int64,
                    derivation: .aggregate(
                        .count, .keyPath(root: .subject, names: [link.name]))))
        }
        return derived
    }

    private func relationships(of link: Link, in kind: Kind) -> [Relationship] {
        var relationships: [Relationship] = []
        if link.source == kind.name {
            relationships.append(
                Relationship(
                    name: link.name, destination: link.destination, inverse: link.inverse,
                    isToMany: link.isToMany, renamedFrom: link.from,
                    isOrdered: link.isToMany && link.isOrdered, isTransient: link.isTransient))
        }
        if let inverse = link.inverse, link.destination == kind.name {
            relationships.append(
                Relationship(
                    name: inverse, destination: link.source, inverse: link.name,
                    isToMany: link.isInverseToMany, renamedFrom: link.inverseFrom,
                    isOrdered: link.isInverseToMany && link.isInverseOrdered,
                    isTransient: link.isTransient))
        }
        return relationships
    }
}

/// A small random number generator (SplitMix64).
struct SplitMix {
    var state: UInt64

    /// A random number below the bound.
    mutating func next(_ bound: Int) -> Int {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return Int((mixed ^ mixed >> 31) % UInt64(max(bound, 1)))
    }
}
