/// A function of the expression language: its spelling, its arguments and its value. If an engine
/// has the function itself, `ExpressionSQL` writes its SQL.
package final class FunctionDescriptor: Sendable {
    /// The syntax of a function.
    enum Spelling: Sendable {
        /// `name(a)` or `name:(a)`; for `name:second`, as Core Data's functions are called,
        /// `name:second:(a, b)`.
        case call(String)
        /// `CAST(a, 'NSString')`.
        case cast(String)
    }

    let spelling: Spelling
    /// The names of its arguments, as messages and the documentation have them.
    package let arguments: [String]
    /// Other names of the type in `CAST`, in lower case.
    let otherCasts: [String]
    /// The methods that `FUNCTION(a, 'name')` calls for it, in lower case.
    let methods: [String]
    /// The types of parameters as its arguments, used if nothing else gives a type; nil for any.
    let parameterTypes: [ExpressionType?]
    /// Whether SQLite computes it without the program, so that an index can use it, for an argument
    /// of a type.
    let isInSQLite: @Sendable (ExpressionType?) -> Bool
    /// Whether SQL calls the program for its value. Then ``value`` supports only strings, integers
    /// and floating-point numbers as arguments.
    package let isCalledBySQL: Bool
    /// Returns the least and the greatest integer result; nil if they are unknown.
    let bounds: @Sendable ([TypedExpression]) -> ClosedRange<Int64>?
    /// Returns the call with its type; nil if the function does not apply to arguments of these
    /// types.
    let typed: @Sendable ([TypedExpression]) -> TypedExpression?
    /// The value; nil for arguments that it does not apply to.
    let value: @Sendable (FunctionArguments) -> Value

    init(
        spelling: Spelling, arguments: [String], otherCasts: [String] = [], methods: [String] = [],
        parameterTypes: [ExpressionType?] = [],
        isInSQLite: @escaping @Sendable (ExpressionType?) -> Bool = { _ in false },
        isCalledBySQL: Bool = false,
        bounds: @escaping @Sendable ([TypedExpression]) -> ClosedRange<Int64>? = { _ in nil },
        typed: @escaping @Sendable ([TypedExpression]) -> TypedExpression?,
        value: @escaping @Sendable (FunctionArguments) -> Value = { _ in .null }
    ) {
        self.spelling = spelling
        self.arguments = arguments
        self.otherCasts = otherCasts
        self.methods = methods
        self.parameterTypes = parameterTypes
        self.isInSQLite = isInSQLite
        self.isCalledBySQL = isCalledBySQL
        self.bounds = bounds
        self.typed = typed
        self.value = value
    }

    /// The syntax of a call.
    func text(of operands: [String]) -> String {
        let list = operands.joined(separator: ", ")
        return switch spelling {
        case .cast(let type): "CAST(\(list), '\(type)')"
        case .call(let name): operands.isEmpty ? "\(name)()" : "\(name):(\(list))"
        }
    }
}

extension ModelFunction {
    /// The description of the function.
    package var descriptor: FunctionDescriptor {
        switch self {
        case .now: .now
        case .uuid: .uuid
        case .length: .length
        case .uppercase: .uppercase
        case .lowercase: .lowercase
        case .canonical: .canonical
        case .substring: .substring
        case .left: .left
        case .right: .right
        case .indexOf: .indexOf
        case .replace: .replace
        case .trim: .trim
        case .abs: .abs
        case .ceiling: .ceiling
        case .floor: .floor
        case .trunc: .trunc
        case .sqrt: .sqrt
        case .modulus: .modulus
        case .string: .string
        case .text: .text
        case .number: .number
        case .date: .date
        case .entity: .entity
        }
    }

    /// The functions that are called by a name, by that in lower case.
    static let byName = Dictionary(
        uniqueKeysWithValues: allCases.compactMap { function in
            if case .call(let name) = function.descriptor.spelling {
                (name.lowercased(), function)
            } else {
                nil
            }
        })

