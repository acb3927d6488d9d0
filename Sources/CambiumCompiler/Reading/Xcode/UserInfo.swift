/// The user info of an element of Xcode: the program's own, and Cambium's, with keys that start
/// with `cambium.`.
package struct UserInfo {
    /// The start of the keys.
    package static let prefix = "cambium."

    /// The program's own, as `<info>`.
    private(set) var infos: [ParsedElement] = []
    /// Cambium's keys without their start, in order, with their values.
    private(set) var keys: [(key: String, value: ParsedAttribute)] = []
    /// Whether there is a `<userInfo>` without anything in it.
    private(set) var isEmptyElement = false

    init(of element: ParsedElement) {
        for child in element.children(named: "userInfo") {
            isEmptyElement = isEmptyElement || child.children.isEmpty
            for entry in child.children(named: "entry") {
                let key = entry["key"]?.value ?? ""
                if key.hasPrefix(Self.prefix), let value = entry["value"] ?? entry["key"] {
                    keys.append((String(key.dropFirst(Self.prefix.count)), value))
                } else {
                    infos.append(
                        ParsedElement(own: "info", InfoSpelling().translated(entry.list)))
                }
            }
        }
    }

    /// The value of a key.
    subscript(key: String) -> ParsedAttribute? {
        keys.first { $0.key == key }?.value
    }

    /// The keys with that start, without it.
    func keys(under start: String) -> [(key: String, value: ParsedAttribute)] {
        keys.filter { $0.key.hasPrefix(start) }
            .map { (String($0.key.dropFirst(start.count)), $0.value) }
    }
}

extension UserInfo {
    /// The user info `cambium.suppress.LQ201`, with the reason as value, as `<suppress>`.
    func suppressions() -> [ParsedElement] {
        Self.suppressions(keys)
    }

    /// Returns the suppressions in the keys of any element.
    static func suppressions(
        _ keys: [(key: String, value: ParsedAttribute)]
    ) -> [ParsedElement] {
        keys.filter { $0.key.hasPrefix(suppression) }.map { key, value in
            let code = String(key.dropFirst(suppression.count))
            // An entry without a value has no reason.
            let reason = value.name == "value" ? value.value : ""
            return ParsedElement(
                own: "suppress",
                AttributeList(["code": code, "reason": reason], from: value, at: value.offset))
        }
    }

    /// The start of the keys of suppressions.
    package static let suppression = "suppress."
}

/// `<info>`, in Xcode `<entry>`.
package struct InfoSpelling: Spelling {
    package init() {}

    package func own(from xcode: AttributeList) -> AttributeList { pair(of: xcode) }
    package func xcode(from own: AttributeList) -> AttributeList { pair(of: own) }

    private func pair(of list: AttributeList) -> AttributeList {
        var pair = AttributeList(at: list.offset)
        for name in ["key", "value"] {
            pair.set(name, list.value(name) ?? "", from: list[name])
        }
        return pair
    }
}

extension AttributeList {
    /// Adds the XML attributes in user info. A key with a dot in it is not about an XML attribute
    /// of the element itself.
    mutating func take(_ keys: [(key: String, value: ParsedAttribute)]) {
        for (key, value) in keys where !key.contains(".") {
            if key == Self.withoutKey {
                for name in value.value.split(separator: " ") { remove(String(name)) }
            } else {
                set(key, value.value, from: value)
            }
        }
    }

    /// The key for the names of absent attributes.
    package static let withoutKey = "without"
}

/// An enumeration as one line of user info: `Kind: book, toy=TOY, other="a, b"`.
package struct EnumerationText: Equatable {
    /// The enumeration's name.
    package let name: String
    /// The type of its raw values, from the attribute's type.
    package let type: String
    /// The cases, with their raw values if these differ from the names.
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

    /// Parses a line, or returns nil if it is not an enumeration.
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
