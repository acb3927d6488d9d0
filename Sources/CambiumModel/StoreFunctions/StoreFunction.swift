/// A function that the SQL of expressions calls because SQLite lacks it or has it for ASCII only.
///
/// Each connection registers all functions as deterministic. No schema uses a store function:
/// otherwise, programs without the functions could not write to the store.
package struct StoreFunction: Sendable {
    package let name: String
    package let argumentCount: Int
    /// The result; NULL for arguments of other types.
    fileprivate let call: @Sendable (StoreFunctions, [StoredValue]) throws -> StoredValue

    private init(
        _ name: String, _ argumentCount: Int,
        _ call: @escaping @Sendable (StoreFunctions, [StoredValue]) throws -> StoredValue
    ) {
        self.name = "cambium_" + name
        self.argumentCount = argumentCount
        self.call = call
    }

    /// A function of the model's expressions. The value is the same as in memory.
    package init(_ function: ModelFunction) {
        let descriptor = function.descriptor
        self.init(function.rawValue.lowercased(), descriptor.arguments.count) { _, arguments in
            var values = FunctionArguments(first: Value(arguments[0]), type: .null)
            if arguments.count > 1 { values.second = Value(arguments[1]) }
            if arguments.count > 2 { values.third = Value(arguments[2]) }
            return StoredValue(descriptor.value(values))
        }
    }

    package static let all =
        ModelFunction.allCases.filter { $0.descriptor.isCalledBySQL }.map { StoreFunction($0) } + [
            fold, text, power, number, string, decimal, double, calculate, magnitude, total,
            sortKey,
        ]

    /// `fold(text, options)`: the text without case, without accents, or without both.
    package static let fold = StoreFunction("fold", 2) { _, arguments in
        guard let text = arguments[0].text, let bits = arguments[1].integer else { return .null }
        return .text(text.folded(ComparisonOptions(rawValue: Int(truncatingIfNeeded: bits))))
    }

    /// `text(text, operator, text, options)`: 1 if the comparison is true, 0 if it is false, NULL
    /// if a text is NULL.
    package static let text = StoreFunction("text", 4) { functions, arguments in
        guard let text = arguments[0].text, let name = arguments[1].text,
            let relation = ComparisonOperator(rawValue: name), let other = arguments[2].text,
            let bits = arguments[3].integer
        else { return .null }
        let options = ComparisonOptions(rawValue: Int(truncatingIfNeeded: bits))
        return .integer(try functions.texts.holds(text, relation, other, options) ? 1 : 0)
    }

    package static let power = StoreFunction("power", 2) { _, arguments in
        guard case .real(let base) = arguments[0], case .real(let exponent) = arguments[1] else {
            return .null
        }
        guard let power = NumberFunctions.double(base, .power, exponent) else { return .null }
        return .real(power)
    }

    /// `number(text)`: the number that the text spells.
    package static let number = StoreFunction("number", 1) { _, arguments in
        guard let text = arguments[0].text, let number = NumberText.double(text) else {
            return .null
        }
        return .real(number)
    }

    /// `string(number, scale)`: the number as text. The scale is NULL if the type is not decimal.
    package static let string = StoreFunction("string", 2) { _, arguments in
        switch arguments[0] {
        case .real(let value): return .text(value.description)
        case .integer(let units):
            guard let scale = arguments[1].integer else { return .text(units.description) }
            let places = Int(truncatingIfNeeded: scale)
            return .text(DecimalStorage.decimal(ofUnits: units, scale: places).description)
        default:
            guard let number = arguments[0].decimal else { return .null }
            return .text(number.description)
        }
    }

    /// `decimal(integer, scale)`: the exact number as ordered bytes.
    package static let decimal = StoreFunction("decimal", 2) { _, arguments in
        guard let units = arguments[0].integer, let scale = arguments[1].integer else {
            return .null
        }
        return .decimal(
            DecimalStorage.decimal(ofUnits: units, scale: Int(truncatingIfNeeded: scale)))
    }

    /// `double(ordered bytes)`: the nearest floating-point number.
    package static let double = StoreFunction("double", 1) { _, arguments in
        guard let number = arguments[0].decimal else { return .null }
        return .real(DecimalFunctions.double(number))
    }

    /// `calculate(ordered bytes, operator, ordered bytes)`: the exact result as ordered bytes.
    package static let calculate = StoreFunction("calculate", 3) { _, arguments in
        guard let one = arguments[0].decimal, let name = arguments[1].text,
            let operation = ArithmeticOperator(rawValue: name), let other = arguments[2].decimal
        else { return .null }
        return .decimal(DecimalFunctions.calculate(one, operation, other))
    }

    /// `magnitude(ordered bytes)`: the number without its sign, as ordered bytes.
    package static let magnitude = StoreFunction("magnitude", 1) { _, arguments in
        .decimal(arguments[0].decimal.map { abs($0) })
    }

    /// `total(numbers, isMean)`: the sum of the numbers, or their mean if `isMean` is 1. The
    /// numbers are ordered bytes in hexadecimal form, separated by commas.
    package static let total = StoreFunction("total", 2) { _, arguments in
        let isMean = arguments[1] == .integer(1)
        switch arguments[0] {
        case .null: return isMean ? .null : .decimal(0)
        case .text(let forms):
            var values: [Decimal] = []
            for form in forms.split(separator: ",") {
                guard let bytes = NumberText.bytes("0x\(form)"),
                    let value = OrderedDecimal.decimal(of: bytes)
                else { return .null }
                values.append(value)
            }
            return .decimal(
                isMean ? DecimalFunctions.average(values) : DecimalFunctions.sum(values))
        default: return .null
        }
    }

    /// `sort_key(text, order)`: bytes that sort as the text does in the named order.
    package static let sortKey = StoreFunction("sort_key", 2) { _, arguments in
        guard let text = arguments[0].text, let name = arguments[1].text,
            let order = TextOrder(name: name)
        else { return .null }
        return .blob(order.key(of: text))
    }
}

