import CambiumModel

extension ModelChecker {
    /// What objects get in place of a case that is gone.
    mutating func checkReplacement(
        _ element: ParsedElement, in model: Model, from old: Model?
    ) -> MigrationDeclaration.Replacement? {
        guard let type = element["enum"], let name = element["case"],
            let reason = element["reason"],
            let old
        else { return nil }
        checkReason(reason)
        let isGone = checkCase(name, of: type, in: old)
        let isKnown = old.enumeration(named: type.value) != nil
        let isThere = element["with"].map { isKnown && checkCase($0, of: type, in: model) } ?? true
        guard isGone, isThere else { return nil }
        return .init(
            enumeration: type.value, case: name.value, with: element["with"]?.value,
            reason: reason.value)
    }

    /// Whether a version has a case; reported where it has not.
    private mutating func checkCase(
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
