extension Model {
    /// Whether what everything relies on is true of a model that no compiler has just checked, such as
    /// one that a file says to have: names are names and unique, what they refer to exists, an
    /// inverse leads back, parents have no cycles.
    var isConsistent: Bool {
        let names = entities.map(\.name)
        let types = enumerations.map(\.name) + composites.map(\.name)
        return Self.areNames(names) && Self.areNames(types)
            && entities.allSatisfy { hasRoot($0) && isConsistent($0) }
            && composites.allSatisfy { areConsistent($0.attributes, $0.compositeAttributes) }
            && enumerations.allSatisfy { type in
                Self.areNames(type.cases.map(\.name)) && type.hasRawValues
            }
    }

    /// Whether all are names that can stand in a statement, and each is there once.
    private static func areNames(_ names: [String]) -> Bool {
        Set(names).count == names.count
            && names.allSatisfy { name in
                !name.isEmpty
                    && name.unicodeScalars.allSatisfy {
                        $0.properties.isXIDContinue || $0 == "_" || $0 == "."
                    }
            }
    }

    private func hasRoot(_ entity: Entity) -> Bool {
        var seen: Set<String> = [entity.name]
        var name = entity.parent
        while let parent = name {
            guard let found = self.entity(named: parent), seen.insert(parent).inserted else {
                return false
            }
            name = found.parent
        }
        return true
    }

    private func isConsistent(_ entity: Entity) -> Bool {
        let lineage = lineage(of: entity)
        let inherited = lineage.flatMap { $0.attributes.map(\.name) + $0.relationships.map(\.name) }
        let known = Set(inherited)
        return Self.areNames(inherited)
            && areConsistent(entity.attributes, entity.compositeAttributes)
            && Self.areNames(entity.rules.map(\.name))
            && entity.uniqueConstraints.allSatisfy {
                !$0.properties.isEmpty && $0.properties.allSatisfy(known.contains)
            }
            && entity.indexes.flatMap(\.elements).allSatisfy {
                $0.expression != nil || known.contains($0.property)
            }
            && entity.relationships.allSatisfy { leadsBack($0, to: entity) }
    }

    private func areConsistent(
        _ attributes: [Attribute], _ compositeAttributes: [CompositeAttribute]
    ) -> Bool {
        Self.areNames(attributes.map(\.name))
            && attributes.allSatisfy { attribute in
                switch attribute.type {
                case .enumeration(let name): enumeration(named: name) != nil
                case .decimal(let scale): (0...38).contains(scale)
                default: true
                }
            } && compositeAttributes.allSatisfy { composite(named: $0.composite) != nil }
    }

    private func leadsBack(_ relationship: Relationship, to entity: Entity) -> Bool {
        guard let destination = self.entity(named: relationship.destination) else { return false }
        guard let name = relationship.inverse else { return true }
        guard let inverse = self.relationship(name, of: destination),
            let other = self.entity(named: inverse.destination)
        else { return false }
        return inverse.inverse == relationship.name
            && lineage(of: other).contains { $0.name == entity.name }
    }
}

extension Enumeration {
    /// Whether each case has a value of the type that rows hold.
    fileprivate var hasRawValues: Bool {
        cases.allSatisfy { item in
            switch item.rawValue {
            case .string: rawType == .string
            case .int: [.int16, .int32, .int64].contains(rawType)
            default: false
            }
        }
    }
}
