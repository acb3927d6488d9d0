import CambiumModel

extension ModelChecker {
    /// Reports declarations of a migration about what another one is about: they would say what only
    /// one of them means.
    func checkRepetitions(in migration: ParsedElement) {
        var seen: Set<[String]> = []
        for declaration in migration.children {
            // Several conditions choose several objects.
            guard let subject = DeclarationKind.named(declaration.name)?.item.subject,
                !subject.isEmpty,
                declaration.name != MigrationDeclaration.Drop.element
                    || declaration["where"] == nil
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
        name == other.name && list.saysTheSame(as: other.list)
            && text.trimmed.value == other.text.trimmed.value
            && children.count == other.children.count
            && zip(children, other.children).allSatisfy { $0.saysTheSame(as: $1) }
    }
}
