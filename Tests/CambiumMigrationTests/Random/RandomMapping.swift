import CambiumModel

@testable import MigrationTestSupport

/// What a migration must make of the objects of a store, applied in memory: found from what was
/// done to the old model by chance, and not from a comparison of the two.
struct RandomMapping {
    let old: RandomModel
    let new: RandomModel
    private let oldModel: Model
    private let newModel: Model

    /// What an attribute of an object must be.
    enum Expectation: Equatable {
        case value(StoredValue)
        /// Any value, such as the time.
        case some
        /// A conversion that this mapping knows nothing about.
        case unknown
    }

    struct Object {
        let old: StoredGraph.Reference
        let entity: String
        let version: StoredValue
        var values: [String: Expectation]
    }

    /// The objects that live on, by what they were.
    private(set) var objects: [StoredGraph.Reference: Object] = [:]
    /// The links that stay, with the keys of before.
    private(set) var links: [String: [StoredGraph.Link]] = [:]
    /// The root entities some of whose objects go because they are equal to others.
    private(set) var thinned: Set<String> = []
    /// Whether all of it is known.
    private(set) var isComplete = true

    init(
        of graph: StoredGraph, from old: (RandomModel, Model), to new: (RandomModel, Model)
    ) {
        (self.old, oldModel) = old
        (self.new, newModel) = new
        for (reference, object) in graph.objects where !isDropped(object) {
            guard let kind = self.new.kind(object.entity) else { continue }
            objects[reference] = Object(
                old: reference, entity: kind.id, version: object.version,
                values: values(of: object, kind))
        }
        for link in self.new.links
        where !self.new.isOutOfStore(link) && !self.new.isEmptied(link) {
            links[link.id] = (graph.links[link.id]).map { carried($0, link, graph) } ?? []
        }
        for linked in self.new.validLinks { addLinks(linked, graph) }
        if self.new.takesLinksOfOthers { isComplete = false }
        for declared in self.new.validDeduplications { removeDuplicates(declared) }
    }

    // MARK: Values

