import CambiumModel

/// A piece of SQL with the values of its question marks.
///
/// Pieces are combined by string interpolation. This keeps text and parameters consistent.
package struct SQLFragment: Sendable, ExpressibleByStringInterpolation {
    /// The text; each `?` is a parameter.
    package private(set) var text: String
    /// The parameters in the order of the text.
    package private(set) var parameters: [SQLParameter] = []
    /// Whether the SQL uses only columns of its own row, constants and SQLite's built-in
    /// deterministic functions, so that a CHECK can contain it.
    package private(set) var isPure = true
    /// The tables that the SQL reads, besides the table of its own row.
    private(set) var tables: Set<String> = []
    /// The columns of its own row that it reads; complete if it is pure.
    private(set) var columns: Set<String> = []
    /// Whether the SQL ignores the part of a text after a NUL.
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

    /// Returns a copy with another text that reads the same columns and tables.
    func replacingText(with text: String) -> SQLFragment {
        var fragment = self
        fragment.text = text
        return fragment
    }

    /// Returns the values to bind.
    ///
    /// - Throws: ``ExpressionDiagnostics`` if a parameter has no value or one of another type.
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

        @inline(never)
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
    /// The time at which the statement runs.
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

/// The parts of SQL that differ between engines. All other SQL is written at the place that needs
/// it.
///
/// Operands can stand beside any operator without brackets. The same is true for results, except
/// for conditions and the functions under "Results".
package protocol SQLDialect: Sendable {
    // MARK: Conditions

    /// A condition that is always met, or never.
    func condition(_ isMet: Bool) -> SQLFragment
    /// Whether two values are equal, or both NULL.
    func areSame(_ one: SQLFragment, _ other: SQLFragment) -> SQLFragment
    /// The complement of ``areSame(_:_:)``.
    func areDifferent(_ one: SQLFragment, _ other: SQLFragment) -> SQLFragment
    /// Returns a condition that is false if the given one is neither true nor false.
    func boolean(_ condition: SQLFragment) -> SQLFragment
    /// Returns the contents of the brackets of IN for the elements of a JSON array.
    func elements(ofJSON array: SQLFragment) -> SQLFragment

    // MARK: Texts

    /// Returns whether a text contains another one.
    func contains(_ text: SQLFragment, _ part: SQLFragment) -> SQLFragment
    /// Returns whether a text begins with another one.
    func begins(_ text: SQLFragment, with start: SQLFragment) -> SQLFragment
    /// Returns whether a text ends with another one.
    func ends(_ text: SQLFragment, with end: SQLFragment) -> SQLFragment
    /// Returns the constant that ``isLike(_:_:)`` takes for a pattern; nil if it is too long.
    func pattern(_ elements: [WildcardPattern.Element]) -> String?
    /// Whether a text matches the constant of a pattern as a whole.
    func isLike(_ text: SQLFragment, _ pattern: SQLFragment) -> SQLFragment
    /// Returns whether a text matches a regular expression as a whole; nil if only a program can
    /// decide it.
    func matches(_ text: SQLFragment, _ regularExpression: String) -> SQLFragment?
    /// The number of a text's characters.
    func length(_ text: SQLFragment) -> SQLFragment
    /// Returns a text for functions that end at a NUL. Another program may have written the NUL.
    func wholeText(_ text: SQLFragment) -> SQLFragment

    // MARK: Numbers

    /// Returns an integer from integer arithmetic; NULL if 64 bits cannot hold it.
    func whole(_ number: SQLFragment) -> SQLFragment
    /// A number as a floating-point one.
    func real(_ number: SQLFragment) -> SQLFragment
    /// Returns an integer as a text.
    func text(_ number: SQLFragment) -> SQLFragment

    // MARK: Results

    /// The sum of floating-point numbers; 0 of none.
    func total(_ number: SQLFragment) -> SQLFragment
    /// The sum of decimals of any scale, or their mean.
    func total(ofDecimals number: SQLFragment, isMean: Bool) -> SQLFragment
    /// Returns a term of ORDER BY.
    ///
    /// - Parameter placesNilLast: Whether NULL comes last; nil if either order is allowed.
    func order(
        by value: SQLFragment, isDescending: Bool, texts: TextOrder, placesNilLast: Bool?
    ) -> SQLFragment
    /// Returns the end of a query that returns only some of its rows.
    func slice(limit: Int?, offset: Int) -> SQLFragment
    /// Returns the text after FROM that makes the engine read the table in the order of its keys,
    /// without an index.
    func inOrderOfKeys(_ source: SQLFragment) -> SQLFragment

    // MARK: Others

    /// The time at which the statement runs, in seconds since 2001.
    var now: SQLFragment { get }
    /// A random UUID of version 4, as bytes.
    var randomUUID: SQLFragment { get }
    /// A call of a function that the program brings along.
    func call(_ function: StoreFunction, _ operands: SQLFragment) -> SQLFragment
}

/// SQL as SQLite reads it.
package struct SQLiteDialect: SQLDialect {
    package init() {}

    // MARK: Conditions

    package func condition(_ isMet: Bool) -> SQLFragment { isMet ? "1" : "0" }

    package func areSame(_ one: SQLFragment, _ other: SQLFragment) -> SQLFragment {
        "\(one) IS \(other)"
    }

    package func areDifferent(_ one: SQLFragment, _ other: SQLFragment) -> SQLFragment {
        "\(one) IS NOT \(other)"
    }

    package func boolean(_ condition: SQLFragment) -> SQLFragment { "coalesce(\(condition), 0)" }

    package func elements(ofJSON array: SQLFragment) -> SQLFragment {
        let select: SQLFragment = "SELECT value FROM json_each(\(array))"
        return select.impure
    }

    // MARK: Texts

    // LIKE and lower() support only ASCII. GLOB compares characters as they are. length() and GLOB
    // end at a NUL.

    package func contains(_ text: SQLFragment, _ part: SQLFragment) -> SQLFragment {
        "instr(\(text), \(part)) > 0"
    }

    package func begins(_ text: SQLFragment, with start: SQLFragment) -> SQLFragment {
        "substr(\(text), 1, length(\(start))) = \(start)"
    }

    package func ends(_ text: SQLFragment, with end: SQLFragment) -> SQLFragment {
        "substr(\(text), max(1, length(\(text)) - length(\(end)) + 1)) = \(end)"
    }

    package func pattern(_ elements: [WildcardPattern.Element]) -> String? {
        // A longer one is an error.
        guard elements.count < 5000 else { return nil }
        var pattern = ""
        for element in elements {
            switch element {
            case .anything: pattern += "*"
            case .one: pattern += "?"
            case .scalar(let scalar) where "*?[".unicodeScalars.contains(scalar):
                pattern += "[\(scalar)]"
            case .scalar(let scalar): pattern.unicodeScalars.append(scalar)
            }
        }
        return pattern
    }

    package func isLike(_ text: SQLFragment, _ pattern: SQLFragment) -> SQLFragment {
        "\(text) GLOB \(pattern)"
    }

    package func matches(_ text: SQLFragment, _ regularExpression: String) -> SQLFragment? {
        // Each repetition would need separate parameters.
        guard text.parameters.isEmpty,
            let pattern = GlobPattern(regularExpression: regularExpression)
        else { return nil }
        return text.replacingText(with: pattern.condition(on: text.text))
    }

    package func length(_ text: SQLFragment) -> SQLFragment { "length(\(text))" }

    package func wholeText(_ text: SQLFragment) -> SQLFragment {
        "\(raw: ConversionFunction.wholeText.rawValue)(\(text))"
    }

    // MARK: Numbers

    /// If SQLite continued the computation of an integer in floating point, the number is no longer
    /// exact. `|` converts it to the least or the greatest integer, and both of these become NULL.
    package func whole(_ number: SQLFragment) -> SQLFragment {
        let least = SQLText.literal(.integer(.min))
        return "nullif(nullif(\(number) | 0, 9223372036854775807), \(raw: least))"
    }

    package func real(_ number: SQLFragment) -> SQLFragment { "CAST(\(number) AS REAL)" }

    package func text(_ number: SQLFragment) -> SQLFragment { "CAST(\(number) AS TEXT)" }

    // MARK: Results

    package func total(_ number: SQLFragment) -> SQLFragment { "total(\(number))" }

    package func total(ofDecimals number: SQLFragment, isMean: Bool) -> SQLFragment {
        call(.total, "group_concat(hex(\(number))), \(raw: isMean ? "1" : "0")")
    }

    package func order(
        by value: SQLFragment, isDescending: Bool, texts: TextOrder, placesNilLast: Bool?
    ) -> SQLFragment {
        var term =
            texts == .bytes
            ? value.impure
            : call(.sortKey, "\(value), \(raw: SQLText.literal(texts.name))")
        if isDescending { term.append(" DESC") }
        // NULL is the least value here.
        if let placesNilLast, placesNilLast != isDescending {
            term.append(placesNilLast ? " NULLS LAST" : " NULLS FIRST")
        }
        return term
    }

    package func slice(limit: Int?, offset: Int) -> SQLFragment {
        guard limit != nil || offset > 0 else { return "" }
        let parameters = [limit ?? -1, offset].map {
            SQLFragment(.value(.integer(Int64($0))))
        }
        return " LIMIT \(parameters[0]) OFFSET \(parameters[1])"
    }

    package func inOrderOfKeys(_ table: SQLFragment) -> SQLFragment { "\(table) NOT INDEXED" }

    // MARK: Others

    /// The Julian day of 2001-01-01 is 2451910.5.
    package var now: SQLFragment { "((julianday('now') - 2451910.5) * 86400.0)" }

    /// Random bytes with the marks of version 4 (the 7th) and of the variant (the 9th).
    package var randomUUID: SQLFragment {
        SQLFragment(
            raw: """
                CAST(randomblob(6)\
                 || substr(x'404142434445464748494a4b4c4d4e4f', 1 + (random() & 15), 1)\
                 || randomblob(1)\
                 || substr(x'8084888c9094989ca0a4a8acb0b4b8bc', 1 + (random() & 15), 1)\
                 || randomblob(7) AS BLOB)
                """)
    }

    package func call(_ function: StoreFunction, _ operands: SQLFragment) -> SQLFragment {
        let call: SQLFragment = "\(raw: function.name)(\(operands))"
        return call.impure
    }
}
