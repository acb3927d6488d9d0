extension ModelChecker {
    /// What a declaration is about: two about the same would say what only one of them means.
    private static let subjects = [
        "fill": ["entity", "attribute"], "link": ["entity", "relationship"],
        "keep": ["entity", "relationship"], "require": ["entity", "property"],
        "drop": ["entity", "property"], "replace": ["enum", "case"],
        "deduplicate": ["entity", "by"],
    ]

    /// Reports declarations of a migration about what another one is about.
    mutating func checkRepetitions(in migration: ParsedElement) {
        var seen: Set<[String]> = []
        for declaration in migration.children {
            // Several conditions choose several objects.
            guard let subject = Self.subjects[declaration.name],
                declaration["where"] == nil
                    || declaration.name == "link"
            else { continue }
            let words = subject.map { name in
                WordList(declaration[name]?.value ?? "").words.map(\.text).sorted()
                    .joined(separator: " ")
            }
            guard !seen.insert([declaration.name] + words).inserted else { continue }
            let what = words.filter { !$0.isEmpty }.joined(separator: ".")
            report(
                .duplicateName, "There is already a <\(declaration.name)> of \(what) above",
                at: declaration.offset, notes: ["Remove one of them"])
        }
    }
}

extension ParsedElement {
    /// Whether two elements say the same, wherever they stand and however they are laid out.
    func saysTheSame(as other: ParsedElement) -> Bool {
        func words(_ element: ParsedElement) -> [String: String] {
            Dictionary(
                element.attributes.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        }
        return name == other.name && words(self) == words(other)
            && text.trimmed.value == other.text.trimmed.value
            && children.count == other.children.count
            && zip(children, other.children).allSatisfy { $0.saysTheSame(as: $1) }
    }
}
