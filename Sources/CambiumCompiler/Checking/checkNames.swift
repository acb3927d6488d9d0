extension ModelChecker {
    /// Checks that a declaration's name is an identifier that is not taken.
    ///
    /// Unicode's identifiers, without a leading underscore, are both Swift's and SQL's; Swift's
    /// keywords are allowed, since the emitter writes them in backticks.
    mutating func checkName(
        _ name: ParsedAttribute, isTaken reserved: Set<String>, of owner: String
    ) -> Bool {
        guard Self.isIdentifier(name.value) else {
            report(
                .notAnIdentifier, "'\(name.value)' is no identifier", at: name,
                notes: ["A name is a letter, followed by letters, digits and underscores"])
            brokenNames.insert(name.value)
            return false
        }
        guard !reserved.contains(name.value) else {
            report(
                .reservedName, "'\(name.value)' is already the name of \(owner) of the runtime",
                at: name)
            brokenNames.insert(name.value)
            return false
        }
        return true
    }

    /// Keeps the first of those with the same name, and reports the others. SQLite's names do not
    /// tell upper from lower case, so neither does this.
    mutating func checkDuplicate(
        _ name: ParsedAttribute, among seen: inout [String: String], _ kind: String
    ) -> Bool {
        let key = name.value.lowercased()
        guard let first = seen[key] else {
            seen[key] = name.value
            return true
        }
        report(
            .duplicateName,
            first == name.value
                ? "There is already \(kind) '\(first)'"
                : "'\(name.value)' differs from \(kind) '\(first)' only in case",
            at: name)
        if first != name.value { brokenNames.insert(name.value) }
        return false
    }

    static func isIdentifier(_ name: String) -> Bool {
        guard let first = name.unicodeScalars.first, first.properties.isXIDStart else {
            return false
        }
        return name.unicodeScalars.allSatisfy { $0.properties.isXIDContinue }
    }
}
