/// An enumeration as one line of user info: `Kind: book, toy=TOY, other="a, b"`.
package struct EnumerationText: Equatable {
    /// The enumeration's name.
    package let name: String
    /// The type of its raw values, which the attribute's type says.
    package let type: String
    /// The names of the cases, and their raw values where they have one of their own.
    package let cases: [Case]

    /// A case.
    package struct Case: Equatable {
        package let name: String
        package let value: String?

        package init(name: String, value: String?) {
            self.name = name
            self.value = value
        }
    }

    func caseName(of rawValue: String) -> String? {
        cases.first { ($0.value ?? $0.name) == rawValue }?.name
    }

    func rawValue(of caseName: String) -> String? {
        cases.first { $0.name == caseName }.map { $0.value ?? $0.name }
    }

    package init(name: String, type: String, cases: [Case]) {
        self.name = name
        self.type = type
        self.cases = cases
    }

    /// The `<enum>`, all of it at one place.
    func element(at source: ParsedAttribute, type isWritten: Bool) -> ParsedElement {
        func list(_ values: KeyValuePairs<String, String?>) -> AttributeList {
            AttributeList(values, from: source, at: source.offset)
        }
        return ParsedElement(
            own: "enum", list(["name": name, "type": isWritten ? type : nil]),
            children: cases.map {
                ParsedElement(own: "case", list(["name": $0.name, "value": $0.value]))
            })
    }

    // MARK: Text

    /// Takes a line apart, or gives nil where it is none.
    init?(_ text: String, type: String) {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        name = text[..<colon].filter { !$0.isWhitespace }
        self.type = type
        var rest = text[text.index(after: colon)...]
        var cases: [Case] = []
        Self.skipSpace(&rest)
        while !rest.isEmpty {
            guard let name = Self.takeWord(&rest) else { return nil }
            var value: String?
            if rest.first == "=" {
                rest.removeFirst()
                guard let word = Self.takeWord(&rest) else { return nil }
                value = word
            }
            cases.append(Case(name: name, value: value))
            guard !rest.isEmpty else { break }
            guard rest.first == "," else { return nil }
            rest.removeFirst()
            Self.skipSpace(&rest)
        }
        self.cases = cases
    }

    private static func skipSpace(_ rest: inout Substring) {
        rest = rest.drop { $0.isWhitespace }
    }

    private static func takeWord(_ rest: inout Substring) -> String? {
        skipSpace(&rest)
        guard rest.first == "\"" else {
            let word = rest.prefix { !"=,\"".contains($0) }
            rest = rest[word.endIndex...]
            let end = word.lastIndex { !$0.isWhitespace }
            return end.map { String(word[...$0]) }
        }
        rest.removeFirst()
        var word = ""
        while let character = rest.popFirst() {
            if character == "\"" {
                skipSpace(&rest)
                return word
            }
            if character == "\\", let next = rest.popFirst() {
                word.append(next)
            } else {
                word.append(character)
            }
        }
        return nil
    }
}
