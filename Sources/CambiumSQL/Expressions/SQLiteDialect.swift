import CambiumModel

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

    // LIKE and lower() know ASCII only. GLOB compares characters as they are. length() and GLOB end
    // at a NUL.

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
        // Each repetition would need parameters of its own.
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

    /// A whole number whose computation SQLite went on with in floating point is no longer exact:
    /// converting it back, which `|` does, yields one of the two outermost integers, which become
    /// NULL.
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
