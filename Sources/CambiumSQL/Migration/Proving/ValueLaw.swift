import CambiumModel
import CambiumPlan

/// The required effect of a migration on the values of one attribute. It is found from the two
/// attributes and the declarations, not from the plan that it verifies.
package struct ValueLaw: Sendable {
    /// The required new form of one value.
    enum Expectation {
        case exactly(StoredValue)
        /// The value, or none if the surrounding composite value is nil.
        case exactlyOrNull(StoredValue)
        /// A text that the number can be read from again.
        case text(of: Decimal)
        case textOfDouble(Double)
        /// Any value, such as the time.
        case something
        /// Any value, or none.
        case anything
    }

    private let old: (attribute: Attribute, model: Model)?
    private let new: Attribute
    private let newModel: Model
    /// The expectation for an object that had no value.
    private let absent: Expectation
    /// Whether the author computes every value again.
    private let isRevised: Bool

    /// Creates the law for an attribute of the new version.
    ///
    /// - Parameters:
    ///   - old: The old attribute that its values come from; nil if objects have none.
    ///   - owner: The entity that declares it.
    init(_ attribute: Attribute, of owner: Entity, from old: Attribute?, in match: ModelMatch) {
        self.old = old.map { ($0, match.old) }
        new = attribute
        newModel = match.new
        isRevised = match.isRevised(attribute.name, in: owner.name)
        absent = Self.absent(attribute, of: owner, hadOne: old != nil, in: match)
    }

    /// Returns whether the migration may change one value to another.
    func admits(_ former: StoredValue, _ value: StoredValue) -> Bool {
        switch expectation(of: former) {
        case .exactly(let expected): value == expected
        case .exactlyOrNull(let expected): value == expected || value == .null
        case .text(let number):
            // Decimal takes a text for a number that only begins with one.
            if case .text(let text) = value {
                text.utf8.allSatisfy { "0123456789.-".utf8.contains($0) }
                    && Decimal(string: text) == number
            } else {
                false
            }
        case .textOfDouble(let number):
            if case .text(let text) = value { Double(text) == number } else { false }
        case .something: value != .null
        case .anything: true
        }
    }

    private func expectation(of former: StoredValue) -> Expectation {
        if isRevised { return .anything }
        guard let old, former != .null else { return absent }
        let oldType = old.model.plainType(of: old.attribute.type)
        let newType = newModel.plainType(of: new.type)
        if let way = replacement(of: former) {
            let item = newModel.enumeration(named: way.enumeration)?.cases
                .first { $0.name == way.replacement }
            return item.flatMap { newModel.stored($0.rawValue, as: new.type) }
                .map { .exactly($0) } ?? absent
        }
        let isSameForm = old.attribute.usesExternalForm == new.usesExternalForm
        if isSameForm, oldType == newType { return .exactly(former) }
        guard let content = Self.content(of: former, old.attribute) else { return .something }
        let converted = newModel.expectation(of: content, from: oldType, to: newType)
        return new.usesExternalForm ? converted.inExternalForm : converted
    }

    /// Returns the declared replacement of a value that is a deleted case.
    private func replacement(of value: StoredValue) -> MigrationDeclaration.Replacement? {
        guard let old, case .enumeration(let name) = new.type,
            case .enumeration(let former) = old.attribute.type,
            former == name || old.model.enumeration(named: name) == nil
        else { return nil }
        return newModel.migration?.replacements.first { way in
            let item = old.model.enumeration(named: former)?.item(named: way.name)
            return way.enumeration == name
                && item.flatMap { old.model.stored($0.rawValue, as: old.attribute.type) } == value
        }
    }

    /// Returns the inline content of a value; nil if it is in a file.
    private static func content(of value: StoredValue, _ attribute: Attribute) -> StoredValue? {
        guard attribute.usesExternalForm else { return value }
        guard case .blob(let data) = value, data.first == ExternalForm.inline else { return nil }
        return .blob(Data(data.dropFirst()))
    }

    /// Returns the expectation for objects that had no value, or no such attribute.
    private static func absent(
        _ attribute: Attribute, of owner: Entity, hadOne: Bool, in match: ModelMatch
    ) -> Expectation {
        if let fill = match.fill(of: attribute.name, in: owner.name) {
            // The results of expressions have tests of their own.
            guard case .literal(let value) = fill else { return .anything }
            guard let stored = match.new.stored(value, of: attribute) else { return .anything }
            return match.valueAround(attribute, of: owner) == nil
                ? .exactly(stored) : .exactlyOrNull(stored)
        }
        // An optional value that was missing stays missing.
        if hadOne, attribute.isOptional { return .exactly(.null) }
        switch attribute.defaultValue {
        case nil:
            // The program's own steps supply required values without another source.
            let isFilledByCode =
                !attribute.isOptional && match.new.migration?.steps.isEmpty == false
            return isFilledByCode ? .something : .exactly(.null)
        case .now, .newUUID: return .something
        case .constant: return .exactly(match.new.sqlDefault(of: attribute) ?? .null)
        }
    }
}

