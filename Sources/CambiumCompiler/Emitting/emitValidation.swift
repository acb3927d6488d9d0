import CambiumModel

extension SwiftEmitter {
    /// A function for each entity that checks the limits of the properties that its class declares.
    func validationText() -> String {
        var writer = startFile()
        for entity in entities where hasLimits(entity) {
            writer.nextDoc(
                "Checks the limits of the properties of an object of `\(entity.entity.name)`.")
            writer.function(
                "\(isolation)func \(validationFunction(entity))",
                parameters: [
                    "_ object: \(entity.className)",
                    "into validator: inout \(names.library("Validator"))",
                ]
            ) { writer in
                for check in checks(of: entity) {
                    writer.code("", check)
                }
                emitCustomChecks(of: entity, to: &writer)
            }
        }
        return writer.text
    }

    /// The name of the function. Inside the class, a member or a hook of the same name would hide
    /// it.
    func validationFunction(_ entity: GeneratedEntity) -> String {
        names.unused("validate\(SwiftText.plainIdentifier(entity.entity.className))Properties")
    }

    /// Whether the class has further checks. The runtime checks of every object that required
    /// values exist and that numbers are not NaN.
    func hasLimits(_ entity: GeneratedEntity) -> Bool {
        !checks(of: entity).isEmpty || !entity.objectHooks.isEmpty
            || entity.attributes.contains { $0.attribute.hasCustomValidation }
    }

    private func checks(of entity: GeneratedEntity) -> [SwiftCode] {
        entity.leaves.filter { !$0.isDerived }.flatMap(checks)
            + entity.relationships.compactMap(check)
    }

    private func checks(of attribute: GeneratedAttribute) -> [SwiftCode] {
        var checks: [SwiftCode] = []
        let name = SwiftCode.string(attribute.attribute.name)
        let value = SwiftCode.text("object.\(attribute.name)")
        let limits = attribute.attribute.limits
        if limits.minimumLength != nil || limits.maximumLength != nil {
            let bounds = [("min", limits.minimumLength), ("max", limits.maximumLength)]
            checks.append(
                .call(
                    "validator.length",
                    [("of", name), (nil, value)]
                        + bounds.compactMap { label, bound in
                            bound.map { (label, .text("\($0)")) }
                        }))
        }
        if let pattern = limits.pattern {
            checks.append(
                .call(
                    "validator.pattern", [("of", name), (nil, value), (nil, .rawString(pattern))]))
        }
        let literals = LiteralEmitter(names: names)
        let bounds: [(label: String?, value: SwiftCode)] =
            [("min", limits.minimum), ("max", limits.maximum)].compactMap { label, bound in
                bound.flatMap { literals.bound($0, of: attribute.attribute.type) }
                    .map { (label, $0) }
            }
        if !bounds.isEmpty {
            checks.append(.call("validator.range", [("of", name), (nil, value)] + bounds))
        }
        return checks
    }

    private func check(_ relationship: GeneratedRelationship) -> SwiftCode? {
        let name = SwiftCode.string(relationship.relationship.name)
        let number = SwiftCode.text("\(relationship.number)")
        let bounds = [
            ("min", relationship.relationship.minimumCount),
            ("max", relationship.relationship.maximumCount),
        ].compactMap { label, bound in
            bound.map { (label: label as String?, value: SwiftCode.text("\($0)")) }
        }
        guard relationship.relationship.isToMany, !bounds.isEmpty else { return nil }
        return .call("validator.count", [("of", name), ("at", number)] + bounds)
    }

    /// Calls of the functions that the program must define for `validate="custom"`. If one is
    /// missing, the compiler reports the error at the line of the model.
    private func emitCustomChecks(of entity: GeneratedEntity, to writer: inout SwiftWriter) {
        for attribute in entity.attributes where attribute.attribute.hasCustomValidation {
            let name = SwiftText.literal(attribute.attribute.name)
            let place = lines.place(attribute.declarer.name, attribute.attribute.name)
            // Set only if the hook changed the value, because setting it counts as a change.
            writer.block("validator.custom(\(name))") {
                $0.line("var value = object.\(attribute.name)")
                $0.located(at: place) { $0.line("try object.\(attribute.hook)(&value)") }
                $0.line(
                    "if value != object.\(attribute.name) { object.\(attribute.name) = value }")
            }
        }
        for hook in entity.objectHooks {
            let place = lines.place(entity.entity.name)
            if place == nil {
                writer.block("validator.custom(nil)", statement: "try object.\(hook)()")
            } else {
                writer.block("validator.custom(nil)") { writer in
                    writer.located(at: place) { $0.line("try object.\(hook)()") }
                }
            }
        }
    }
}
