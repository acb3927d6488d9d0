import CambiumModel
import CambiumPlan

/// Checks the file of declarations beside a bundle: the steps that it names, and the classes of its
/// declarations. The content of the declarations is checked with the version after the step.
struct HistoryChecker {
    private let bundle: ParsedBundle
    private let history: ParsedHistory
    private var diagnostics: [Diagnostic] = []

    /// The problems; empty if there is no such file.
    static func check(_ bundle: ParsedBundle) -> [Diagnostic] {
        guard let history = bundle.history else { return [] }
        var checker = HistoryChecker(bundle: bundle, history: history)
        checker.check()
        return checker.diagnostics
    }

    private mutating func check() {
        let root = history.root
        guard root.name == "history", root.namespace == Vocabulary.namespace else {
            return report(
                .wrongRoot,
                "Declarations start with <history xmlns=\"\(Vocabulary.namespace)\" …>",
                at: root.offset)
        }
        checkNames(of: root, "history")
        if let name = root["name"], name.value != bundle.name {
            report(
                .nameMismatch,
                "The declarations are about '\(name.value)', but the model is \(bundle.name)",
                at: name.valueOffset, notes: ["Write name=\"\(bundle.name)\""])
        }
        let versions = bundle.chain.map { $0.version }
        var seen: Set<String> = []
        for migration in root.children(named: "migration") {
            checkNames(of: migration, "history/migration")
            checkSteps(migration, versions, &seen)
            for declaration in migration.children { checkClass(of: declaration) }
        }
    }

    /// Checks elements and attributes, except the ones that are checked as parts of a version.
    private mutating func checkNames(of element: ParsedElement, _ key: String) {
        guard let rule = Vocabulary.rules[key] else { return }
        for attribute in element.attributes
        where !rule.attributes.contains(attribute.name) && attribute.name != "xmlns"
            && !attribute.name.contains(":")
        {
            report(
                .unknownXMLAttribute, "<\(element.name)> has no attribute '\(attribute.name)'",
                at: attribute.offset,
                notes: Self.hint(attribute.name, among: rule.attributes))
        }
        for name in rule.required where element[name] == nil {
            report(
                .missingXMLAttribute, "<\(element.name)> needs the attribute '\(name)'",
                at: element.offset)
        }
        for child in element.children
        where child.namespace == Vocabulary.namespace && !rule.children.contains(child.name)
            && key == "history"
        {
            report(
                .unknownElement, "<\(element.name)> has no element <\(child.name)>",
                at: child.offset, notes: Self.hint(child.name, among: rule.children))
        }
    }

    private mutating func checkSteps(
        _ migration: ParsedElement, _ versions: [String], _ seen: inout Set<String>
    ) {
        guard let from = migration["from"], let to = migration["to"] else { return }
        guard let index = versions.firstIndex(of: to.value) else {
            return report(
                .unknownMigrationSubject, "There is no version '\(to.value)'", at: to.valueOffset,
                notes: Self.hint(to.value, among: versions))
        }
        guard seen.insert(to.value).inserted else {
            return report(
                .duplicateName, "The step to version '\(to.value)' is declared above",
                at: migration.offset, notes: ["Write all of it in one <migration>"])
        }
        let previous = index > 0 ? versions[index - 1] : nil
        if from.value != previous {
            report(
                .wrongStartVersion,
                "The version before '\(to.value)' is not '\(from.value)'", at: from.valueOffset,
                notes: [
                    previous.map { "Write from=\"\($0)\"" }
                        ?? "The first version has no migration"
                ])
        }
    }

    /// The class of a declaration must be the actual effect on the data, because an author relies
    /// on it.
    private mutating func checkClass(of declaration: ParsedElement) {
        guard let written = declaration["class"],
            Vocabulary.declarations.contains(declaration.name)
        else { return }
        let kinds = DeclarationKind.named(declaration.name)?.classes ?? [.reversible]
        guard !kinds.contains(where: { $0.rawValue == written.value }) else { return }
        report(
            .invalidWord,
            "<\(declaration.name)> is \(kinds[0].rawValue) here, not '\(written.value)'",
            at: written.valueOffset, notes: ["Write class=\"\(kinds[0].rawValue)\""])
    }

    private static func hint(_ name: String, among names: [String]) -> [String] {
        Suggestion.sentence(for: name, among: names).map { [$0] } ?? []
    }

    @inline(never)
    private mutating func report(
        _ code: DiagnosticCode, _ message: String, at offset: Int, notes: [String] = []
    ) {
        diagnostics.append(
            Diagnostic(code, message, at: history.source.position(at: offset), notes: notes))
    }
}

extension ModelChecker {
    /// Reports a rename of an inherited property: it must be declared at the entity that declares
    /// the property.
    func reportInherited(
        _ name: ParsedAttribute, _ property: ParsedAttribute?, from: ParsedAttribute?,
        in model: Model
    ) {
        guard let property, let from, let entity = model.entity(named: name.value),
            !incompleteEntities.contains(name.value),
            let owner = model.lineage(of: entity).first(where: {
                $0.name != entity.name && $0.has(property.value)
            })
        else { return }
        report(
            .unknownMigrationSubject,
            """
            '\(entity.name)' inherits '\(property.value)' from '\(owner.name)', and does not rename \
            it for its own objects
            """, at: property,
            notes: [
                """
                Rename it at '\(owner.name)' instead, without a drop of '\(from.value)': then all \
                objects keep it
                """
            ])
    }
}

extension Entity {
    /// Whether a property of the name, of several parts or not, is declared here.
    fileprivate func has(_ property: String) -> Bool {
        declares(property) || compositeAttributes.contains { $0.name == property }
    }
}

extension ParsedModel {
    /// The identifier by which Xcode finds a renamed element in the next version: its renaming
    /// identifier, or else its name.
    ///
    /// - Parameters:
    ///   - name: The name in this version.
    ///   - problem: The problem, with the entity, and the property if the element is one.
    func renamingID(of name: String, in problem: MigrationProblem) -> String {
        let element =
            problem.property == nil
            ? root.child("entity", named: name)
            : root.child("entity", named: problem.entity)?.children.first {
                $0["name"]?.value == name
            }
        // One that is the name in the version before is read as that.
        return element?[XcodeNamespace.prefix + "elementID"]?.value
            ?? element?["renamedFrom"]?.value ?? name
    }
}
