extension ModelChecker {
    /// Checks that a declaration's name is an identifier that is not taken.
    ///
    /// Unicode's identifiers, without a leading underscore, are both Swift's and SQL's; Swift's
    /// keywords are allowed, since the emitter writes them in backticks.
    mutating func checkName(
        _ name: ParsedAttribute, isTaken reserved: Set<String>, of owner: String
    ) -> Bool {
        guard checkIdentifier(name) else { return false }
        guard reserved.contains(name.value) else { return true }
        if parsed.format == .xcode, reserved == ReservedNames.members {
            report(
                .renamedInSwift,
                "'\(name.value)' is already the name of \(owner) of the runtime; "
                    + "in Swift it is '\(ReservedNames.memberName(name.value))'",
                at: name, notes: ["Another name in the model keeps the two apart"])
            return true
        }
        report(
            .reservedName, "'\(name.value)' is already the name of \(owner) of the runtime",
            at: name)
        brokenNames.insert(name.value)
        return false
    }

    /// Checks that a name is an identifier.
    mutating func checkIdentifier(_ name: ParsedAttribute) -> Bool {
        if Self.isIdentifier(name.value) { return true }
        report(
            .notAnIdentifier, "'\(name.value)' is no identifier", at: name,
            notes: ["A name is a letter, followed by letters, digits and underscores"])
        brokenNames.insert(name.value)
        return false
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

    /// Keeps the first Swift type of each name, and reports the others.
    mutating func takeTypeName(_ name: ParsedAttribute) -> Bool {
        // Out of the way while this value is used for reporting; a copy for each name would cost.
        var names: [String: String] = [:]
        swap(&names, &typeNames)
        defer { typeNames = names }
        return checkDuplicate(name, among: &names, "a type")
    }

    static func isIdentifier(_ name: String) -> Bool {
        // Most names are of ASCII letters, which need no look into Unicode's tables.
        if name.utf8.allSatisfy({ (0x61...0x7A).contains($0 | 0x20) }), !name.isEmpty {
            return true
        }
        guard let first = name.unicodeScalars.first, first.properties.isXIDStart else {
            return false
        }
        return name.unicodeScalars.allSatisfy { $0.properties.isXIDContinue }
    }
}
