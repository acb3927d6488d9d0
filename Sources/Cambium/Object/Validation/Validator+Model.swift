import CambiumRecords

extension Validator {
    /// Checks what the model says about the object's properties, for objects whose class has no
    /// generated checks.
    mutating func validateAgainstModel() {
        let description = object.entityDescription
        for (slot, attribute) in description.attributes.enumerated() {
            guard let attribute else { continue }
            // Nobody sets a derived attribute, and before the first save it has no value.
            if attribute.derivation != nil { continue }
            if !attribute.isOptional, !attribute.isTransient { required(attribute.name, at: slot) }
            check(attribute, slot)
        }
        for relationship in description.relationships {
            let name = relationship.relationship.name
            if relationship.isToMany {
                let minimum = relationship.relationship.minimumCount
                let maximum = relationship.relationship.maximumCount
                if minimum != nil || maximum != nil {
                    count(of: name, at: relationship.ordinal, min: minimum, max: maximum)
                }
            } else if !relationship.relationship.isOptional {
                requiredToOne(name, relationship.ordinal)
            }
        }
    }

    private mutating func check(_ attribute: Attribute, _ slot: Int) {
        let limits = attribute.limits
        let value = object.properties.value(ofSlot: slot, attribute, in: object.readable)
        switch value {
        case .string(let text):
            length(of: attribute.name, text, min: limits.minimumLength, max: limits.maximumLength)
            if let pattern = limits.pattern { self.pattern(of: attribute.name, text, pattern) }
        case .data(let data):
            length(of: attribute.name, data, min: limits.minimumLength, max: limits.maximumLength)
        case .double(let number):
            finite(attribute.name, number)
        case .date(let date):
            finite(attribute.name, date)
        default:
            break
        }
        if let minimum = limits.minimum, Value.isLess(value, minimum) {
            let code: ValidationError.Code =
                attribute.type == .date ? .dateTooSoon : .numberTooSmall
            add(
                code, attribute.name, RefusalText.isBelow(attribute.name, minimum.text(like: value))
            )
        }
        if let maximum = limits.maximum, Value.isLess(maximum, value) {
            let code: ValidationError.Code =
                attribute.type == .date ? .dateTooLate : .numberTooLarge
            add(
                code, attribute.name, RefusalText.isAbove(attribute.name, maximum.text(like: value))
            )
        }
    }

    /// Checks the rules of the entity, and what the store could not keep.
    mutating func validateRules(_ evaluators: [RuleEvaluator]) {
        if !evaluators.isEmpty { evaluate(evaluators) }
        // Safety: whoever validates an object holds it, and by its state the description.
        uncounted(object.entityDescription).use { validateStoredForms($0) }
    }

    private mutating func evaluate(_ evaluators: [RuleEvaluator]) {
        for entry in evaluators {
            do {
                guard try !entry.evaluator.isTrue(ObjectSubject(object)) else { continue }
                add(
                    .ruleViolated, nil, rule: entry.rule.name,
                    entry.rule.refusal)
            } catch {
                add(
                    .ruleViolated, nil, rule: entry.rule.name,
                    "The rule \(entry.rule.name) could not be checked. \(error)",
                    underlying: error)
            }
        }
    }

    private mutating func validateStoredForms(_ description: EntityDescription) {
        if let unfit = object.extras?.unfitSlots, !unfit.isEmpty { addUnfit(unfit.sorted()) }
        if !description.presenceRules.isEmpty { validatePresence(description) }
        for slot in object.readable.slotsHoldingNUL(description.shape) {
            let property = description.layout.slots[slot].property
            add(.nulInText, property, "\(property) holds a NUL character, which text cannot keep.")
        }
    }

    /// Notes the values that the store could not keep.
    private mutating func addUnfit(_ slots: [Int]) {
        let description = object.entityDescription
        for slot in slots {
            let property = description.layout.slots[slot].property
            guard let type = description.attributes[slot]?.type else { continue }
            var code = ValidationError.Code.unfitDecimal
            if case .codable = type { code = .unencodable }
            add(code, property, "\(property) was set to \(type.descriptor.unfit)")
        }
    }

    /// Checks that optional composite values have all the parts that they require, or none.
    private mutating func validatePresence(_ description: EntityDescription) {
        let record = object.readable
        func isSet(_ part: String) -> Bool {
            description.layout.slot(of: part).map(record.hasValue) ?? false
        }
        for rule in description.presenceRules where rule.parts.contains(where: isSet) {
            let missing = rule.required.filter { !isSet($0) }
            guard !missing.isEmpty else { continue }
            add(
                .missing, rule.composite,
                "\(rule.composite) has no \(missing.joined(separator: ", ")). "
                    + "Set all parts that are required, or none.")
        }
    }
}

extension Value {
    /// A limit as text, in the type of the values that it limits.
    fileprivate func text(like value: Value) -> String {
        if case .int(let limit) = self, case .double = value { return "\(Double(limit))" }
        return RefusalText.words(self)
    }
}