    private func values(
        of object: StoredGraph.Object, _ kind: RandomModel.Kind
    ) -> [String: Expectation] {
        guard let oldKind = old.kind(object.entity) else { return [:] }
        let before = Dictionary(
            old.attributes(of: oldKind).map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first }
        )
        let values = new.attributes(of: kind).map { attribute in
            let former = before[attribute.id].flatMap {
                isCarried($0, to: attribute, of: oldKind) ? $0 : nil
            }
            return (attribute.id, expectation(of: attribute, former, object.values))
        }
        return Dictionary(values, uniquingKeysWith: { first, _ in first })
    }

    private func expectation(
        of attribute: RandomModel.StoredAttribute, _ former: RandomModel.StoredAttribute?,
        _ values: [String: StoredValue]
    ) -> Expectation {
        let fill = new.validFills.first {
            $0.entity == attribute.owner.name && $0.attribute == attribute.name
        }.flatMap { fill -> Expectation? in
            guard case .literal(let value) = fill.value, !isWithoutValue(attribute, values) else {
                return nil
            }
            return stored(value, attribute)
        }
        guard let former, let value = values[former.id] else {
            return fill ?? defaultValue(of: attribute) ?? .value(.null)
        }
        if value == .integer(2), !new.replacements.isEmpty, attribute.type == former.type,
            case .enumeration = attribute.type
        {
            return .value(.integer(1))
        }
        if value != .null {
            let types = (oldModel.plain(former.type), newModel.plain(attribute.type))
            return value.converted(from: types.0, to: types.1).map { .value($0) } ?? .unknown
        }
        // What had no value has none where it need not have one.
        return fill ?? (attribute.isOptional ? nil : defaultValue(of: attribute)) ?? .value(.null)
    }

    private func defaultValue(of attribute: RandomModel.StoredAttribute) -> Expectation? {
        switch attribute.defaultValue {
        case nil: nil
        case .now, .newUUID: .some
        case .constant(let value): stored(value, attribute)
        }
    }

    private func stored(_ value: Value, _ attribute: RandomModel.StoredAttribute) -> Expectation {
        newModel.stored(value, as: attribute.type).map { .value($0) } ?? .unknown
    }

    /// Whether objects of an old entity keep the values of an attribute, which may be declared
    /// elsewhere from now on.
    private func isCarried(
        _ former: RandomModel.StoredAttribute, to attribute: RandomModel.StoredAttribute,
        of kind: RandomModel.Kind
    ) -> Bool {
        // The author speaks of a composite value as a whole.
        let name = former.name.split(separator: ".").first.map(String.init) ?? former.name
        func isDropped(by kind: RandomModel.Kind) -> Bool {
            new.drops.contains {
                $0.entity == kind.name && ($0.property == name || $0.property == former.name)
            }
        }
        let below = old.lineage(of: kind).reversed().prefix { $0.id != former.owner.id }
        if below.contains(where: isDropped) { return false }
        guard isDropped(by: former.owner) else { return true }
        // A drop means the objects that no other entity gives the attribute to, such as one that has
        // inherited it.
        return attribute.owner.id != former.owner.id
            && (attribute.from != nil
                || [old, new].contains { $0.isKind(attribute.owner.id, of: former.owner.id) })
    }

    /// Whether the author gives an object up.
    private func isDropped(_ object: StoredGraph.Object) -> Bool {
        new.validGivenUp.contains { given in
            object.entity == given.kind.id
                && object.values[given.property.id] == .null
        }
    }

    // MARK: Links

    private func carried(
        _ former: [StoredGraph.Link], _ link: RandomModel.Link, _ graph: StoredGraph
    ) -> [StoredGraph.Link] {
        guard let source = new.kind(named: link.source),
            let destination = new.kind(named: link.destination)
        else { return [] }
        func mayBe(_ reference: StoredGraph.Reference, _ end: RandomModel.Kind) -> Bool {
            objects[reference].map { new.isKind($0.entity, of: end.id) } ?? false
        }
        var links = former.filter { mayBe($0.source, source) && mayBe($0.destination, destination) }
        for keep in new.validKeeps {
            if (keep.entity, keep.relationship) == (link.source, link.name) {
                links = firstOfEach(links, \.source) { link in
                    value(of: keep.order, link.destination, graph)
                        + [link.places.ofSource ?? .max, link.destination.key]
                }
            } else if keep.entity == link.destination, keep.relationship == link.inverse {
                links = firstOfEach(links, \.destination) { link in
                    value(of: keep.order, link.source, graph)
                        + [link.places.ofDestination ?? .max, link.source.key]
                }
            }
        }
        return links
    }

    private func firstOfEach(
        _ links: [StoredGraph.Link], _ end: KeyPath<StoredGraph.Link, StoredGraph.Reference>,
        by order: (StoredGraph.Link) -> [Int64]
    ) -> [StoredGraph.Link] {
        Dictionary(grouping: links, by: { $0[keyPath: end] }).values
            .compactMap { $0.min { order($0).lexicographicallyPrecedes(order($1)) } }
    }

    /// What an old object is put in an order by: its number, and what has none comes last.
    private func value(
        of order: [MigrationDeclaration.Order], _ reference: StoredGraph.Reference,
        _ graph: StoredGraph
    ) -> [Int64] {
        guard let order = order.first, let object = graph.objects[reference],
            let kind = old.kind(object.entity),
            let attribute = old.attributes(of: kind).first(where: { $0.name == order.attribute }),
            case .integer(let number)? = object.values[attribute.id]
        else { return [1, 0] }
        return [0, order.isDescending ? ~number : number]
    }

    /// What led nowhere leads to the first object of all that it may lead to; in a one-to-one each to
    /// the first that nothing leads to yet.
    private mutating func addLinks(_ linked: RandomModel.Linked, _ graph: StoredGraph) {
        guard let source = new.kind(named: linked.link.source),
            let destination = new.kind(named: linked.link.destination),
            let oldSource = old.kind(source.id), let oldDestination = old.kind(destination.id)
        else { return }
        let roots = (old.root(of: oldSource).id, old.root(of: oldDestination).id)
        let candidates = objects.keys.filter { reference in
            reference.root == roots.1
                && objects[reference].map { new.isKind($0.entity, of: destination.id) } ?? false
        }
        func place(_ reference: StoredGraph.Reference) -> [Int64] {
            value(of: linked.order, reference, graph) + [reference.key]
        }
        var free = candidates.sorted { place($0).lexicographicallyPrecedes(place($1)) }
        let taken = Set((links[linked.link.id] ?? []).map(\.source))
        let isOneToOne = linked.link.inverse != nil && !linked.link.isInverseToMany
        if isOneToOne {
            let used = Set((links[linked.link.id] ?? []).map(\.destination))
            free.removeAll(where: used.contains)
        }
        for (reference, object) in objects.sorted(by: { $0.key.key < $1.key.key })
        where new.isKind(object.entity, of: source.id) && !taken.contains(reference) {
            // Of objects that come from elsewhere, the old table knows nothing.
            if reference.root != roots.0 { isComplete = false }
            guard let first = free.first else { continue }
            if isOneToOne { free.removeFirst() }
            links[linked.link.id, default: []].append(
                .init(source: reference, destination: first, places: (nil, nil)))
        }
    }

    // MARK: Equal objects

    private mutating func removeDuplicates(_ declared: MigrationDeclaration.Deduplication) {
        guard let kind = new.kind(named: declared.entity),
            let property = kind.properties.first(where: { $0.name == declared.properties.first })
        else { return }
        let root = new.root(of: kind).id
        let members = objects.filter { new.isKind($0.value.entity, of: kind.id) }
        var groups: [StoredValue: [StoredGraph.Reference]] = [:]
        for (reference, object) in members {
            switch object.values[property.id] {
            case .value(.null)?: continue
            case .value(let value)?: groups[value, default: []].append(reference)
            default: isComplete = false
            }
        }
        for equal in groups.values where equal.count > 1 {
            thinned.insert(root)
            // Which of them is the eldest, the keys of several old tables do not say.
            if Set(equal.map(\.root)).count > 1 { isComplete = false }
            let places = Dictionary(
                uniqueKeysWithValues: equal.map { ($0, place(of: $0, in: declared, kind)) })
            for reference in equal.sorted(by: { one, other in
                (places[one] ?? []).lexicographicallyPrecedes(places[other] ?? [])
            }).dropFirst() {
                objects[reference] = nil
            }
        }
    }

    /// Where an object stands among its equals: by its number, and what has none comes last.
    private mutating func place(
        of reference: StoredGraph.Reference, in declared: MigrationDeclaration.Deduplication,
        _ kind: RandomModel.Kind
    ) -> [Int64] {
        guard let order = declared.order.first,
            let property = kind.properties.first(where: { $0.name == order.attribute })
        else { return [reference.key] }
        switch objects[reference]?.values[property.id] {
        case .value(.integer(let number))?:
            return [0, order.isDescending ? ~number : number, reference.key]
        case .value(.null)?: return [1, 0, reference.key]
        default:
            isComplete = false
            return [reference.key]
        }
    }
}

extension Model {
    /// The type, or of an enumeration the type of its raw values.
    fileprivate func plain(_ type: AttributeType) -> AttributeType {
        guard case .enumeration(let name) = type else { return type }
        return enumeration(named: name)?.rawType ?? type
    }
}