extension ValueLaw.Expectation {
    fileprivate var inExternalForm: ValueLaw.Expectation {
        guard case .exactly(.blob(let data)) = self else { return self }
        return .exactly(.blob([ExternalForm.inline] + data))
    }
}

extension Model {
    /// Returns the stored value as a value of another type, by Swift's own arithmetic and not by
    /// SQLite's.
    ///
    /// - Parameters:
    ///   - value: The value; it is not nil.
    ///   - old: Its type; for an enumeration, the type of the raw values.
    ///   - new: The new type.
    func expectation(
        of stored: StoredValue, from old: AttributeType, to new: AttributeType
    ) -> ValueLaw.Expectation {
        if old == new { return .exactly(stored) }
        // The store keeps a duration as a number of seconds with nine places.
        let seconds = AttributeType.decimal(scale: DurationStorage.scale)
        if old == .duration { return expectation(of: stored, from: seconds, to: new) }
        if new == .duration { return expectation(of: stored, from: old, to: seconds) }
        switch (stored, old, new) {
        case (_, .float, .double), (_, .date, .double), (_, .double, .date), (_, .uuid, .data),
            (_, .data, .uuid), (_, .uri, .string), (_, .codable, .string),
            (_, .codable, .codable):
            return .exactly(stored)
        case (.text(let text), _, .data):
            return .exactly(.blob(Data(text.utf8)))
        case (_, _, .string):
            return text(of: stored, old)
        case (.text(let text), .string, .bool):
            return .exactly(.integer(text == "1" || text == "true" ? 1 : 0))
        case (.text(let text), .string, .double):
            return Double(text).map { .exactly(.real($0)) } ?? .something
        case (.text(let text), .string, _):
            return exact(Decimal(string: text), as: new)
        case (.real(let number), .double, .decimal(let scale)):
            let units = (number * Self.powerOfTen(scale)).rounded()
            return Int64(exactly: units).map { .exactly(.integer($0)) } ?? .something
        case (.real(let number), .double, _):
            return Int64(exactly: number.rounded(.towardZero))
                .map { .exactly(.integer($0)) } ?? .something
        case (.integer(let units), .decimal(let scale), .double):
            return .exactly(.real(Double(units) / Self.powerOfTen(scale)))
        case (.integer(let number), _, .float), (.integer(let number), _, .double):
            return .exactly(.real(Double(number)))
        default:
            return exact(number(stored, old), as: new)
        }
    }

    private func text(of stored: StoredValue, _ old: AttributeType) -> ValueLaw.Expectation {
        switch (stored, old) {
        case (.integer(let value), .bool): .exactly(.text(value == 1 ? "true" : "false"))
        case (.integer(let value), .int16), (.integer(let value), .int32),
            (.integer(let value), .int64):
            .exactly(.text(String(value)))
        case (.real(let value), .double): .textOfDouble(value)
        case (.blob, .uuid):
            if case .uuid(let id)? = value(stored, as: old) {
                .exactly(.text(id.uuidString))
            } else {
                .something
            }
        default: number(stored, old).map { .text(of: $0) } ?? .something
        }
    }

    /// Returns the exact number of a value, if it is one.
    private func number(_ stored: StoredValue, _ type: AttributeType) -> Decimal? {
        switch value(stored, as: type) {
        case .bool(let value): value ? 1 : 0
        case .int(let value): Decimal(value)
        case .decimal(let value): value
        default: nil
        }
    }

    private func exact(_ number: Decimal?, as type: AttributeType) -> ValueLaw.Expectation {
        guard let number else { return .something }
        let value: StoredValue? =
            switch type {
            case .bool, .int16, .int32, .int64: Int64(number.description).map { .integer($0) }
            case .decimal, .anyDecimal: stored(.decimal(number), as: type)
            default: nil
            }
        // A number that does not fit is rejected, or belongs to a conversion that is unknown here.
        return value.map { .exactly($0) } ?? .something
    }

    private static func powerOfTen(_ exponent: Int) -> Double {
        (0..<exponent).reduce(1.0) { power, _ in power * 10 }
    }
}