/// Calls the store's functions. It belongs to one connection: compiled patterns are kept in it.
package final class StoreFunctions {
    fileprivate var texts = TextRelation()
    /// Whether the running statement should end early; nil if it cannot be interrupted.
    package var isInterrupted: (() -> Bool)?

    package init() {
        texts = TextRelation { [weak self] in Task.isCancelled || self?.isInterrupted?() == true }
    }

    /// Returns the result for arguments of the right number; NULL if they have other types.
    ///
    /// - Throws: The errors of ``ExpressionEvaluator``.
    package func call(
        _ function: StoreFunction, _ arguments: [StoredValue]
    ) throws -> StoredValue {
        guard arguments.count == function.argumentCount else { return .null }
        return try function.call(self, arguments)
    }
}

extension StoredValue {
    /// An exact number of any scale as columns hold it; NULL for none.
    static func decimal(_ value: Decimal?) -> StoredValue {
        if let value { bytes(OrderedDecimal.bytes(of: value)) } else { .null }
    }

    /// Bytes; NULL for none.
    static func bytes(_ data: Data?) -> StoredValue {
        if let data { .blob(data) } else { .null }
    }

    /// The exact number of any scale that a column holds.
    var decimal: Decimal? {
        if case .blob(let bytes) = self { OrderedDecimal.decimal(of: bytes) } else { nil }
    }

    /// The result of a function of expressions.
    fileprivate init(_ value: Value) {
        switch value {
        case .string(let text): self = .text(text)
        case .int(let number): self = .integer(number)
        case .double(let number): self = .real(number)
        default: self = .null
        }
    }
}

extension Value {
    /// An argument of a function of expressions.
    fileprivate init(_ value: StoredValue) {
        switch value {
        case .text(let text): self = .string(text)
        case .integer(let number): self = .int(number)
        case .real(let number): self = .double(number)
        default: self = .null
        }
    }
}

