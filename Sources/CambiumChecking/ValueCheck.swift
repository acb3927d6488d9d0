import CambiumEngine
import CambiumModel
import CambiumRecords

/// Checks the values of rows of one entity, as a save checks those of an object without generated
/// code.
final class ValueCheck {
    private let entity: EntityDescription
    private let attributes: [CheckedAttribute]

    /// The checks of an attribute with a column.
    private struct CheckedAttribute {
        let slot: Int
        let attribute: Attribute
        let cases: Set<Value>?
        let matcher: PatternMatcher?
    }

    init(_ entity: EntityDescription) {
        self.entity = entity
        attributes = entity.storedSlots.slots.compactMap { slot in
            guard let attribute = entity.attributes[slot] else { return nil }
            var cases: Set<Value>?
            if case .enumeration(let name) = attribute.type {
                cases = Set(entity.model.enumeration(named: name)?.cases.map(\.rawValue) ?? [])
            }
            let expression = attribute.limits.pattern.flatMap { try? RegularExpression($0) }
            return CheckedAttribute(
                slot: slot, attribute: attribute, cases: cases,
                matcher: expression.map { PatternMatcher($0) })
        }
    }

    /// Returns the findings about the values of a row.
    ///
    /// - Parameter externalData: Reads a large value by its name; nil if it cannot be read. That is
    ///   reported elsewhere.
    func findings(
        in record: Record, externalData: (_ name: String, Attribute) throws -> Data?
    ) rethrows -> [StoreFinding] {
        var findings: [StoreFinding] = []
        func add(_ kind: StoreFinding.Kind, _ property: String, _ message: String) {
            findings.append(
                StoreFinding(
                    kind, entityName: entity.name, key: record.key, property: property, message))
        }
        for checked in attributes {
            let attribute = checked.attribute
            guard record.hasValue(checked.slot) else {
                if !attribute.isOptional, attribute.derivation == nil {
                    add(.missingValue, attribute.name, "it is required and has no value")
                }
                continue
            }
            let kind = entity.shape.kinds[checked.slot]
            if kind == .text, record.holdsNUL(checked.slot) {
                add(.nulInText, attribute.name, "it contains a NUL character")
            }
            var stored = record.storedValue(checked.slot, kind)
            if attribute.usesExternalForm, case .blob(let bytes) = stored {
                switch bytes.first {
                case ExternalForm.inline: stored = .blob(Data(bytes.dropFirst()))
                case ExternalForm.file:
                    let name = String(decoding: bytes.dropFirst(), as: UTF8.self)
                    guard let data = try externalData(name, attribute) else { continue }
                    stored = .blob(data)
                default:
                    add(.unreadableValue, attribute.name, "its form is not that of large data")
                    continue
                }
            }
            guard let value = entity.model.value(stored, as: attribute.type),
                attribute.isReadable(value)
            else {
                add(
                    .unreadableValue, attribute.name,
                    "its value is not of the type \(attribute.type.caseName)")
                continue
            }
            if let cases = checked.cases, !cases.contains(value) {
                add(.unknownCase, attribute.name, "its value is not a case of the enumeration")
            }
            if attribute.derivation != nil { continue }
            if let (kind, message) = fault(of: value, checked) {
                add(kind, attribute.name, message)
            }
        }
        for rule in entity.presenceRules {
            func hasValue(_ part: String) -> Bool {
                entity.layout.slot(of: part).map(record.hasValue) ?? false
            }
            guard rule.parts.contains(where: hasValue),
                let missing = rule.required.first(where: { !hasValue($0) })
            else { continue }
            add(.incompleteComposite, rule.composite, "its required part \(missing) is missing")
        }
        return findings
    }

    /// Returns the fault of a value of the right type.
    private func fault(
        of value: Value, _ checked: CheckedAttribute
    ) -> (StoreFinding.Kind, String)? {
        let limits = checked.attribute.limits
        switch value {
        case .double(let number) where number.isNaN:
            return (.notANumber, "it is not a number (NaN)")
        case .date(let date) where date.timeIntervalSinceReferenceDate.isNaN:
            return (.notANumber, "it is not a date (NaN)")
        case .string(let text):
            let bytes = text.utf8.count
            // Each scalar takes one to four bytes: most texts need not be counted.
            if bytes > limits.maximumLength ?? .max || bytes / 4 < limits.minimumLength ?? 0,
                let fault = fault(ofLength: text.unicodeScalars.count, "characters", limits)
            {
                return fault
            }
            if let pattern = limits.pattern, let matcher = checked.matcher {
                guard let matches = try? matcher.matches(text) else {
                    return (.patternMismatch, "it could not be compared with \(pattern)")
                }
                if !matches { return (.patternMismatch, "it does not match \(pattern)") }
            }
        case .data(let data):
            if let fault = fault(ofLength: data.count, "bytes", limits) { return fault }
        default: break
        }
        if let minimum = limits.minimum, Value.isLess(value, minimum) {
            return (.outOfRange, "it is below \(RefusalText.words(minimum))")
        }
        if let maximum = limits.maximum, Value.isLess(maximum, value) {
            return (.outOfRange, "it is above \(RefusalText.words(maximum))")
        }
        return nil
    }

    private func fault(
        ofLength length: Int, _ unit: String, _ limits: Limits
    ) -> (StoreFinding.Kind, String)? {
        if let minimum = limits.minimumLength, length < minimum {
            return (.wrongLength, "it has \(length) \(unit); at least \(minimum) are needed")
        }
        if let maximum = limits.maximumLength, length > maximum {
            return (.wrongLength, "it has \(length) \(unit); at most \(maximum) are allowed")
        }
        return nil
    }
}

extension Attribute {
    /// Returns whether programs can read a stored value. The text of a codable value must be JSON.
    fileprivate func isReadable(_ value: Value) -> Bool {
        guard case .codable = type, case .string(let text) = value else { return true }
        return (try? JSONDecoder().decode(AnyJSON.self, from: Data(text.utf8))) != nil
    }
}

/// Any value of JSON.
private struct AnyJSON: Decodable {
    init(from decoder: any Decoder) throws {}
}
