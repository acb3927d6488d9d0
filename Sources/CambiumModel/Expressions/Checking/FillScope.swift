/// What a fill knows beside the object as it is going to be: the object as it was in the version
/// before, by its old names.
package enum FillScope {
    /// The name of the object as it was, without the dollar sign.
    package static let former = "old"

    /// What `$name` may start from.
    package static func variables(_ row: Entity?) -> [String: Entity] {
        row.map { [former: $0] } ?? [:]
    }

    /// The old attributes that an expression looks at, by their old names.
    package static func attributes(in expression: ModelExpression) -> Set<String> {
        var found: Set<String> = []
        expression.visit { part in
            guard case .keyPath(root: .variable(former), let names) = part else { return }
            found.insert(names.joined(separator: "."))
        }
        return found
    }
}

extension Model {
    /// What objects of an entity of this version have for the fills of the next one: their stored
    /// attributes, inherited ones too.
    ///
    /// A value of an enumeration is one of the next version where that has the same enumeration,
    /// else what the store has for it, a string or a whole number. It is no entity of a model: its
    /// name is for messages, and it leads to no other object.
    package func formerRow(of entity: Entity, in next: Model) -> Entity {
        Entity(
            name: "\(entity.name) of version \(version)",
            attributes: attributes(of: entity).filter { !$0.isTransient }.map { attribute in
                Attribute(
                    name: attribute.name, type: type(of: attribute, in: next),
                    // What is derived may be required, and still be absent (an overflow).
                    isOptional: attribute.isOptional || attribute.derivation != nil,
                    isExternal: attribute.isExternal)
            },
            compositeAttributes: compositeAttributes(of: entity).filter { !$0.isTransient })
    }

    private func type(of attribute: Attribute, in next: Model) -> AttributeType {
        guard case .enumeration(let name) = attribute.type,
            let enumeration = enumeration(named: name),
            next.enumeration(named: name) != enumeration
        else { return attribute.type }
        return enumeration.rawType
    }
}
