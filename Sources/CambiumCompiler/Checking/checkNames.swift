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
                "'\(name.value)' is already the name of \(owner) of the runtime; "
                    + "in Swift it is '\(ReservedNames.memberName(name.value, among: reserved))'",
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
    /// - Parameter isMember: Whether it is that of a property or a request, which may start with
    ///   underscores in a model of Xcode's.
    func checkIdentifier(_ name: ParsedAttribute, isMember: Bool = false) -> Bool {
        if Vocabulary.isIdentifier(name.value) { return true }
        if isMember, parsed.isOfXcode, name.value.hasPrefix("_"),
            Vocabulary.isIdentifier(String(name.value.drop { $0 == "_" }))
        {
            return true
        }
        report(
            .notAnIdentifier, "'\(name.value)' is no identifier", at: name,
            notes: ["A name is a letter, followed by letters, digits and underscores"])
        brokenNames.insert(name.value)
        return false
    }

    /// Keeps the first of those with the same name, and reports the others. SQLite's names do not
    /// tell upper from lower case, so neither does this.
    ///
    /// - Parameter isCaseSensitive: Whether names that differ in case only are two all the same:
    ///   those that no table or column has.
    ///   - outcome: What becomes of the others in a model of Xcode's; nil for what Xcode does not
    ///   accept either.
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
