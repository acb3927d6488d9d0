import CambiumModel

extension DeclarationKind {
    /// What takes the place of a case.
    static let replacement = Self(MigrationDeclaration.Replacement.self, [.lossy]) {
        [$0.checkReplacement($1, $2, $3)]
    }
}

extension ModelChecker {
    /// What objects get in place of a case that is gone. An enumeration that has another name now
    /// goes by that.
    func checkReplacement(
        _ element: ParsedElement, _ model: Model, _ old: Model?
    ) -> MigrationDeclaration.Replacement? {
        guard let type = element["enum"], let name = element["case"],
            let reason = element["reason"], let old
        else { return nil }
        checkReason(reason)
        let isGone: Bool
        if old.enumeration(named: type.value) != nil {
            isGone = checkCase(name, of: type, in: old)
        } else if model.enumeration(named: type.value) != nil {
            isGone = checkFormerCase(name, of: type, in: old)
        } else {
            reportUnknown("enumeration", type, in: old, among: old.enumerations.map(\.name))
            return nil
        }
        let hasName = model.enumeration(named: type.value) != nil
        // What is to be said where its attributes have another type, the comparison knows.
        guard hasName || element["with"] == nil else {
            if !brokenNames.contains(type.value) {
                report(
                    .unknownMigrationSubject,
                    "Version \(model.version) has no enumeration '\(type.value)': where it has "
                        + "another name now, a replacement names it by that", at: type,
                    notes: hint(type.value, among: model.enumerations.map(\.name)))
            }
            return nil
        }
        let isThere = element["with"].map { checkCase($0, of: type, in: model) } ?? true
        guard isGone, isThere else { return nil }
        return .init(
            enumeration: type.value, case: name.value, with: element["with"]?.value,
            reason: reason.value)
    }

    /// Whether any enumeration of the old version has a case; reported where none has. Which of them
    /// has another name now, the attributes say, which are compared later.
    private func checkFormerCase(
        _ name: ParsedAttribute, of type: ParsedAttribute, in old: Model
    ) -> Bool {
        let names = old.enumerations.flatMap(\.cases).map(\.name)
        if names.contains(name.value) { return true }
        report(
            .unknownMigrationSubject,
            "Version \(old.version) has no case '\(name.value)' of what '\(type.value)' was",
            at: name, notes: hint(name.value, among: names))
        return false
    }

    /// Whether a version has a case; reported where it has not.
    private func checkCase(
        _ name: ParsedAttribute, of type: ParsedAttribute, in model: Model
    ) -> Bool {
        guard let enumeration = model.enumeration(named: type.value) else {
            reportUnknown(
                "enumeration", type, in: model, among: model.enumerations.map(\.name))
            return false
        }
        let names = enumeration.cases.map(\.name)
        if names.contains(name.value) { return true }
        let hints = hint(name.value, among: names)
        report(
            .unknownMigrationSubject,
            "'\(type.value)' in version \(model.version) has no case '\(name.value)'", at: name,
            notes: hints.isEmpty ? ["Possible are: \(names.joined(separator: ", "))"] : hints)
        return false
    }
}