    /// The functions that `CAST` calls, by the names of the types in lower case.
    static let byCast = Dictionary(
        uniqueKeysWithValues: allCases.flatMap { function in
            var names = function.descriptor.otherCasts
            if case .cast(let name) = function.descriptor.spelling {
                names.append(name.lowercased())
            }
            return names.map { ($0, function) }
        })

    /// The functions that `FUNCTION` calls, by the names of the methods in lower case.
    static let byMethod = Dictionary(
        uniqueKeysWithValues: allCases.flatMap { function in
            function.descriptor.methods.map { ($0, function) }
        })
}

/// The values that a function is called with.
struct FunctionArguments {
    let first: Value
    /// The type of the first.
    let type: ExpressionType
    /// The second argument, or `null` if there are fewer arguments.
    var second = Value.null
    var third = Value.null
}

extension FunctionDescriptor {
    /// A function of strings and integers that no engine needs to have: SQL calls the program.
    ///
    /// - Parameters:
    ///   - arguments: Their names and types.
    ///   - result: The type of its values.
    @inline(never)
    static func ofText(
        _ function: ModelFunction, _ arguments: KeyValuePairs<String, ExpressionType>,
        to result: ExpressionType, methods: [String] = [],
        bounds: ClosedRange<Int64>? = nil,
        _ value: @escaping @Sendable (FunctionArguments) -> Value
    ) -> FunctionDescriptor {
        let types = arguments.map { $0.value }
        return FunctionDescriptor(
            spelling: .call(function.rawValue), arguments: arguments.map { $0.key },
            methods: methods, parameterTypes: types, isCalledBySQL: true, bounds: { _ in bounds },
            typed: { $0.map { $0.type } == types ? .function(function, $0, result) : nil },
            value: value)
    }

    /// A rounding of floating-point numbers. Integers stay as they are.
    static func rounding(
        _ function: ModelFunction, _ rule: FloatingPointRoundingRule
    ) -> FunctionDescriptor {
        FunctionDescriptor(
            spelling: .call(function.rawValue), arguments: ["x"], parameterTypes: [.double],
            isInSQLite: { $0 == .integer }, isCalledBySQL: true,
            typed: { operands in
                if operands[0].type == .integer { return operands[0] }
                return operands[0].floating.map { .function(function, [$0], .double) }
            },
            value: { arguments in
                guard case .double(let number) = arguments.first else { return .null }
                return .double(number.rounded(rule))
            })
    }
}

// Functions of strings. Characters are Unicode scalars, as SQLite and PostgreSQL count them; the
// first one is number 0.
extension FunctionDescriptor {
    static let length = FunctionDescriptor(
        spelling: .call("length"), arguments: ["x"], methods: ["length"],
        parameterTypes: [.string], isInSQLite: { _ in true },
        bounds: { _ in 0...Int64(Int32.max) },
        typed: { operands in
            let isCounted = operands[0].type == .string || operands[0].type == .data
            return isCounted ? .function(.length, operands, .integer) : nil
        },
        value: { arguments in
            switch arguments.first {
            case .string(let text): .int(Int64(text.unicodeScalars.count))
            case .data(let data): .int(Int64(data.count))
            default: .null
            }
        })

    static let uppercase = ofText(
        .uppercase, ["x": .string], to: .string, methods: ["uppercasestring", "uppercased"]
    ) { $0.onText { $0.uppercased() } }

    static let lowercase = ofText(
        .lowercase, ["x": .string], to: .string, methods: ["lowercasestring", "lowercased"]
    ) { $0.onText { $0.lowercased() } }

    static let canonical = ofText(.canonical, ["x": .string], to: .string) {
        $0.onText { $0.folded([.caseInsensitive, .diacriticInsensitive]) }
    }

