/// The names of the Swift types that a model becomes: its own, and those of its enumerations,
/// composites and entities with the keys that are generated beside them.
///
/// Names that somebody wrote may not differ in case only, since nobody could tell them apart; with a
/// name that is made up, only the very same one clashes.
struct TypeNames {
    /// What has a name.
    struct Owner {
        /// In words, such as `the keys of the entity 'A'`.
        let description: String
        /// Where it is declared, or nil where no file says it.
        let offset: Int?
        /// Whether the name stands in the model as it is.
        let isWritten: Bool
    }

    private var owners: [String: Owner] = [:]
    /// The names that are written, by their lower-case forms.
    private var written: [String: String] = [:]

    /// What has the name already, or one that is too near to it.
    func owner(of name: String, isWritten: Bool) -> (name: String, owner: Owner)? {
        if let owner = owners[name] { return (name, owner) }
        guard isWritten, let near = written[name.lowercased()] else { return nil }
        return owners[near].map { (near, $0) }
    }

    /// Whether a class of that name and its keys can be generated.
    func isFree(forClass name: String) -> Bool {
        owner(of: name, isWritten: true) == nil
            && owner(of: TypeNames.keys(of: name), isWritten: false) == nil
    }

    /// Keeps a name, unless something has it.
    mutating func take(_ name: String, for owner: Owner) {
        guard owners[name] == nil else { return }
        owners[name] = owner
        guard owner.isWritten else { return }
        written[name.lowercased()] = written[name.lowercased()] ?? name
    }

    /// The name of the type that holds the keys of a class or composite.
    static func keys(of type: String) -> String { type + "Keys" }
}

extension ModelChecker {
    /// Takes the name of a type, and of the one that holds its keys, for a declaration. What has one
    /// of them already is named, each clash once.
    ///
    /// - Parameters:
    ///   - kind: What it is, such as `entity`.
    ///   - subject: Its own name, where that is another.
    /// - Returns: Whether the name itself is free, so that the declaration can be used.
    func takeTypeName(
        _ name: ParsedAttribute, of kind: String, named subject: String? = nil, hasKeys: Bool
    ) -> Bool {
        let description = "the \(kind) '\(subject ?? name.value)'"
        if let (other, owner) = typeNames.owner(of: name.value, isWritten: true) {
            reportClash(of: name, kind, with: other, owner)
            if owner.isWritten { brokenNames.insert(name.value) }
            return !owner.isWritten
        }
        typeNames.take(
            name.value,
            for: .init(description: description, offset: name.valueOffset, isWritten: true))
        if hasKeys {
            let keys = TypeNames.keys(of: name.value)
            if let (_, owner) = typeNames.owner(of: keys, isWritten: false) {
                report(
                    .reservedName,
                    "The keys of \(description) are called '\(keys)', which is the name of "
                        + owner.description,
                    at: name, notes: notes(on: owner, kind))
            } else {
                typeNames.take(
                    keys,
                    for: .init(
                        description: "the keys of \(description)", offset: name.valueOffset,
                        isWritten: false))
            }
        }
        return true
    }

    private func reportClash(
        of name: ParsedAttribute, _ kind: String, with other: String, _ owner: TypeNames.Owner
    ) {
        if !owner.isWritten {
            report(
                .reservedName, "'\(name.value)' is the name of \(owner.description)", at: name,
                notes: notes(on: owner, kind))
        } else if other == name.value {
            report(
                .duplicateName, "There is already a type '\(other)': \(owner.description)",
                at: name, notes: notes(on: owner, kind))
        } else {
            report(
                .duplicateName, "'\(name.value)' differs from \(owner.description) only in case",
                at: name, notes: notes(on: owner, kind))
        }
    }

    private func notes(on owner: TypeNames.Owner, _ kind: String) -> [String] {
        let place = owner.offset.map {
            let position = parsed.position(at: $0)
            return "The other is declared at \(position.line):\(position.column)"
        }
        let remedy =
            kind == "entity"
            ? "Give the entity's class another name with class=\"…\"" : "Rename one of them"
        return [place, remedy].compactMap(\.self)
    }
}