/// The functions that a migration calls to convert values if SQLite cannot compute the new form.
///
/// Each connection registers these functions in addition to ``StoreFunction``. No schema uses them.
package enum ConversionFunction: String, CaseIterable, Sendable {
    /// `(units, scale)`: the bytes of the exact decimal.
    case decimalBytes = "cambium_decimal_bytes"
    /// `(bytes, scale)`: the number in units of the scale. The result is NULL if the number has
    /// more decimal places than the scale, or is too great for 64 bits.
    case decimalUnits = "cambium_decimal_units"
    /// `(bytes)`: the number as text.
    case decimalText = "cambium_decimal_text"
    /// `(text)`: the bytes of the number that the text spells, or NULL if the text is not a number.
    case decimalOfText = "cambium_decimal_of_text"
    /// `(number or text)`: the bytes of a decimal. A text gives the decimal that the text spells. A
    /// number gives the decimal with the fewest digits that is read as the same number. All other
    /// values give NULL.
    case decimalOfNumber = "cambium_decimal_of_number"
    /// `(number)`: the bytes of the decimal with at most 15 digits, and at most six of them after
    /// the point, that is exactly this number when it is read as a floating-point number. The
    /// result is NULL if there is no such decimal. ``decimalOfNumber`` then converts the text of
    /// the number.
    case decimalOfShortNumber = "cambium_decimal_of_short_number"
    /// `(bytes, type)`: the JSON of values that Core Data archived, in the form that the Swift type
    /// decodes. The result is NULL if the values have another type or cannot be written as JSON. An
    /// empty type name means any type.
    case archiveJSON = "cambium_archive_json"
    /// `(text)`: the text with U+FFFF in place of each NUL. SQLite's functions that stop at a NUL
    /// then see the whole text. (Its `replace()` does not find a NUL.)
    case wholeText = "cambium_whole_text"

    /// The number of arguments.
    package var argumentCount: Int {
        switch self {
        case .decimalBytes, .decimalUnits, .archiveJSON: 2
        case .decimalText, .decimalOfText, .decimalOfNumber, .decimalOfShortNumber, .wholeText: 1
        }
    }

    /// Returns the result for arguments of the right number; NULL if they have other types.
    package func call(_ arguments: [StoredValue]) -> StoredValue {
        guard let first = arguments.first, let last = arguments.last else { return .null }
        switch self {
        case .decimalBytes:
            guard let units = first.integer, let scale = last.integer else { return .null }
            return .decimal(DecimalStorage.decimal(ofUnits: units, scale: Int(scale)))
        case .decimalUnits:
            guard let value = first.decimal, let scale = last.integer,
                let units = DecimalStorage.units(of: value, scale: Int(scale))
            else { return .null }
            return .integer(units)
        case .decimalText:
            guard let value = first.decimal else { return .null }
            return .text(value.description)
        case .decimalOfText:
            guard let text = first.text else { return .null }
            return .decimal(Self.decimal(text))
        case .decimalOfNumber:
            let digits: String
            switch first {
            case .integer(let number): digits = number.description
            case .real(let number): digits = number.description
            case .text(let text): digits = text
            default: return .null
            }
            return .bytes(OrderedDecimal.bytes(spelled: digits))
        case .decimalOfShortNumber:
            switch first {
            case .integer(let number): return .bytes(OrderedDecimal.bytes(ofShort: Double(number)))
            case .real(let number): return .bytes(OrderedDecimal.bytes(ofShort: number))
            default: return .null
            }
        case .archiveJSON:
            guard case .blob(let bytes) = first, let type = last.text,
                let json = ArchivedJSON.text(of: bytes, as: type)
            else { return .null }
            return .text(json)
        case .wholeText:
            guard let text = first.text else { return .null }
            guard text.utf8.contains(0) else { return first }
            return .text(text.replacing("\0", with: "\u{FFFF}"))
        }
    }

    /// Returns the number that the complete text spells, with a decimal point and without an
    /// exponent. Foundation would also accept a text that only begins with a number.
    private static func decimal(_ text: String) -> Decimal? {
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
        let count = digits.utf8.count { $0 != UInt8(ascii: ".") }
        guard (1...2).contains(parts.count), (1...38).contains(count),
            parts.allSatisfy({ part in
                !part.isEmpty && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
            })
        else { return nil }
        return Decimal(string: text)
    }
}

/// The function that checks a text written by another program.
package enum TextCheck {
    /// (text): 1 if it has a NUL or is not UTF-8, else 0; 0 for a value that is not a string.
    package static let name = "cambium_is_no_text"

    /// Whether bytes are UTF-8 without a NUL.
    package static func isSound(_ bytes: UnsafeRawBufferPointer) -> Bool {
        // Safety: all positions are within the bytes, and the caller keeps the bytes alive.
        let ones: UInt64 = 0x0101_0101_0101_0101
        var place = 0
        while place + 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            // Eight of ASCII's, none of them 0.
            guard (word | (word &- ones)) & (ones << 7) == 0 else { break }
            place += 8
        }
        let rest = bytes[place...]
        if rest.allSatisfy({ $0 != 0 && $0 < 0x80 }) { return true }
        return !rest.contains(0) && String(validating: rest, as: UTF8.self) != nil
    }
}
