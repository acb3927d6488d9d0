/// The functions that SQL made from expressions calls and SQLite lacks, or has for ASCII only.
///
/// A connection registers all of them, as deterministic, under their raw values. Nothing in a
/// schema uses one: other programs could not write to the store.
package enum StoreFunction: String, CaseIterable, Sendable {
    case uppercase = "cambium_uppercase"
    case lowercase = "cambium_lowercase"
    /// (text, options): without case or accents.
    case fold = "cambium_fold"
    /// (text, operator, text, options): 1 or 0; NULL where a text is NULL.
    case text = "cambium_text"
    case ceiling = "cambium_ceiling"
    case floor = "cambium_floor"
    case trunc = "cambium_trunc"
    case sqrt = "cambium_sqrt"
    case power = "cambium_power"
    /// (text): the number that it spells.
    case number = "cambium_number"
    /// (number, scale): how it is written; the scale of a decimal, NULL for others.
    case string = "cambium_string"
    /// (integer, scale): an exact number as ordered bytes.
    case decimal = "cambium_decimal"
    /// (ordered bytes): the nearest floating-point number.
    case double = "cambium_double"
    /// (ordered bytes, operator, ordered bytes): the exact result, as ordered bytes.
    case calculate = "cambium_calculate"
    /// (ordered bytes): without its sign.
    case magnitude = "cambium_magnitude"
    /// (hexadecimal forms of ordered bytes joined by commas, 0 or 1): their sum or their mean.
    case total = "cambium_total"
    /// (text, name of an order): bytes that are in that order.
    case sortKey = "cambium_sort_key"

    /// How many arguments it takes.
    package var argumentCount: Int {
        switch self {
        case .uppercase, .lowercase, .ceiling, .floor, .trunc, .sqrt, .number, .double, .magnitude:
            1
        case .fold, .power, .string, .decimal, .total, .sortKey: 2
        case .calculate: 3
        case .text: 4
        }
    }
}

/// Calls the store's functions. It belongs to one connection: compiled patterns are kept in it.
package final class StoreFunctions {
    private var texts = TextRelation()
    /// Whether the statement that runs is to end early; nil where nobody can say so.
    package var isInterrupted: (() -> Bool)?

    package init() {
        texts = TextRelation { [weak self] in Task.isCancelled || self?.isInterrupted?() == true }
    }

    /// The result for arguments of the right number; NULL where they are of other types.
    ///
    /// - Throws: What ``ExpressionEvaluator`` throws.
    package func call(
        _ function: StoreFunction, _ arguments: [StoredValue]
    ) throws -> StoredValue {
        guard arguments.count == function.argumentCount else { return .null }
        switch (function, arguments[0]) {
        case (.uppercase, .text(let text)): return .text(text.uppercased())
        case (.lowercase, .text(let text)): return .text(text.lowercased())
        case (.fold, .text(let text)):
            guard case .integer(let bits) = arguments[1] else { return .null }
            return .text(text.folded(ComparisonOptions(rawValue: Int(truncatingIfNeeded: bits))))
        case (.text, .text(let text)): return try relate(text, arguments)
        case (.ceiling, .real(let value)): return .real(value.rounded(.up))
        case (.floor, .real(let value)): return .real(value.rounded(.down))
        case (.trunc, .real(let value)): return .real(value.rounded(.towardZero))
        case (.sqrt, .real(let value)): return value < 0 ? .null : .real(value.squareRoot())
        case (.power, .real(let base)):
            guard case .real(let exponent) = arguments[1] else { return .null }
            return NumberFunctions.double(base, .power, exponent).map { .real($0) } ?? .null
        case (.number, .text(let text)):
            return NumberText.double(text).map { .real($0) } ?? .null
        case (.string, .real(let value)): return .text(value.description)
        case (.string, .integer(let units)):
            guard case .integer(let scale) = arguments[1] else { return .text(String(units)) }
            let places = Int(truncatingIfNeeded: scale)
            return .text(DecimalStorage.decimal(ofUnits: units, scale: places).description)
        case (.string, .blob(let bytes)):
            return OrderedDecimal.decimal(of: bytes).map { .text($0.description) } ?? .null
        case (.decimal, .integer(let units)):
            guard case .integer(let scale) = arguments[1] else { return .null }
            return .decimal(
                DecimalStorage.decimal(ofUnits: units, scale: Int(truncatingIfNeeded: scale)))
        case (.double, .blob(let bytes)):
            return OrderedDecimal.decimal(of: bytes).map { .real(DecimalFunctions.double($0)) }
                ?? .null
        case (.calculate, .blob(let bytes)): return calculate(bytes, arguments)
        case (.magnitude, .blob(let bytes)):
            return .decimal(OrderedDecimal.decimal(of: bytes).map { abs($0) })
        case (.total, .text(let forms)): return total(forms, isAverage: arguments[1] == .integer(1))
        case (.sortKey, .text(let text)):
            guard case .text(let name) = arguments[1], let order = TextOrder(name: name) else {
                return .null
            }
            return .blob(order.key(of: text))
        case (.total, .null) where arguments[1] == .integer(0): return .decimal(0)
        default: return .null
        }
    }

    private func calculate(_ bytes: Data, _ arguments: [StoredValue]) -> StoredValue {
        guard case .text(let name) = arguments[1], case .blob(let others) = arguments[2],
            let operation = ArithmeticOperator(rawValue: name),
            let one = OrderedDecimal.decimal(of: bytes),
            let other = OrderedDecimal.decimal(of: others)
        else { return .null }
        return .decimal(DecimalFunctions.calculate(one, operation, other))
    }

    private func total(_ forms: String, isAverage: Bool) -> StoredValue {
        var values: [Decimal] = []
        for form in forms.split(separator: ",") {
            guard let bytes = NumberText.bytes("0x\(form)"),
                let value = OrderedDecimal.decimal(of: bytes)
            else { return .null }
            values.append(value)
        }
        return .decimal(
            isAverage ? DecimalFunctions.average(values) : DecimalFunctions.sum(values))
    }

    private func relate(_ text: String, _ arguments: [StoredValue]) throws -> StoredValue {
        guard case .text(let name) = arguments[1],
            let relation = ComparisonOperator(rawValue: name),
            case .text(let other) = arguments[2], case .integer(let bits) = arguments[3]
        else { return .null }
        let options = ComparisonOptions(rawValue: Int(truncatingIfNeeded: bits))
        return .integer(try texts.holds(text, relation, other, options) ? 1 : 0)
    }
}

extension StoredValue {
    /// An exact number of any scale as columns hold it; NULL for none.
    fileprivate static func decimal(_ value: Decimal?) -> StoredValue {
        value.flatMap(OrderedDecimal.bytes).map { .blob($0) } ?? .null
    }
}
