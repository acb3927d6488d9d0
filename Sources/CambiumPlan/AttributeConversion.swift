import CambiumModel

/// A lossless conversion of stored values of one type to another type. If the new type cannot hold
/// a value, the migration fails.
package struct AttributeConversion {
    /// The new value.
    package let value: ConvertedValue
    /// The condition for an old value (not NULL) to have a new form; nil if every value has one.
    let fits: ConversionCondition?
    /// The condition for the new form to equal the old value, even if it is out of range for the
    /// new type. A fill that uses the value can then correct it. It is nil if the condition is
    /// always true.
    let isExact: ConversionCondition?
    /// Whether the types differ only in Swift, so that the store does not change.
    var isSameThing = false
    /// The old and the new type of the values. For an enumeration, it is the type of the raw
    /// values.
    package private(set) var types: (old: AttributeType, new: AttributeType) = (.data, .data)
}

extension AttributeConversion {
    init(
        _ value: ConvertedValue = .same, fits: ConversionCondition? = nil, isSameThing: Bool = false
    ) {
        self.init(value: value, fits: fits, isExact: fits, isSameThing: isSameThing)
    }

    /// Returns the condition for the old value to be accepted.
    ///
    /// - Parameter isRevised: Whether a fill computes the new value from the old one.
    package func acceptance(isRevised: Bool) -> ConversionCondition? { isRevised ? isExact : fits }

    /// Whether values that fit stay as they are.
    package var keepsValues: Bool { if case .same = value { true } else { false } }

    /// Finds the conversion from one attribute's values to another's, or nil if there is no safe
    /// one.
    package init?(
        from old: Attribute, in oldModel: Model, to new: Attribute, in newModel: Model
    ) {
        guard
            let plain = AttributeConversion(
                from: old.type, in: oldModel, to: new.type, in: newModel)
        else { return nil }
        defer { types = (oldModel.plainType(of: old.type), newModel.plainType(of: new.type)) }
        switch (old.usesExternalForm, new.usesExternalForm) {
        case (true, true), (false, false): self = plain
        case (false, true): self.init(.external(plain.value), fits: plain.fits)
        // A statement cannot read a value that is in a file.
        case (true, false): self.init(.content(plain.value), fits: .isInline(and: plain.fits))
        }
    }

    /// Creates the conversion for values that are not in files.
    init?(from old: AttributeType, in oldModel: Model, to new: AttributeType, in newModel: Model) {
        guard
            let base = Self.base(
                from: oldModel.plainType(of: old), to: newModel.plainType(of: new))
        else { return nil }
        guard case .enumeration(let name) = new, let target = newModel.enumeration(named: name)
        else {
            self = base
            return
        }
        let ways = Self.replacements(from: old, in: oldModel, to: name, in: newModel)
        if old == new, oldModel.plainType(of: old) == newModel.plainType(of: new) {
            self = base.replacing(ways)
            return
        }
        if case .enumeration(let name) = old, let before = oldModel.enumeration(named: name),
            before.cases.allSatisfy({ item in
                target.successor(of: item) != nil || ways.contains { $0.name == item.name }
            })
        {
            self = AttributeConversion(base.value).replacing(ways)
            return
        }
        let cases = target.cases.compactMap { newModel.stored($0.rawValue, as: new) }
        self = AttributeConversion(
            value: base.value, fits: .isOne(of: cases, base.value, and: base.fits),
            isExact: base.isExact
        ).replacing(ways)
    }

    /// Beyond 2^53, a real may differ from the integer that was meant.
    private static let wholeReals = -(1 << 53)...Int64(1 << 53)

    private static func base(
        from old: AttributeType, to new: AttributeType
    ) -> AttributeConversion? {
        if old == new { return AttributeConversion() }
        // As a number of seconds. An integer may as well be a number of milliseconds.
        let seconds = AttributeType.decimal(scale: DurationStorage.scale)
        switch (old, new) {
        case (.duration, .double), (.duration, .decimal), (.duration, .anyDecimal):
            return base(from: seconds, to: new)
        case (.double, .duration), (.decimal, .duration), (.anyDecimal, .duration):
            return base(from: old, to: seconds)
        case (.duration, _), (_, .duration):
            return nil
        case (.float, .double), (.date, .double), (.double, .date),
            (.uri, .string), (.uuid, .data), (.codable, .string):
            return AttributeConversion()
        case (.data, .uuid):
            return AttributeConversion(fits: .isUUID)
        case (.codable, .codable):
            // Only the class determines the JSON that it can decode.
            return AttributeConversion(isSameThing: true)
        case (.string, .data), (.uri, .data), (.codable, .data):
            return AttributeConversion(.cast(.blob))
        case (.int16, .string), (.int32, .string), (.int64, .string):
            return AttributeConversion(.cast(.text))
        case (_, .double) where old.descriptor.integers != nil:
            return AttributeConversion(
                .cast(.real), fits: old == .int64 ? .within(wholeReals) : nil)
        case (.bool, .float), (.int16, .float):
            return AttributeConversion(.cast(.real))
        case (.double, _) where new.descriptor.integers != nil:
            return AttributeConversion(
                value: .cast(.integer),
                fits: .isWhole(within: new.descriptor.integers?.clamped(to: wholeReals)),
                isExact: .isWhole(within: nil))
        case (.decimal(let scale), .double):
            return AttributeConversion(
                .real(ofUnits: DecimalStorage.powerOfTen(scale)), fits: .within(wholeReals))
        case (.double, .decimal(let scale)):
            let factor = DecimalStorage.powerOfTen(scale)
            return AttributeConversion(.units(perOne: factor), fits: .hasUnits(perOne: factor))
        case (.anyDecimal, _), (_, .anyDecimal):
            return unscaled(from: old, to: new)
        case (_, .string):
            return written(old)
        case (.string, _):
            return read(as: new)
        default:
            return exact(from: old, to: new)
        }
    }