    static let substring = ofText(
        .substring, ["text": .string, "from": .integer, "length": .integer], to: .string
    ) { arguments in
        guard case .int(let start) = arguments.second, case .int(let length) = arguments.third
        else { return .null }
        let end = start.addingReportingOverflow(max(0, length))
        return arguments.onText { text in
            text.scalars(from: start, to: end.overflow ? .max : end.partialValue)
        }
    }

    static let left = ofText(.left, ["text": .string, "length": .integer], to: .string) {
        arguments in
        guard case .int(let length) = arguments.second else { return .null }
        return arguments.onText { $0.scalars(from: 0, to: length) }
    }

    static let right = ofText(.right, ["text": .string, "length": .integer], to: .string) {
        arguments in
        guard case .int(let length) = arguments.second else { return .null }
        return arguments.onText { text in
            String(text.unicodeScalars.suffix(max(0, Int(clamping: length))))
        }
    }

    static let indexOf = ofText(
        .indexOf, ["text": .string, "part": .string], to: .integer,
        bounds: 0...Int64(Int32.max)
    ) { arguments in
        guard case .string(let text) = arguments.first, case .string(let part) = arguments.second
        else { return .null }
        return text.scalarIndex(of: part).map { .int(Int64($0)) } ?? .null
    }

    static let replace = ofText(
        .replace, ["text": .string, "part": .string, "other": .string], to: .string
    ) { arguments in
        guard case .string(let part) = arguments.second, case .string(let other) = arguments.third
        else { return .null }
        return arguments.onText { $0.replacingScalars(of: part, with: other) }
    }

    static let trim = ofText(.trim, ["text": .string], to: .string) {
        $0.onText { text in
            let scalars = text.unicodeScalars.drop { $0.properties.isWhitespace }
            let end = scalars.lastIndex { !$0.properties.isWhitespace }
            return end.map { String(String.UnicodeScalarView(scalars[...$0])) } ?? ""
        }
    }
}

extension FunctionArguments {
    /// Applies a change to the first argument; the result is null if it is not a string.
    fileprivate func onText(_ change: (String) -> String) -> Value {
        guard case .string(let text) = first else { return .null }
        return .string(change(text))
    }
}

extension String {
    /// The characters from one number to before another, as far as there are such.
    fileprivate func scalars(from start: Int64, to end: Int64) -> String {
        let start = max(0, Int(clamping: start))
        let count = max(0, Int(clamping: end)) - start
        return String(
            String.UnicodeScalarView(unicodeScalars.dropFirst(start).prefix(max(0, count))))
    }

    /// Returns the index of the first occurrence of a string, in characters; nil if there is none.
    fileprivate func scalarIndex(of part: String) -> Int? {
        unicodeScalars.firstRange(of: part.unicodeScalars).map {
            unicodeScalars.distance(from: unicodeScalars.startIndex, to: $0.lowerBound)
        }
    }

    /// Returns the string with another string in place of each occurrence of a part, from the
    /// start. An empty part has no occurrences.
    fileprivate func replacingScalars(of part: String, with other: String) -> String {
        if part.isEmpty { return self }
        return String(unicodeScalars.replacing(part.unicodeScalars, with: other.unicodeScalars))
    }
}

extension FunctionDescriptor {
    static let abs = FunctionDescriptor(
        spelling: .call("abs"), arguments: ["x"], isInSQLite: { $0 != .anyDecimal },
        bounds: { $0[0].bounds.flatMap { TypedExpression.magnitudes(of: $0) } },
        typed: { operands in
            operands[0].type.isNumber ? .function(.abs, operands, operands[0].type) : nil
        },
        value: { arguments in
            switch arguments.first {
            case .double(let number): return .double(Swift.abs(number))
            case .decimal(let number) where arguments.type == .anyDecimal:
                return .decimal(Swift.abs(number))
            default:
                let units = arguments.type.units(of: arguments.first)
                return arguments.type.value(ofUnits: units == .min ? nil : units.map(Swift.abs))
            }
        })

