import CambiumRecords

/// Looks in a record for what the store could not keep or does not check itself; the rest its own
/// checks say.
package struct BatchRowCheck {
    private let entity: EntityDescription
    private let numbers: [Int]
    private let texts: [Int]
    private let patterns: [(slot: Int, pattern: String)]
    private let files: [(slot: Int, limits: Limits)]

    /// - Parameter slots: Those that the operation may set.
    package init(_ entity: EntityDescription, _ slots: SlotSet) {
        self.entity = entity
        numbers = entity.floatingSlots.intersection(slots).slots
        texts = entity.shape.byteSlots.filter {
            slots.contains($0) && entity.shape.kinds[$0] == .text && entity.attributes[$0] != nil
        }
        let attributes = entity.attributes.enumerated().compactMap { slot, attribute in
            slots.contains(slot) ? attribute.map { (slot: slot, attribute: $0) } : nil
        }
        patterns = attributes.compactMap { slot, attribute in
            guard let pattern = attribute.limits.pattern,
                !entity.model.enforcesPattern(of: attribute)
            else { return nil }
            return (slot, pattern)
        }
        files = attributes.compactMap { slot, attribute in
            attribute.usesExternalForm && !attribute.limits.isEmpty
                ? (slot, attribute.limits) : nil
        }
    }

    /// What is wrong with a row; nil where nothing is.
    package func error(in record: Record, of id: ObjectID? = nil) -> ValidationError? {
        for slot in numbers where record.hasValue(slot) && record.real(slot).isNaN {
            return make(.numberTooSmall, slot, id) { "\($0) is not a number (NaN)." }
        }
        for slot in texts where record.hasValue(slot) && record.holdsNUL(slot) {
            return make(.nulInText, slot, id) {
                "\($0) holds a NUL character, which text cannot keep."
            }
        }
        for (slot, pattern) in patterns where record.hasValue(slot) {
            let text = String(decoding: record.bytes(slot), as: UTF8.self)
            do {
                if try PatternCache.matches(text, pattern) { continue }
                return make(.patternMismatch, slot, id) { RefusalText.mismatches($0, pattern) }
            } catch {
                return make(.patternMismatch, slot, id, underlying: error) {
                    "\($0) could not be checked. \(error)"
                }
            }
        }
        for (slot, limits) in files where record.hasValue(slot) {
            // The first byte says where the value is.
            let count = record.bytes(slot).count - 1
            if let minimum = limits.minimumLength, count < minimum {
                return make(.tooShort, slot, id) {
                    RefusalText.isTooShort($0, "\(count) bytes", minimum)
                }
            }
            if let maximum = limits.maximumLength, count > maximum {
                return make(.tooLong, slot, id) {
                    RefusalText.isTooLong($0, "\(count) bytes", maximum)
                }
            }
        }
        return nil
    }

    /// A slot was set to a value that the store cannot keep.
    func unfitError(_ slot: Int) -> ValidationError {
        let type = entity.attributes[slot]?.type
        var code = ValidationError.Code.unfitDecimal
        if case .codable = type { code = .unencodable }
        return make(code, slot, nil) { "\($0) was set to \(type?.descriptor.unfit ?? "")" }
    }

    private func make(
        _ code: ValidationError.Code, _ slot: Int, _ id: ObjectID?,
        underlying: (any Error)? = nil, _ message: (_ property: String) -> String
    ) -> ValidationError {
        let property = entity.layout.slots[slot].property
        return ValidationError(
            code: code, entityName: entity.name, objectID: id, property: property,
            message: message(property), underlying: underlying)
    }

    static func missing(_ property: String, of entity: EntityDescription) -> ValidationError {
        ValidationError(
            code: .missing, entityName: entity.name, objectID: nil, property: property,
            message: "\(property) is required. Give it a value.")
    }
}

extension ValidationError {
    /// The same of a certain object.
    func of(_ id: ObjectID) -> ValidationError {
        ValidationError(
            code: code, entityName: id.entityName, objectID: id, property: property, rule: rule,
            message: message, underlying: underlying)
    }
}
