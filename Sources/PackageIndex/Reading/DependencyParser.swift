/// A recursive-descent parser of dependency fields over their bytes.
struct DependencyParser {
    private let bytes: [UInt8]
    private var position = 0

    init(_ value: String) {
        bytes = Array(value.utf8)
    }

    mutating func parse() throws(DependencySyntaxError) -> [[DependencyAlternative]] {
        var clauses: [[DependencyAlternative]] = []
        skipSpace()
        if position == bytes.count { return [] }
        repeat {
            var clause = [try alternative()]
            while take("|") { clause.append(try alternative()) }
            clauses.append(clause)
        } while take(",")
        guard position == bytes.count else {
            throw error("expected ',' or '|' before '\(rest)'")
        }
        return clauses
    }

    private mutating func alternative() throws(DependencySyntaxError) -> DependencyAlternative {
        skipSpace()
        let name = word { $0.isNameByte }
        guard name.count >= 2, let first = name.utf8.first, first.isLetterOrDigit else {
            throw error(
                name.isEmpty
                    ? "expected a package name before '\(rest)'"
                    : "'\(name)' is not a package name")
        }
        var result = DependencyAlternative(name: name)
        if peek == UInt8(ascii: ":") {
            position += 1
            let qualifier = word { $0.isNameByte }
            if qualifier.isEmpty { throw error("expected an architecture after '\(name):'") }
            result.qualifier = qualifier
        }
        if take("(") { result.constraint = try constraint(of: name) }
        if take("[") { result.architectures = try architectures(of: name) }
        skipSpace()
        if peek == UInt8(ascii: "<") {
            throw error("'\(name)' has a build profile, which only source packages can have")
        }
        return result
    }

    private mutating func constraint(of name: String) throws(DependencySyntaxError) -> String {
        skipSpace()
        let relation = word { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: ">") || $0.isEqualSign }
        guard ["<<", "<=", "=", ">=", ">>"].contains(relation) else {
            throw error("'\(relation)' after '\(name)' is none of << <= = >= >>")
        }
        skipSpace()
        let version = word { $0.isVersionByte }
        if version.isEmpty { throw error("expected a version after '\(name) (\(relation)'") }
        guard take(")") else { throw error("expected ')' after '\(name) (\(relation) \(version)'") }
        return "\(relation) \(version)"
    }

    private mutating func architectures(of name: String) throws(DependencySyntaxError) -> String {
        var names: [String] = []
        while !take("]") {
            skipSpace()
            let architecture = word { $0.isNameByte || $0 == UInt8(ascii: "!") }
            if architecture.isEmpty {
                throw error("expected ']' after the architectures of '\(name)'")
            }
            names.append(architecture)
        }
        if names.isEmpty { throw error("expected an architecture between '[' and ']'") }
        return names.joined(separator: " ")
    }

    // MARK: Bytes

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// The remaining text, shortened for a message.
    private var rest: String {
        position == bytes.count
            ? "the end" : String(decoding: bytes[position...].prefix(20), as: UTF8.self)
    }

    private mutating func skipSpace() {
        while let byte = peek, byte.isBlank || byte == UInt8(ascii: "\n") { position += 1 }
    }

    /// Skips white space and then the character, if it is next.
    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard peek == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func word(_ belongs: (UInt8) -> Bool) -> String {
        let start = position
        while let byte = peek, belongs(byte) { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private func error(_ text: String) -> DependencySyntaxError {
        DependencySyntaxError(description: text)
    }
}

extension UInt8 {
    fileprivate var isEqualSign: Bool { self == UInt8(ascii: "=") }

    fileprivate var isLetterOrDigit: Bool {
        (self >= UInt8(ascii: "a") && self <= UInt8(ascii: "z"))
            || (self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9"))
    }

    /// A byte of a package name, as the Debian Policy has it.
    fileprivate var isNameByte: Bool {
        isLetterOrDigit || self == UInt8(ascii: "+") || self == UInt8(ascii: "-")
            || self == UInt8(ascii: ".")
    }

    fileprivate var isVersionByte: Bool {
        isNameByte || (self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z"))
            || self == UInt8(ascii: "~") || self == UInt8(ascii: ":")
    }
}
