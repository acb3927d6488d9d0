import CambiumRecords
import Synchronization

/// Collects the validation errors of one object. Generated `validateProperties(into:)` methods call
/// it.
public struct Validator {
    let object: ManagedObject
    private(set) var errors: [ValidationError] = []
    /// Whether a custom check was run. It may have changed values.
    private(set) var hasRunOwnChecks = false

    /// The only property to validate; nil means all.
    private(set) var property: String?

    /// Runs all checks.
    mutating func validate(_ rules: [RuleEvaluator]) {
        object.validateProperties(into: &self)
        validateRules(rules)
    }

    private func isWanted(_ property: String?) -> Bool {
        self.property == nil || property == self.property
    }

    /// Records an error.
    @inline(never)
    mutating func add(
        _ code: ValidationError.Code, _ property: String?, rule: String? = nil, _ message: String,
        underlying: (any Error)? = nil
    ) {
        guard isWanted(property) else { return }
        note(
            ValidationError(
                code: code, entityName: object.entityDescription.name, objectID: object.objectID,
                property: property, rule: rule, message: message, underlying: underlying))
    }

    /// Records an error, unless it is about a missing value: the placeholder that is read instead
    /// may violate other limits.
    private mutating func note(_ error: ValidationError) {
        let isPlaceholder = errors.contains {
            $0.code == .missing && $0.property != nil && $0.property == error.property
        }
        if !isPlaceholder { errors.append(error) }
    }

    /// Checks that a required attribute has a value.
    @_spi(Generated)
    public mutating func required(_ property: String, at slot: Int) {
        guard !object.readable.hasValue(slot) else { return }
        add(.missing, property, RefusalText.isRequired(property))
    }

    /// Checks that a required to-one relationship has a destination.
    @_spi(Generated)
    public mutating func requiredToOne(_ property: String, _ ordinal: Int) {
        let relationship = object.entityDescription.relationships[ordinal]
        guard object.destination(of: relationship) == nil, !relationship.relationship.isTransient
        else { return }
        add(.missing, property, RefusalText.isRequired(property))
    }

    /// Checks that the length of a text (in Unicode scalars) is within the limits.
    @_spi(Generated)
    public mutating func length(
        of property: String, _ value: String?, min: Int? = nil, max: Int? = nil
    ) {
        guard let value else { return }
        // Each scalar takes one to four bytes, so most texts need not be counted.
        let bytes = value.utf8.count
        if bytes <= max ?? .max, bytes / 4 >= min ?? 0 { return }
        checkLength(of: property, value.unicodeScalars.count, "character", min: min, max: max)
    }

    /// Checks that the length of data (in bytes) is within the limits.
    @_spi(Generated)
    public mutating func length(
        of property: String, _ value: Data?, min: Int? = nil, max: Int? = nil
    ) {
        guard let value else { return }
        checkLength(of: property, value.count, "byte", min: min, max: max)
    }

    private mutating func checkLength(
        of property: String, _ count: Int, _ unit: String, min: Int?, max: Int?
    ) {
        var length: String { "\(count) \(unit)\(count == 1 ? "" : "s")" }
        if let min, count < min {
            add(.tooShort, property, RefusalText.isTooShort(property, length, min))
        }
        if let max, count > max {
            add(.tooLong, property, RefusalText.isTooLong(property, length, max))
        }
    }

    /// Checks that the complete text matches a regular expression.
    @_spi(Generated)
    public mutating func pattern(of property: String, _ value: String?, _ pattern: String) {
        guard let value, isWanted(property) else { return }
        do {
            guard try !PatternCache.matches(value, pattern) else { return }
            add(.patternMismatch, property, RefusalText.mismatches(property, pattern))
        } catch {
            add(
                .patternMismatch, property, "\(property) could not be checked. \(error)",
                underlying: error)
        }
    }

    /// Checks that a number or date is within the limits.
    @_spi(Generated) @inlinable
    public mutating func range<Bound: Comparable>(
        of property: String, _ value: Bound?, min: Bound? = nil, max: Bound? = nil
    ) {
        guard let value else { return }
        if let min, value < min { refuse(property, below: min) }
        if let max, value > max { refuse(property, above: max) }
    }

    @usableFromInline
    mutating func refuse<Bound: Comparable>(_ property: String, below min: Bound) {
        add(
            Bound.self == Date.self ? .dateTooSoon : .numberTooSmall, property,
            RefusalText.isBelow(property, min))
    }

    @usableFromInline
    mutating func refuse<Bound: Comparable>(_ property: String, above max: Bound) {
        add(
            Bound.self == Date.self ? .dateTooLate : .numberTooLarge, property,
            RefusalText.isAbove(property, max))
    }

    /// Checks that a number is not NaN: the store cannot store NaN.
    @_spi(Generated)
    public mutating func finite(_ property: String, _ value: Double?) {
        guard let value, value.isNaN else { return }
        add(.numberTooSmall, property, "\(property) is not a number (NaN).")
    }

    /// Checks that a number is not NaN: the store cannot store NaN.
    @_spi(Generated)
    public mutating func finite(_ property: String, _ value: Float?) {
        finite(property, value.map(Double.init))
    }

    /// Checks that a date is not NaN: the store cannot store NaN.
    @_spi(Generated)
    public mutating func finite(_ property: String, _ value: Date?) {
        finite(property, value?.timeIntervalSinceReferenceDate)
    }

