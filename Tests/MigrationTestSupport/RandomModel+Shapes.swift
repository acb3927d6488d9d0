import CambiumModel

// Changes that remove something from the store, or that a store can hardly detect.
extension RandomModel {
    /// Changes the case of a name. SQLite does not distinguish the two names.
    mutating func changeCase() {
        func other(_ name: String) -> String {
            name == name.lowercased() ? name.uppercased() : name.lowercased()
        }
        switch random.next(3) {
        case 0:
            let index = random.next(kinds.count)
            renameKind(at: index, to: other(kinds[index].name))
            if kinds[index].from == kinds[index].name { kinds[index].from = nil }
        case 1:
            let index = random.next(kinds.count)
            guard !kinds[index].properties.isEmpty else { return }
            let number = random.next(kinds[index].properties.count)
            let old = kinds[index].properties[number]
            let name = other(old.name)
            kinds[index].properties[number].name = name
            kinds[index].properties[number].from = old.from == name ? nil : old.from ?? old.name
        default:
            guard !links.isEmpty else { return }
            let index = random.next(links.count)
            let old = links[index]
            let name = other(old.name)
            links[index].name = name
            links[index].from = old.from == name ? nil : old.from ?? old.name
        }
    }

    /// Makes a relationship transient, or a transient one persistent.
    mutating func changeStorage() {
        guard !links.isEmpty else { return }
        let index = random.next(links.count)
        let link = links[index]
        let before = former.links.first { $0.id == link.id }
        // If this relationship has changed already, it is left as it is.
        guard before.map({ $0.isTransient == link.isTransient }) ?? true else { return }
        links[index].isTransient.toggle()
        guard let before, !before.isTransient,
            let source = kinds.first(where: { $0.name == link.source })
        else { return }
        drops.append(
            .init(entity: source.from ?? source.name, property: before.name, reason: "test"))
        links[index].from = nil
        links[index].inverseFrom = nil
    }

    /// Drops one end of a relationship. The other end keeps the links.
    mutating func dropInverse() {
        var candidates = links.indices.filter { links[$0].inverse != nil }
        let ordered = candidates.filter { links[$0].isInverseToMany && links[$0].isInverseOrdered }
        if !ordered.isEmpty { candidates = ordered }
        guard !candidates.isEmpty else { return }
        let index = candidates[random.next(candidates.count)]
        links[index].inverse = nil
        links[index].inverseFrom = nil
        links[index].isInverseToMany = true
        links[index].isInverseOrdered = false
    }

    /// Exchanges the inverses of two relationships between the same entities. The author may drop
    /// the inverses or all ends. Otherwise the compiler must report that the change is ambiguous.
    mutating func exchangeInverses() {
        let pairs = links.indices.flatMap { one in
            links.indices.filter { other in
                one < other && links[one].source == links[other].source
                    && links[one].destination == links[other].destination
                    && [one, other].allSatisfy { hasFormerInverse(links[$0]) }
            }.map { (one, $0) }
        }
        guard !pairs.isEmpty else { return }
        let (one, other) = pairs[random.next(pairs.count)]
        let dropped = random.next(4)
        for (index, id) in [links[one].id, links[other].id].enumerated() {
            guard let before = former.links.first(where: { $0.id == id }),
                let inverse = before.inverse, dropped > 1 || dropped == index
            else { continue }
            drops.append(.init(entity: before.destination, property: inverse, reason: "test"))
            guard dropped < 2 else { continue }
            drops.append(.init(entity: before.source, property: before.name, reason: "test"))
        }
        let names = (links[one].inverse, links[other].inverse)
        (links[one].inverse, links[other].inverse) = (names.1, names.0)
        (links[one].inverseFrom, links[other].inverseFrom) = (nil, nil)
    }

    /// Whether the author drops both ends of the former relationship.
    func isEmptied(_ link: Link) -> Bool {
        former.links.contains { before in
            before.id == link.id && isDropped(before.source, before.name)
                && before.inverse.map { isDropped(before.destination, $0) } ?? true
        }
    }

    private func isDropped(_ entity: String, _ property: String?) -> Bool {
        drops.contains { $0.entity == entity && $0.property == property }
    }

    /// Whether a relationship gets the links of another one, because only its new inverse keeps
    /// them.
    var takesLinksOfOthers: Bool {
        links.contains { link in
            former.links.contains { before in
                before.id != link.id && before.inverse != nil && before.inverse == link.inverse
                    && isDropped(before.source, before.name)
                    && !isDropped(before.destination, before.inverse)
            }
        }
    }

    private func hasFormerInverse(_ link: Link) -> Bool {
        let before = former.links.first { $0.id == link.id }
        return link.inverse != nil && before?.inverse == link.inverse && !link.isTransient
            && before?.isTransient == false
    }

    /// Whether the relationship is transient before or after the change.
    func isOutOfStore(_ link: Link) -> Bool {
        link.isTransient || former.links.contains { $0.id == link.id && $0.isTransient }
    }

    /// Makes a property with few values unique, so that there are duplicates.
    mutating func makeUnique() {
        var candidates = kinds.indices.filter { index in
            !kinds[index].isUnique && kinds[index].properties.contains { $0.type.hasFewValues }
        }
        let ordered = candidates.filter { index in
            kinds[index].properties.count { $0.type.hasFewValues || Self.isNumber($0.type) } > 1
        }
        if !ordered.isEmpty { candidates = ordered }
        guard !candidates.isEmpty else { return }
        let index = candidates[random.next(candidates.count)]
        guard
            let number = kinds[index].properties.firstIndex(where: { $0.type.hasFewValues })
        else { return }
        kinds[index].properties.swapAt(0, number)
        kinds[index].isUnique = true
        deduplications.append(
            .init(
                entity: kinds[index].name, properties: [kinds[index].properties[0].name],
                order: orderOfEquals(in: kinds[index]), reason: "test"))
    }

    /// The order of duplicates: by a number, or none.
    mutating func orderOfEquals(in kind: Kind) -> [MigrationDeclaration.Order] {
        guard let number = kind.properties.dropFirst().first(where: { Self.isNumber($0.type) }),
            random.next(3) > 0
        else { return [] }
        return [.init(number.name, isDescending: random.next(2) == 0)]
    }

    static func isNumber(_ type: AttributeType) -> Bool {
        switch type {
        case .bool, .int16, .int32, .int64, .decimal, .enumeration: true
        default: false
        }
    }
}

extension AttributeType {
    fileprivate var hasFewValues: Bool {
        switch self {
        case .bool, .enumeration: true
        default: false
        }
    }
}
