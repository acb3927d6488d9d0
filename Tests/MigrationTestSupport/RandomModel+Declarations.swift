import CambiumModel

// Declarations about objects and links, in addition to those that a change requires.
extension RandomModel {
    /// The declarations. Later changes may have removed the declared objects or links again.
    struct Declared {
        /// Attributes that are declared to have a value in every object.
        var required: [(kind: String, property: String)] = []
        /// Entities whose objects are deleted if they have no value of the attribute.
        var givenUp: [(kind: String, property: String)] = []
        /// To-one relationships that reference the first object if they were empty.
        var linked: [(link: String, order: [MigrationDeclaration.Order])] = []
    }

    /// The deleted objects of an entity: those without a value of an attribute.
    struct GivenUp {
        /// The entity and the attribute, in the old version.
        let kind: Kind
        let property: Property

        var declaration: MigrationDeclaration.Drop {
            let value = ModelExpression.keyPath(root: .subject, names: [property.name])
            return .init(
                entity: kind.name, condition: .comparison(value, .equal, .literal(.null), []),
                reason: "test")
        }
    }

    /// A to-one relationship that gets a destination if it was empty.
    struct Linked {
        let link: Link
        let order: [MigrationDeclaration.Order]

        var declaration: MigrationDeclaration.Link {
            .init(
                entity: link.source, relationship: link.name, condition: .literal(.bool(true)),
                order: order)
        }
    }

    // MARK: Changes

    mutating func giveUpObjects() {
        let candidates = former.kinds.flatMap { kind in
            kind.properties.filter(\.isOptional).map { (kind.id, $0.id) }
        }
        guard !candidates.isEmpty else { return }
        declared.givenUp.append(candidates[random.next(candidates.count)])
    }

    mutating func linkObjects() {
        let candidates = links.filter { !$0.isToMany }
        guard !candidates.isEmpty else { return }
        let link = candidates[random.next(candidates.count)]
        declared.linked.removeAll { $0.link == link.id }
        declared.linked.append((link.id, order(ofKindNamed: link.destination)))
    }

    /// An order by a number of the old objects, or none.
    mutating func order(ofKindNamed name: String) -> [MigrationDeclaration.Order] {
        guard let kind = kind(named: name), random.next(3) > 0,
            let before = former.kinds.first(where: { $0.id == kind.id }),
            let number = before.properties.first(where: {
                [.int16, .int32, .int64].contains($0.type)
            })
        else { return [] }
        return [.init(number.name, isDescending: random.next(2) == 0)]
    }

    // MARK: Valid declarations

    var validGivenUp: [GivenUp] {
        declared.givenUp.compactMap { kind, property in
            guard let before = former.kinds.first(where: { $0.id == kind }),
                self.kind(kind) != nil,
                let attribute = before.properties.first(where: { $0.id == property })
            else { return nil }
            return GivenUp(kind: before, property: attribute)
        }
    }

    var validRequirements: [MigrationDeclaration.Requirement] {
        declared.required.compactMap { id, property in
            guard let kind = kind(id),
                let attribute = kind.properties.first(where: { $0.id == property }),
                !attribute.isOptional
            else { return nil }
            let isFilled = validFills.contains { fill in
                fill.entity == kind.name && fill.attribute == attribute.name
            }
            return isFilled
                ? nil : .init(entity: kind.name, property: attribute.name, reason: "test")
        }
    }

    var validLinks: [Linked] {
        declared.linked.compactMap { id, order in
            guard let link = links.first(where: { $0.id == id }), !link.isToMany,
                !link.isTransient,
                canBeGiven(link),
                [link.source, link.destination].allSatisfy({ name in
                    former.kinds.contains { $0.id == kind(named: name)?.id }
                })
            else { return nil }
            return Linked(link: link, order: order)
        }
    }

    /// Whether the source's rows contain the key, and the links are not in an ordered list.
    private func canBeGiven(_ link: Link) -> Bool {
        guard let inverse = link.inverse else { return true }
        return link.isInverseToMany
            ? !link.isInverseOrdered
            : (link.source, link.name) <= (link.destination, inverse)
    }

    var replacements: [MigrationDeclaration.Replacement] {
        former.hasMiddle && !hasMiddle
            ? [.init(enumeration: "Level", case: "middle", with: "high", reason: "test")] : []
    }
}
