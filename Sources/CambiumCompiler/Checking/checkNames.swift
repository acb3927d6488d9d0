import CambiumModel
import CambiumSQL

extension ModelChecker {
    /// Checks that a declaration's name is an identifier that is not taken.
    ///
    /// Unicode's identifiers, without a leading underscore, are both Swift's and SQL's; Swift's
    /// keywords are allowed, since the emitter writes them in backticks.
    func checkName(
        _ name: ParsedAttribute, isTaken reserved: Set<String>, of owner: String
    ) -> Bool {
        let isMember = reserved.isSuperset(of: ReservedNames.members)
        guard checkIdentifier(name, isMember: isMember) else { return false }
        guard reserved.contains(name.value) else { return true }
        if parsed.isOfXcode, isMember {
            report(
                .renamedInSwift,
                """
                '\(name.value)' is already the name of \(owner) of the runtime; \
                in Swift it is '\(ReservedNames.memberName(name.value, among: reserved))'
                """,
                at: name, notes: ["Another name in the model keeps the two apart"])
            return true
        }
        report(
            .reservedName, "'\(name.value)' is already the name of \(owner) of the runtime",
            at: name, notes: ["Choose another name, such as '\(name.value)Value'"])
        brokenNames.insert(name.value)
        return false
    }

    /// Checks that a name is an identifier.
    ///
    /// - Parameter isMember: Whether it is the name of a property or a request. In a model of Xcode
    ///   it may start with underscores.
    func checkIdentifier(_ name: ParsedAttribute, isMember: Bool = false) -> Bool {
        if Vocabulary.isIdentifier(name.value) { return true }
        if isMember, parsed.isOfXcode, name.value.hasPrefix("_"),
            Vocabulary.isIdentifier(String(name.value.drop { $0 == "_" }))
        {
            return true
        }
        report(
            .notAnIdentifier, "'\(name.value)' is not an identifier", at: name,
            notes: ["A name is a letter, followed by letters, digits and underscores"])
        brokenNames.insert(name.value)
        return false
    }

    /// Keeps the first declaration with a name, and reports the others. Names in SQLite are
    /// case-insensitive, so they are compared without case.
    ///
    /// - Parameters:
    ///   - isCaseSensitive: Whether names that differ only in case are different. They are, if no
    ///     table or column has such a name.
    ///   - outcome: The consequence for the others in a model of Xcode; nil if Xcode does not
    ///     accept them either.
    @inline(never)
    func checkDuplicate(
        _ name: ParsedAttribute, among seen: inout [String: String], _ kind: String,
        isCaseSensitive: Bool = false, inXcode outcome: String? = nil
    ) -> Bool {
        let key = isCaseSensitive ? name.value : name.value.lowercased()
        guard let first = seen[key] else {
            seen[key] = name.value
            return true
        }
        let message =
            first == name.value
            ? "There is already \(kind) '\(first)'"
            : "'\(name.value)' differs from \(kind) '\(first)' only in case"
        report(.duplicateName, message, at: name, inXcode: outcome)
        if first != name.value, outcome == nil || !parsed.isOfXcode {
            brokenNames.insert(name.value)
        }
        return false
    }
}

/// The names of the Swift types that are generated from a model: the model's own type, the types of
/// its enumerations, composites and entities, and the key types.
///
/// Two names in the model may not differ only in case, because people would confuse them. A
/// generated name only clashes with an equal name.
struct TypeNames {
    /// The declaration that has a name.
    struct Owner {
        /// In words, such as `the keys of the entity 'A'`.
        let description: String
        /// The position of its declaration, or nil if it is not in a file.
        let offset: Int?
        /// Whether the name is written in the model.
        let isWritten: Bool
    }

    private var owners: [String: Owner] = [:]
    /// The names that are written, by their lower-case forms.
    private var written: [String: String] = [:]

    /// The declaration that already has the name, or one that differs from it only in case.
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
    /// Reserves the name of a type, and of the type with its keys, for a declaration. If a name is
    /// taken, the other declaration is reported, once for each clash.
    ///
    /// - Parameters:
    ///   - kind: The kind of declaration, such as `entity`.
    ///   - subject: Its own name, if it is different.
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

extension ModelChecker {
    /// Reports tables that the engine could not create. Only a model without other errors has tables.
    func checkStorage(of model: Model, _ drafts: [EntityDraft]) {
        // Both are limits of the engines.
        let (name, maximum) = engine == .postgres ? ("PostgreSQL", 1600) : ("SQLite", 2000)
        for (root, draft) in zip(model.entities, drafts) where root.parent == nil {
            let isHierarchy = model.hasSubentities(root)
            // The key, the version, and in a hierarchy the entity.
            let count =
                (isHierarchy ? 3 : 2)
                + model.family(of: root).reduce(0) { $0 + columnCount(of: $1, in: model) }
            guard count > maximum else { continue }
            report(
                .unprovenMigration,
                """
                The table of '\(root.name)'\(isHierarchy ? " and what inherits from it" : "") has \
                \(count) columns, and \(name) has \(maximum) at most
                """,
                at: draft.element["name"]?.valueOffset ?? draft.element.offset,
                notes: [
                    """
                    Move some attributes to an entity of their own, with a to-one relationship to \
                    it
                    """
                ])
        }
    }

    /// Warns about properties with different column names, because SQLite does not distinguish
    /// upper from lower case. A person who examines the store must use the right name.
    func warnAboutCase(of model: Model, _ drafts: [EntityDraft]) {
        let byName = drafts.byName
        for root in model.entities where root.parent == nil {
            var first: [String: (name: String, owner: Entity)] = [:]
            for entity in model.family(of: root) {
                let names =
                    entity.attributes.filter { !$0.isTransient && !$0.isPart }.map { $0.name }
                    + entity.relationships.filter {
                        if case .key = model.storage(of: $0, of: entity) { true } else { false }
                    }.map { $0.name }
                for name in names {
                    let other = first[name.lowercased()] ?? (name, entity)
                    first[name.lowercased()] = other
                    guard other.name != name,
                        let declaration = byName[entity.name]?.declaration(of: name)
                    else { continue }
                    let columns = [
                        model.column(of: other.name, in: other.owner),
                        model.column(of: name, in: entity),
                    ]
                    report(
                        .xcodeMeaning,
                        """
                        '\(entity.name).\(name)' and '\(other.owner.name).\(other.name)' differ in \
                        case only: their columns are '\(columns[1])' and '\(columns[0])'
                        """,
                        at: declaration["name"]?.valueOffset ?? declaration.offset)
                }
            }
        }
    }

    /// The number of columns for an entity's own properties.
    private func columnCount(of entity: Entity, in model: Model) -> Int {
        let attributes = entity.attributes.count { !$0.isTransient }
        return entity.relationships.reduce(attributes) { count, relationship in
            guard
                case .key(_, let entityColumn) = model.storage(of: relationship, of: entity)
            else { return count }
            let position = model.inversePositionColumn(of: relationship, of: entity)
            return count + 1 + [entityColumn, position].compactMap(\.self).count
        }
    }
}
