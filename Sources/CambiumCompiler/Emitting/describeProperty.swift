import CambiumModel

extension SwiftEmitter {
    /// What the doc comment of an attribute says: type, limits, uniqueness, default.
    func describe(_ property: GeneratedAttribute) -> String {
        let attribute = property.attribute
        var parts = [typeName(attribute.type)]
        if attribute.isOptional { parts.append("optional") }
        if attribute.isTransient { parts.append("not stored") }
        let limits = attribute.limits
        parts += range(limits.minimum.map(text), limits.maximum.map(text), unit: "")
        let unit = attribute.type == .data ? " byte" : " character"
        parts += range(
            limits.minimumLength.map(String.init), limits.maximumLength.map(String.init),
            unit: unit)
        if let pattern = limits.pattern { parts.append("matches `\(pattern)`") }
        parts += uniqueness(of: attribute.name, in: property.declarer)
        if let value = attribute.defaultValue {
            parts.append("default \(text(value, of: attribute.type))")
        }
        if attribute.hasCustomValidation { parts.append("checked by `\(property.hook)(_:)`") }
        return parts.joined(separator: ", ") + "."
    }

    /// What the doc comment of a relationship says.
    func describe(_ property: GeneratedRelationship) -> String {
        let relationship = property.relationship
        var parts = [relationship.isToMany ? "To-many" : "To-one"]
        if relationship.isRequiredToOne { parts.append("required") }
        parts += range(
            relationship.minimumCount.map(String.init), relationship.maximumCount.map(String.init),
            unit: " object")
        if let inverse = relationship.inverse {
            parts.append("inverse `\(relationship.destination).\(inverse)`")
        }
        switch relationship.deleteRule {
        case .nullify: break
        case .cascade: parts.append("deleted together with this object")
        case .deny: parts.append("keeps this object from being deleted")
        }
        return parts.joined(separator: ", ") + "."
    }

    private func typeName(_ type: AttributeType) -> String {
        switch type {
        case .bool: "Boolean"
        case .int16: "Whole number of 16 bits"
        case .int32: "Whole number of 32 bits"
        case .int64: "Whole number of 64 bits"
        case .float: "Floating-point number of 32 bits"
        case .double: "Floating-point number of 64 bits"
        case .decimal(let scale): "Decimal with \(scale) places"
        case .string: "String"
        case .date: "Date"
        case .uuid: "UUID"
        case .uri: "URI"
        case .data: "Data"
        case .enumeration(let name): "One of `\(name)`"
        }
    }

    private func range(_ minimum: String?, _ maximum: String?, unit: String) -> [String] {
        switch (minimum, maximum) {
        case (nil, nil): []
        case (let minimum?, nil): ["at least \(counted(minimum, unit))"]
        case (nil, let maximum?): ["at most \(counted(maximum, unit))"]
        case (let minimum?, let maximum?): ["\(minimum) to \(counted(maximum, unit))"]
        }
    }

    private func counted(_ number: String, _ unit: String) -> String {
        unit.isEmpty || number == "1" ? number + unit : "\(number)\(unit)s"
    }

    private func uniqueness(of name: String, in entity: Entity) -> [String] {
        entity.uniqueConstraints.filter { $0.properties.contains(name) }.map { constraint in
            let others = constraint.properties.filter { $0 != name }.map { "`\($0)`" }
            return others.isEmpty
                ? "unique" : "unique together with \(others.joined(separator: " and "))"
        }
    }

    private func text(_ value: DefaultValue, of type: AttributeType) -> String {
        switch value {
        case .constant(let value):
            if case .enumeration(let name) = type,
                let named = model.enumeration(named: name)?.cases.first(where: {
                    $0.rawValue == value
                })
            {
                "`\(named.name)`"
            } else {
                text(value)
            }
        case .now: "now"
        case .newUUID: "a new one"
        }
    }

    private func text(_ value: Value) -> String {
        switch value {
        case .null: "nil"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .double(let value): Int64(exactly: value).map { "\($0)" } ?? "\(value)"
        case .decimal(let value): value.description
        case .string(let value): "`\(value)`"
        case .date(let value): "`\(value.formatted(.iso8601))`"
        case .uuid(let value): "`\(value.uuidString)`"
        case .uri(let value): "`\(value.absoluteString)`"
        case .data(let value): "\(value.count) bytes"
        }
    }
}

extension Relationship {
    fileprivate var isRequiredToOne: Bool { !isToMany && !isOptional }
}
