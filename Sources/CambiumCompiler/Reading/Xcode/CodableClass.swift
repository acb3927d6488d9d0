/// The rule that decides which of Xcode's transformable attributes become `codable`: those whose
/// class is put together from types that are known to be `Codable` and `Sendable`.
package enum CodableClass {
    private static let types: Set<String> = [
        "Bool", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32",
        "UInt64", "Float", "Double", "String", "Date", "Data", "UUID", "URL", "Decimal",
    ]
    private static let generics = ["Array": 1, "Set": 1, "Optional": 1, "Dictionary": 2]

    /// Whether a class is one.
    package static func isKnown(_ name: String) -> Bool {
        var rest = name.filter { !$0.isWhitespace }[...]
        return takeType(&rest, depth: 0) && rest.isEmpty
    }

    private static func takeType(_ rest: inout Substring, depth: Int) -> Bool {
        // A type that deep means nothing, and the recursion has to end.
        guard depth < 16 else { return false }
        if take("[", from: &rest) {
            guard takeType(&rest, depth: depth + 1) else { return false }
            if take(":", from: &rest), !takeType(&rest, depth: depth + 1) { return false }
            guard take("]", from: &rest) else { return false }
        } else {
            let name = String(rest.prefix { $0.isLetter || $0.isNumber })
            rest = rest.dropFirst(name.count)
            if let count = generics[name] {
                guard takeArguments(count, &rest, depth: depth + 1) else { return false }
            } else if !types.contains(name) {
                return false
            }
        }
        while take("?", from: &rest) {}
        return true
    }

    private static func takeArguments(_ count: Int, _ rest: inout Substring, depth: Int) -> Bool {
        for index in 0..<count {
            guard take(index == 0 ? "<" : ",", from: &rest), takeType(&rest, depth: depth) else {
                return false
            }
        }
        return take(">", from: &rest)
    }

    private static func take(_ sign: Character, from rest: inout Substring) -> Bool {
        guard rest.first == sign else { return false }
        rest.removeFirst()
        return true
    }
}