    static let ceiling = rounding(.ceiling, .up)
    static let floor = rounding(.floor, .down)
    static let trunc = rounding(.trunc, .towardZero)

    static let sqrt = FunctionDescriptor(
        spelling: .call("sqrt"), arguments: ["x"], parameterTypes: [.double], isCalledBySQL: true,
        typed: { operands in
            operands[0].floating.map { .function(.sqrt, [$0], .double) }
        },
        value: { arguments in
            guard case .double(let number) = arguments.first, number >= 0 else { return .null }
            return .double(number.squareRoot())
        })

    static let modulus = FunctionDescriptor(
        spelling: .call("modulus:by"), arguments: ["a", "b"],
        parameterTypes: [.integer, .integer], isInSQLite: { _ in true },
        bounds: { $0[0].bounds?.hull(with: 0...0) },
        typed: { operands in
            operands.allSatisfy { $0.type == .integer }
                ? .function(.modulus, operands, .integer) : nil
        },
        value: { arguments in
            guard case .int(let number) = arguments.first, case .int(let divisor) = arguments.second
            else { return .null }
            return NumberFunctions.modulus(number, divisor).map { .int($0) } ?? .null
        })
}

// Conversions, and functions without a value function: the evaluator and the SQL implement these
// themselves.
extension FunctionDescriptor {
    static let now = FunctionDescriptor(
        spelling: .call("now"), arguments: [], typed: { _ in .function(.now, [], .date) })

    static let uuid = FunctionDescriptor(
        spelling: .call("uuid"), arguments: [], typed: { _ in .function(.uuid, [], .uuid) })

    static let entity = FunctionDescriptor(
        spelling: .call("entity"), arguments: ["object"],
        typed: { operands in
            guard case .object = operands[0].type else { return nil }
            return .function(.entity, operands, .string)
        })

    static let string = FunctionDescriptor(
        spelling: .call("string"), arguments: ["x"], isInSQLite: { $0 == .integer },
        typed: { operands in
            if operands[0].type == .string { return .function(.string, operands, .double) }
            return operands[0].type.isNumber ? .function(.string, operands, .string) : nil
        },
        value: { arguments in
            switch arguments.first {
            case .string(let text): NumberText.double(text).map { .double($0) } ?? .null
            case .int(let number): .string(String(number))
            case .double(let number): .string(number.description)
            case .decimal(let number) where arguments.type == .anyDecimal:
                .string(number.description)
            case .decimal:
                arguments.type.scale.flatMap { scale in
                    arguments.type.units(of: arguments.first).map { units in
                        .string(DecimalStorage.decimal(ofUnits: units, scale: scale).description)
                    }
                } ?? .null
            default: .null
            }
        })

    static let text = FunctionDescriptor(
        spelling: .cast("NSString"), arguments: ["x"], otherCasts: ["string"],
        methods: ["stringvalue", "description"],
        isInSQLite: { $0 == .integer || $0 == .string },
        typed: { operands in
            if operands[0].type == .string { return operands[0] }
            return operands[0].type.isNumber ? .function(.string, operands, .string) : nil
        })

    static let number = FunctionDescriptor(
        spelling: .cast("NSNumber"), arguments: ["x"], otherCasts: ["nsdecimalnumber", "double"],
        methods: ["doublevalue", "floatvalue", "timeintervalsincereferencedate"],
        isInSQLite: { $0 == .date || $0?.isNumber == true },
        typed: { operands in
            switch operands[0].type {
            case .string: .function(.string, operands, .double)
            case .date: .convert(operands[0], .double)
            default: operands[0].type.isNumber ? operands[0] : nil
            }
        })

    static let date = FunctionDescriptor(
        spelling: .cast("NSDate"), arguments: ["x"], otherCasts: ["date"],
        isInSQLite: { $0 == .date || $0?.isNumber == true },
        typed: { operands in
            operands[0].type == .date
                ? operands[0] : operands[0].floating.map { .convert($0, .date) }
        })
}