    /// Checks that the number of objects of a to-many relationship is within the limits; an
    /// optional one may be empty.
    @_spi(Generated)
    public mutating func count(
        of property: String, at ordinal: Int, min: Int? = nil, max: Int? = nil
    ) {
        let count = object.links(ordinal).members.count
        let relationship = object.entityDescription.relationships[ordinal].relationship
        if count == 0, relationship.isOptional { return }
        if let min, count < min {
            add(.tooFew, property, "\(property) has \(count) objects; at least \(min) are needed.")
        }
        if let max, count > max {
            add(.tooMany, property, "\(property) has \(count) objects; at most \(max) are allowed.")
        }
    }

    /// Runs a custom check. If it throws, records the error.
    @_spi(Generated)
    public mutating func custom(_ property: String?, _ check: () throws -> Void) {
        guard isWanted(property) else { return }
        hasRunOwnChecks = true
        do {
            try check()
        } catch let error as ValidationError {
            note(error)
        } catch {
            add(
                .custom, property, "\(property ?? "The object") was refused: \(error)",
                underlying: error)
        }
    }
}

// The checks for every object. Generated classes add the limits of their properties.
extension Validator {
    /// Checks that required values exist, and that numbers are not NaN. For a class without
    /// generated checks, checks everything that the model defines.
    mutating func validateEssentials() {
        // Safety: the caller retains the object, and the object's state retains the description.
        uncounted(object.entityDescription).use { validateEssentials($0) }
    }

    private mutating func validateEssentials(_ description: EntityDescription) {
        guard description.isGenerated else {
            return validateAgainstModel()
        }
        let record = object.readable
        description.requiredSlots.forEach { slot in
            if !record.hasValue(slot) { required(property(at: slot), at: slot) }
        }
        description.floatingSlots.forEach { slot in
            if record.hasValue(slot), record.real(slot).isNaN {
                finite(property(at: slot), record.real(slot))
            }
        }
        if description.requiredToOnes.isEmpty { return }
        for ordinal in description.requiredToOnes {
            requiredToOne(description.relationships[ordinal].relationship.name, ordinal)
        }
    }

    private func property(at slot: Int) -> String {
        object.entityDescription.layout.slots[slot].property
    }
}

/// Matches texts with the patterns of attributes. Each pattern is compiled once for the process.
enum PatternCache {
    /// The idle matchers of one pattern.
    private final class Idle: @unchecked Sendable {
        // Safety: a matcher that was removed from the list has a single user until it is put back.
        var matchers: [PatternMatcher] = []
        /// The regular expression, or nil if the pattern is invalid.
        let expression: RegularExpression?

        init(_ pattern: String) {
            expression = try? RegularExpression(pattern)
        }
    }

    private static let idle = Mutex([TextKey: Idle]())

    /// Returns whether the complete text matches. An invalid pattern matches no text; the compiler
    /// rejects such patterns.
    ///
    /// - Throws: ``PatternLimitError`` if it takes too many steps.
    static func matches(_ text: String, _ pattern: String) throws -> Bool {
        let key = TextKey(text: pattern)
        let (known, expression) = idle.withLock { idle in
            let known = idle[key] ?? Idle(pattern)
            idle[key] = known
            return Handover(value: (known.matchers.popLast(), known.expression))
        }.value
        guard let matcher = known ?? expression.map({ PatternMatcher($0) }) else { return false }
        let handover = Handover(value: matcher)
        defer { idle.withLock { $0[key]?.matchers.append(handover.value) } }
        return try matcher.matches(text)
    }

    private struct Handover<Value>: @unchecked Sendable {
        // Safety: created and opened on the same thread.
        let value: Value
    }
}

extension Validator {
    /// Checks the object's properties against the model, for a class without generated checks.
    mutating func validateAgainstModel() {
        let description = object.entityDescription
        for (slot, attribute) in description.attributes.enumerated() {
            guard let attribute else { continue }
            // A derived attribute is never set, and has no value before the first save.
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

    /// Checks the rules of the entity, and the limits of the store.
    mutating func validateRules(_ evaluators: [RuleEvaluator]) {
        if !evaluators.isEmpty { evaluate(evaluators) }
        // Safety: the caller retains the object, and the object's state retains the description.
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
        if object.status.roundsDates { validateDates(description) }
        if let limit = object.state.coordinator.largestValue { validateLengths(description, limit) }
        for slot in object.readable.slotsHoldingNUL(description.shape) {
            let property = description.layout.slots[slot].property
            add(
                .nulInText, property,
                "\(property) contains a NUL character, which a string cannot contain.")
        }
    }

    /// Checks that the store can store the dates.
    private mutating func validateDates(_ description: EntityDescription) {
        let record = object.readable
        guard let dates = object.state.coordinator.datePrecision,
            let slot = dates.unkeptSlot(of: record, description.dateSlots),
            !record.real(slot).isNaN
        else { return }
        let property = description.layout.slots[slot].property
        add(
            record.real(slot) < 0 ? .dateTooSoon : .dateTooLate, property,
            dates.refusal(of: property))
    }

    /// Checks that the store can store values of these lengths.
    private mutating func validateLengths(_ description: EntityDescription, _ limit: Int) {
        let record = object.readable
        for slot in description.shape.byteSlots where record.hasValue(slot) {
            let count = record.bytes(slot).count
            guard count > limit, description.layout.slots[slot].isStored else { continue }
            let property = description.layout.slots[slot].property
            add(.tooLong, property, RefusalText.isTooLarge(property, count, limit))
        }
    }

    /// Records errors for the values that the store cannot store.
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

    /// Checks that optional composite values have all required parts, or none.
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
    /// Returns a limit as text, in the type of the values that it limits.
    fileprivate func text(like value: Value) -> String {
        if case .int(let limit) = self, case .double = value { return "\(Double(limit))" }
        return RefusalText.words(self)
    }
}
