import CambiumRecords
import CambiumSQL

/// Looks in a record for what the store could not keep or does not check itself; the rest its own
/// checks say.
struct BatchRowCheck {
    private let entity: EntityDescription
    private let numbers: [Int]
    private let texts: [Int]
    private let patterns: [(slot: Int, pattern: String)]
    private let files: [(slot: Int, limits: Limits)]

    /// - Parameter slots: Those that the operation may set.
    init(_ entity: EntityDescription, _ slots: SlotSet) {
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
    func error(in record: Record, of id: ObjectID? = nil) -> ValidationError? {
        for slot in numbers where record.hasValue(slot) && record.real(slot).isNaN {
            return make(.numberTooSmall, slot, "is not a number (NaN).", id)
        }
        for slot in texts where record.hasValue(slot) && record.holdsNUL(slot) {
            return make(.nulInText, slot, "holds a NUL character, which text cannot keep.", id)
        }
        for (slot, pattern) in patterns where record.hasValue(slot) {
            let text = String(decoding: record.bytes(slot), as: UTF8.self)
            do {
                if try PatternCache.matches(text, pattern) { continue }
                return make(
                    .patternMismatch, slot, "does not match the pattern \(pattern).", id)
            } catch {
                return make(
                    .patternMismatch, slot, "could not be checked. \(error)", id,
                    underlying: error)
            }
        }
        for (slot, limits) in files where record.hasValue(slot) {
            // The first byte says where the value is.
            let count = record.bytes(slot).count - 1
            if let minimum = limits.minimumLength, count < minimum {
                return make(
                    .tooShort, slot, "has \(count) bytes; at least \(minimum) are needed.", id)
            }
            if let maximum = limits.maximumLength, count > maximum {
                return make(
                    .tooLong, slot, "has \(count) bytes; at most \(maximum) are allowed.", id)
            }
        }
        return nil
    }

    /// A slot was set to a value that the store cannot keep.
    func unfitError(_ slot: Int) -> ValidationError {
        if case .codable = entity.attributes[slot]?.type {
            return make(
                .unencodable, slot, "was set to a value that cannot be written as JSON.", nil)
        }
        return make(
            .unfitDecimal, slot,
            "was set to a decimal that has more places than the attribute keeps, or more digits.",
            nil)
    }

    private func make(
        _ code: ValidationError.Code, _ slot: Int, _ message: String, _ id: ObjectID?,
        underlying: (any Error)? = nil
    ) -> ValidationError {
        let property = entity.layout.slots[slot].property
        return ValidationError(
            code: code, entityName: entity.name, objectID: id, property: property,
            message: "\(property) \(message)", underlying: underlying)
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
