import CambiumModel

/// A piece of SQL with the values of its question marks.
///
/// Pieces are put together by string interpolation, which keeps text and parameters consistent.
package struct SQLFragment: Sendable, ExpressibleByStringInterpolation {
    /// The text; each `?` is a parameter.
    package private(set) var text: String
    /// The parameters in the order of the text.
    package private(set) var parameters: [SQLParameter] = []
    /// Whether it uses only columns of its own row, constants and SQLite's built-in deterministic
    /// functions, so that it may stand in a CHECK.
    package private(set) var isPure = true
    /// The tables that it reads besides that of its own row.
    private(set) var tables: Set<String> = []
    /// The columns of its own row that it reads: all of them where it is pure.
    private(set) var columns: Set<String> = []
    /// Whether it sees no more of a text than what stands before a NUL.
    var endsAtNUL = false

    /// A piece of fixed text.
    init(
        raw text: String, isPure: Bool = true, tables: Set<String> = [], columns: Set<String> = []
    ) {
        self.text = text
        self.isPure = isPure
        self.tables = tables
        self.columns = columns
    }

    init(_ parameter: SQLParameter) {
        text = "?"
        parameters = [parameter]
        if case .value = parameter { return }
        isPure = false
    }

    var impure: SQLFragment {
        var fragment = self
        fragment.isPure = false
        return fragment
    }

    /// The same of another text, which looks at the same.
    func replacingText(with text: String) -> SQLFragment {
        var fragment = self
        fragment.text = text
        return fragment
    }

    /// The values to bind.
    ///
    /// - Throws: ``ExpressionDiagnostics`` where a parameter has no value or one of another type.
    package func bindings(
        _ values: [String: Value] = [:], now: Date = .now
    ) throws(ExpressionDiagnostics) -> [StoredValue] {
        var bindings: [StoredValue] = []
        for parameter in parameters {
            bindings.append(try parameter.binding(values, now: now))
        }
        return bindings
    }

    package init(stringLiteral text: String) {
        self.init(raw: text)
    }

    package init(stringInterpolation: StringInterpolation) {
        self = stringInterpolation.fragment
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate(set) var fragment = SQLFragment(raw: "")

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: String) {
            fragment.text += literal
        }

        package mutating func appendInterpolation(_ other: SQLFragment) {
            fragment.append(other)
        }

        /// Text that is SQL already.
        package mutating func appendInterpolation(raw text: String) {
            fragment.text += text
        }
    }

    mutating func append(_ other: SQLFragment) {
        text += other.text
        parameters += other.parameters
        isPure = isPure && other.isPure
        tables.formUnion(other.tables)
        columns.formUnion(other.columns)
        endsAtNUL = endsAtNUL || other.endsAtNUL
    }
}

/// The value of a question mark.
package enum SQLParameter: Sendable {
    case value(StoredValue)
    /// A value that is known later: `$name`.
    case named(String, ExpressionType)
    /// The moment at which the statement runs.
    case now

    func binding(
        _ values: [String: Value], now: Date
    ) throws(ExpressionDiagnostics) -> StoredValue {
        switch self {
        case .value(let value): return value
        case .now: return .real(now.timeIntervalSinceReferenceDate)
        case .named(let name, let type):
            guard let value = values[name] else {
                throw ExpressionDiagnostics([
                    ExpressionDiagnostic(offset: 0, message: "$\(name) has no value")
                ])
            }
            guard let stored = type.stored(value) else {
                throw ExpressionDiagnostics([
                    ExpressionDiagnostic(
                        offset: 0, message: "the value of $\(name) is of another type")
                ])
            }
            return stored
        }
    }
}