    // MARK: Texts

    // Types that other programs write in many ways, such as dates, have no text form here.

    /// Returns the conversion to a text that can be converted back to the value.
    private static func written(_ old: AttributeType) -> AttributeConversion? {
        switch old {
        case .bool: AttributeConversion(.textOfBool)
        case .double: AttributeConversion(.textOfReal, fits: .isReadAgainFromText)
        case .decimal(let scale):
            AttributeConversion(.call(.decimalText, of: .call(.decimalBytes, scale: scale)))
        case .uuid: AttributeConversion(.textOfUUID)
        default: nil
        }
    }

    /// Returns the conversion from a text, for values that have a text form.
    private static func read(as new: AttributeType) -> AttributeConversion? {
        switch new {
        case .bool: return AttributeConversion(.boolOfText, fits: .isTextOfBool)
        case .int16, .int32, .int64:
            return AttributeConversion(
                value: .cast(.integer),
                fits: .isTextOfInteger(within: new == .int64 ? nil : new.descriptor.integers),
                isExact: .isTextOfInteger(within: nil))
        case .double: return AttributeConversion(.cast(.real), fits: .isTextOfReal)
        case .decimal(let scale):
            let units = ConvertedValue.call(
                .decimalUnits, of: .call(.decimalOfText), scale: scale)
            return AttributeConversion(units, fits: .has(units))
        default: return nil
        }
    }

    // MARK: Exact numbers

    /// Returns the conversion from or to decimals of any scale. The store's engine cannot compute
    /// with their form.
    private static func unscaled(
        from old: AttributeType, to new: AttributeType
    ) -> AttributeConversion? {
        if let scale = scale(of: old), new == .anyDecimal {
            return AttributeConversion(.call(.decimalBytes, scale: scale))
        }
        if let scale = scale(of: new), old == .anyDecimal {
            let units = ConvertedValue.call(.decimalUnits, scale: scale)
            return AttributeConversion(
                value: units, fits: .has(units, within: new.descriptor.integers),
                isExact: .has(units))
        }
        switch (old, new) {
        case (.anyDecimal, .string):
            return AttributeConversion(.call(.decimalText))
        case (.string, .anyDecimal):
            return AttributeConversion(
                .call(.decimalOfText), fits: .has(.call(.decimalOfText)))
        default:
            return nil
        }
    }

    /// Returns the conversion between integers and decimals. Decimals are integers of units.
    private static func exact(
        from old: AttributeType, to new: AttributeType
    ) -> AttributeConversion? {
        guard let oldScale = scale(of: old), let newScale = scale(of: new) else { return nil }
        let all = Int64.min...Int64.max
        let range = new.descriptor.integers ?? all
        if newScale >= oldScale {
            let factor = DecimalStorage.powerOfTen(newScale - oldScale)
            let oldRange = old.descriptor.integers ?? all
            let lower = max(range.lowerBound / factor, -Int64.max)
            let upper = range.upperBound / factor
            let isFree = oldRange.lowerBound >= lower && oldRange.upperBound <= upper
            let isWhole = factor == 1 && range == all
            let most = Int64.max / factor
            let overflows = oldRange.lowerBound < -most || oldRange.upperBound > most
            return AttributeConversion(
                value: factor == 1 ? .same : .multiplied(by: factor),
                fits: isFree || isWhole ? nil : .within(lower...upper),
                isExact: factor > 1 && overflows ? .within(-most...most) : nil)
        }
        let factor = DecimalStorage.powerOfTen(oldScale - newScale)
        return AttributeConversion(
            value: .divided(by: factor),
            fits: .isMultiple(of: factor, within: range == all ? nil : range),
            isExact: .isMultiple(of: factor, within: nil))
    }

    private static func scale(of type: AttributeType) -> Int? {
        switch type {
        case .bool, .int16, .int32, .int64: 0
        case .decimal(let scale): scale
        default: nil
        }
    }

