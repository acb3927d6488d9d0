/// What the language of expressions knows of a function: how it is written, what it applies to, and
/// its value. The SQL of those that an engine has itself is written by `ExpressionSQL`.
package struct FunctionDescriptor: Sendable {
    /// How a function is written.
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
    /// What else `CAST` calls the type, in lower case.
    var otherCasts: [String] = []
    /// The methods that `FUNCTION(a, 'name')` calls for it, in lower case.
    var methods: [String] = []
    /// The types that parameters have as its arguments, where nothing else tells; nil for any.
    var parameterTypes: [ExpressionType?] = []
    /// Whether SQLite computes it without the program, so that an index can use it, for an argument
    /// of a type.
    var isInSQLite: @Sendable (ExpressionType?) -> Bool = { _ in false }
    /// Whether SQL calls the program for its value; then ``value`` knows no other arguments than
    /// strings, integers and floating-point numbers.
    package var isCalledBySQL = false
    /// The least and the greatest integer that it gives; nil where nothing tells.
    var bounds: @Sendable ([TypedExpression]) -> ClosedRange<Int64>? = { _ in nil }
    /// The call with its type; nil where it does not apply to arguments of these types.
    let typed: @Sendable ([TypedExpression]) -> TypedExpression?
    /// The value; nil for arguments that it does not apply to.
    var value: @Sendable (FunctionArguments) -> Value = { _ in .null }

    /// How a call is written.
    func text(of operands: [String]) -> String {
        let list = operands.joined(separator: ", ")
        return switch spelling {
        case .cast(let type): "CAST(\(list), '\(type)')"
        case .call(let name): operands.isEmpty ? "\(name)()" : "\(name):(\(list))"
        }
    }
}

extension ModelFunction {
    /// All there is to know of it.
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
    /// nil where there are fewer.
    var second = Value.null
    var third = Value.null
}

extension FunctionDescriptor {
    /// A function of strings and integers that no engine needs to have: SQL calls the program.
    ///
    /// - Parameters:
    ///   - arguments: Their names and types.
    ///   - result: The type of its values.
    static func ofText(
        _ function: ModelFunction, _ arguments: KeyValuePairs<String, ExpressionType>,
        to result: ExpressionType, methods: [String] = [],
        bounds: ClosedRange<Int64>? = nil,
        _ value: @escaping @Sendable (FunctionArguments) -> Value
    ) -> FunctionDescriptor {
        let types = arguments.map(\.value)
        return FunctionDescriptor(
            spelling: .call(function.rawValue), arguments: arguments.map(\.key),
            methods: methods, parameterTypes: types, isCalledBySQL: true, bounds: { _ in bounds },
            typed: { $0.map(\.type) == types ? .function(function, $0, result) : nil },
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
