import CambiumModel

/// How a stored value is computed from one of another type.
package indirect enum ConvertedValue: Sendable {
    /// The value as it is.
    case same
    /// The value as one of another storage class.
    case cast(StorageClass)
    case multiplied(by: Int64)
    case divided(by: Int64)
    /// A number, from so many units of it that are one.
    case real(ofUnits: Int64)
    /// Whole units, of which so many are one, from a number.
    case units(perOne: Int64)
    /// What a function makes of a value and, if given, a scale.
    case call(ConversionFunction, of: ConvertedValue = .same, scale: Int? = nil)
    case textOfBool
    case boolOfText
    case textOfReal
    case textOfUUID
    /// Other cases in the place of those that are gone, which are told by their old values.
    case replaced([CaseReplacement], or: ConvertedValue)
    /// The external form of a value, in its row.
    case external(ConvertedValue)
    /// Computed from what an external form has in its row.
    case content(ConvertedValue)
}

/// What has to be true of a stored value, which is not NULL, so that it can become one of another type.
package indirect enum ConversionCondition: Sendable {
    case within(ClosedRange<Int64>)
    /// There is such a value, and it is within a range.
    case has(ConvertedValue, within: ClosedRange<Int64>? = nil)
    /// It is a multiple, and the quotient is within a range.
    case isMultiple(of: Int64, within: ClosedRange<Int64>?)
    case isUUID
    /// A real number is a whole one, within a range or as far as reals tell whole numbers apart.
    case isWhole(within: ClosedRange<Int64>?)
    /// A real number has whole units, of which so many are one.
    case hasUnits(perOne: Int64)
    case isReadAgainFromText
    case isTextOfBool
    case isTextOfInteger(within: ClosedRange<Int64>?)
    case isTextOfReal
    /// What it becomes is one of some values.
    case isOne(of: [StoredValue], ConvertedValue, and: ConversionCondition?)
    /// It is one of the cases that are replaced, or meets another condition.
    case isReplaced([CaseReplacement], or: ConversionCondition)
    /// An external form is in its row, and meets another condition.
    case isInline(and: ConversionCondition?)
}

/// A case that is gone and the one in its place.
package struct CaseReplacement: Sendable {
    /// The name of the case that is gone.
    let name: String
    /// Its stored value.
    package let gone: StoredValue
    /// The stored value of the one in its place; null if there is none.
    package let other: StoredValue
}