    // MARK: Cases

    /// Returns the deleted cases of an enumeration, with the replacements that the author declares.
    /// A renamed enumeration is found by its new name.
    package static func replacements(
        from old: AttributeType, in oldModel: Model, to name: String, in newModel: Model
    ) -> [CaseReplacement] {
        guard case .enumeration(let former) = old,
            former == name || oldModel.enumeration(named: name) == nil
        else { return [] }
        func stored(_ item: String, of enumeration: String, _ model: Model) -> StoredValue? {
            let found = model.enumeration(named: enumeration)?.item(named: item)
            return found.flatMap { model.stored($0.rawValue, as: .enumeration(enumeration)) }
        }
        return (newModel.migration?.replacements ?? []).filter { $0.enumeration == name }
            .compactMap { way in
                stored(way.name, of: former, oldModel).map { gone in
                    let other = way.replacement.flatMap { stored($0, of: name, newModel) }
                    return CaseReplacement(name: way.name, gone: gone, other: other ?? .null)
                }
            }
    }

    /// Returns the conversion with replacements for deleted cases. Cases are identified by their
    /// old values, and these need not fit.
    private func replacing(_ ways: [CaseReplacement]) -> Self {
        guard !ways.isEmpty else { return self }
        return AttributeConversion(
            value: .replaced(ways, or: value), fits: fits.map { .isReplaced(ways, or: $0) },
            isExact: isExact.map { .isReplaced(ways, or: $0) })
    }
}

extension Enumeration {
    /// The case that objects with one of the old version have, without a word of the author.
    func successor(of item: EnumerationCase) -> EnumerationCase? {
        item.rawValue(as: rawType).flatMap { raw in cases.first { $0.rawValue == raw } }
    }
}

extension EnumerationCase {
    /// Returns the raw value as a value of another type; nil if it has no form there.
    func rawValue(as type: AttributeType) -> Value? {
        switch (rawValue, type) {
        case (.int(let number), .string): .string("\(number)")
        case (.string(let text), .int16), (.string(let text), .int32), (.string(let text), .int64):
            Int64(text).flatMap { "\($0)" == text ? .int($0) : nil }
                .flatMap { Self.fits($0, type) ? $0 : nil }
        case (.int, _): Self.fits(rawValue, type) ? rawValue : nil
        default: rawValue
        }
    }

    private static func fits(_ value: Value, _ type: AttributeType) -> Bool {
        guard case .int(let number) = value, let range = type.descriptor.integers else {
            return true
        }
        return range.contains(number)
    }
}

/// The conversion of a stored value from another type.
package indirect enum ConvertedValue: Sendable {
    /// The unchanged value.
    case same
    /// The value as one of another storage class.
    case cast(StorageClass)
    case multiplied(by: Int64)
    case divided(by: Int64)
    /// A number, from integer units, with this many units per one.
    case real(ofUnits: Int64)
    /// Integer units from a number, with this many units per one.
    case units(perOne: Int64)
    /// The result of a function of a value and, if given, a scale.
    case call(ConversionFunction, of: ConvertedValue = .same, scale: Int? = nil)
    case textOfBool
    case boolOfText
    case textOfReal
    case textOfUUID
    /// The replacements of deleted cases. The cases are identified by their old values.
    case replaced([CaseReplacement], or: ConvertedValue)
    /// The external form of a value, in its row.
    case external(ConvertedValue)
    /// A value computed from the inline content of an external form.
    case content(ConvertedValue)
}

/// The condition for a stored value to be convertible to another type. The value is not NULL.
package indirect enum ConversionCondition: Sendable {
    case within(ClosedRange<Int64>)
    /// There is such a value, and it is within a range.
    case has(ConvertedValue, within: ClosedRange<Int64>? = nil)
    /// The value is a multiple of a number, and the quotient is within a range.
    case isMultiple(of: Int64, within: ClosedRange<Int64>?)
    case isUUID
    /// A real number is an integer, within a range or as far as reals distinguish integers.
    case isWhole(within: ClosedRange<Int64>?)
    /// A real number is an integer number of units, with this many units per one.
    case hasUnits(perOne: Int64)
    case isReadAgainFromText
    case isTextOfBool
    case isTextOfInteger(within: ClosedRange<Int64>?)
    case isTextOfReal
    /// The converted value is one of some values.
    case isOne(of: [StoredValue], ConvertedValue, and: ConversionCondition?)
    /// The value is one of the replaced cases, or meets another condition.
    case isReplaced([CaseReplacement], or: ConversionCondition)
    /// An external form is in its row, and meets another condition.
    case isInline(and: ConversionCondition?)
}

/// A deleted case and its replacement.
package struct CaseReplacement: Sendable {
    /// The name of the deleted case.
    let name: String
    /// The stored value of the removed case.
    package let gone: StoredValue
    /// The stored value of its replacement; null if there is none.
    package let other: StoredValue
}
