/// A function that SQL made from expressions calls and SQLite lacks, or has for ASCII only.
///
/// A connection registers all of them, as deterministic. Nothing in a schema uses one: other programs
/// could not write to the store.
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

    /// A function of expressions, with the value that it has in memory.
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
        ModelFunction.allCases.filter(\.descriptor.isCalledBySQL).map { StoreFunction($0) } + [
            fold, text, power, number, string, decimal, double, calculate, magnitude, total,
            sortKey,
        ]

    /// (text, options): without case or accents.
    package static let fold = StoreFunction("fold", 2) { _, arguments in
        guard case .text(let text) = arguments[0], case .integer(let bits) = arguments[1] else {
            return .null
        }
        return .text(text.folded(ComparisonOptions(rawValue: Int(truncatingIfNeeded: bits))))
    }

    /// (text, operator, text, options): 1 or 0; NULL where a text is NULL.
    package static let text = StoreFunction("text", 4) { functions, arguments in
        guard case .text(let text) = arguments[0], case .text(let name) = arguments[1],
            let relation = ComparisonOperator(rawValue: name),
            case .text(let other) = arguments[2], case .integer(let bits) = arguments[3]
        else { return .null }
        let options = ComparisonOptions(rawValue: Int(truncatingIfNeeded: bits))
        return .integer(try functions.texts.holds(text, relation, other, options) ? 1 : 0)
    }

    package static let power = StoreFunction("power", 2) { _, arguments in
        guard case .real(let base) = arguments[0], case .real(let exponent) = arguments[1] else {
            return .null
        }
        return NumberFunctions.double(base, .power, exponent).map { .real($0) } ?? .null
    }

    /// (text): the number that it spells.
    package static let number = StoreFunction("number", 1) { _, arguments in
        guard case .text(let text) = arguments[0] else { return .null }
        return NumberText.double(text).map { .real($0) } ?? .null
    }

    /// (number, scale): how it is written; the scale of a decimal, NULL for others.
    package static let string = StoreFunction("string", 2) { _, arguments in
        switch arguments[0] {
        case .real(let value): return .text(value.description)
        case .integer(let units):
            guard case .integer(let scale) = arguments[1] else { return .text(String(units)) }
            let places = Int(truncatingIfNeeded: scale)
            return .text(DecimalStorage.decimal(ofUnits: units, scale: places).description)
        case .blob(let bytes):
            return OrderedDecimal.decimal(of: bytes).map { .text($0.description) } ?? .null
        default: return .null
        }
    }

    /// (integer, scale): an exact number as ordered bytes.
    package static let decimal = StoreFunction("decimal", 2) { _, arguments in
        guard case .integer(let units) = arguments[0], case .integer(let scale) = arguments[1]
        else {
            return .null
        }
        return .decimal(
            DecimalStorage.decimal(ofUnits: units, scale: Int(truncatingIfNeeded: scale)))
    }

    /// (ordered bytes): the nearest floating-point number.
    package static let double = StoreFunction("double", 1) { _, arguments in
        arguments[0].decimal.map { .real(DecimalFunctions.double($0)) } ?? .null
    }

    /// (ordered bytes, operator, ordered bytes): the exact result, as ordered bytes.
    package static let calculate = StoreFunction("calculate", 3) { _, arguments in
        guard let one = arguments[0].decimal, case .text(let name) = arguments[1],
            let operation = ArithmeticOperator(rawValue: name), let other = arguments[2].decimal
        else { return .null }
        return .decimal(DecimalFunctions.calculate(one, operation, other))
    }

    /// (ordered bytes): without its sign.
    package static let magnitude = StoreFunction("magnitude", 1) { _, arguments in
        .decimal(arguments[0].decimal.map { abs($0) })
    }

    /// (hexadecimal forms of ordered bytes joined by commas, 0 or 1): their sum or their mean.
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

    /// (text, name of an order): bytes that are in that order.
    package static let sortKey = StoreFunction("sort_key", 2) { _, arguments in
        guard case .text(let text) = arguments[0], case .text(let name) = arguments[1],
            let order = TextOrder(name: name)
        else { return .null }
        return .blob(order.key(of: text))
    }
}

/// Calls the store's functions. It belongs to one connection: compiled patterns are kept in it.
package final class StoreFunctions {
    fileprivate var texts = TextRelation()
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

    /// What a function of expressions gave.
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
    /// What a function of expressions is called with.
    fileprivate init(_ value: StoredValue) {
        switch value {
        case .text(let text): self = .string(text)
        case .integer(let number): self = .int(number)
        case .real(let number): self = .double(number)
        default: self = .null
        }
    }
}
