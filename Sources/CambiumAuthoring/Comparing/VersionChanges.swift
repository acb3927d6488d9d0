import CambiumCompiler
import CambiumModel
import CambiumPlan
import CambiumSQL

/// The changes from one version to the next: the changes that the migration makes, with their
/// classes, and the changes that affect only the program.
package struct VersionChanges: Sendable {
    /// The version that was.
    package let from: String
    /// The version that is.
    package let to: String
    /// The changes: first the stored data, in the order of the new version's declarations, then
    /// types and requests.
    package let changes: [Change]
    /// The work on the tables of a store; empty if there is no migration.
    package let tables: [TableWork]
    /// The reasons that stores of the old version cannot be migrated; empty if they can.
    package let blockers: [Blocker]
    /// Further findings about the step for the author, with their positions in the new version.
    package let findings: [Diagnostic]
    /// Whether the step is between versions of Xcode and has shipped. It can no longer be changed.
    package let hasShipped: Bool
    /// Whether the new version is frozen. If so, the step has shipped and its declarations hold.
    package let isFrozen: Bool

    /// One difference.
    package struct Change: Sendable {
        /// The entity, or the type; dropped ones by their old name.
        package let subject: String
        /// The changed property, if the change is about one.
        package let property: String?
        /// The kind of change, for programs.
        package let word: String
        /// The change, as a sentence.
        package let summary: String
        /// The values before and after, if the summary does not contain them.
        package var before: String?
        package var after: String?
        /// The effect on existing data; nil if the change affects only the program.
        package let kind: MigrationKind?
        /// Whether the author still has to decide about the data.
        package let isUndecided: Bool
        /// Whether data is deleted or becomes less exact.
        package let losesData: Bool
        /// The reason that the author gave.
        package let reason: String?
        /// The numbers of the tables, in ``VersionChanges/tables``, that it concerns.
        package let tables: [Int]
    }

    /// A problem that prevents the migration.
    package struct Blocker: Sendable {
        /// The problem.
        package let message: String
        /// The fixes; each one is sufficient by itself.
        package let fixes: [String]
    }

    /// The class of the complete step: that of its gravest change. If the step has shipped and is
    /// undecided, only code can migrate the data.
    package var kind: MigrationKind {
        if hasShipped, !blockers.isEmpty { return .needsCode }
        return changes.compactMap(\.kind).max() ?? .additive
    }

    /// Whether data is deleted or becomes less exact.
    package var losesData: Bool { changes.contains(where: \.losesData) }

    /// Compares two versions as the compiler does.
    ///
    /// - Parameters:
    ///   - earlier: The versions before the old one, oldest first.
    ///   - hasShipped: Whether Core Data already ran this step, and dropped the deleted data.
    ///   - isFrozen: Whether the lock contains the new version.
    ///   - plans: Whether to include the work on the tables and the findings of the lint.
    init(
        from old: CheckedModel, to new: CheckedModel, after earlier: [CheckedModel] = [],
        hasShipped: Bool, isFrozen: Bool = false, plans: Bool
    ) {
        self.isFrozen = isFrozen
        let shipped = hasShipped ? ShippedStep(from: old.model, to: new.model) : nil
        let target = shipped?.target ?? new.model
        let difference =
            shipped?.difference ?? ModelDifference(from: old.model, to: new.model)
        let hasPlan = difference.problems.isEmpty
        let work =
            hasPlan && plans
            ? StoreWork(
                of: difference, schemas: (Schema(of: old.model), Schema(of: target))) : nil
        from = old.model.version
        to = new.model.version
        self.hasShipped = hasShipped
        tables = work?.tables ?? []
        let texts = (old: DeclaredText(old.parsed), new: DeclaredText(new.parsed))
        let details =
            plans
            ? ChangeDetails(of: difference) { rule, entity, side in
                (side == .old ? texts.old : texts.new)
                    .condition(of: "rule", rule.name, in: entity.name)
            } : nil
        let stored = difference.changes.enumerated().map { index, change in
            Change(
                change, details?.detail(of: change),
                isUndecided: Self.isUndecided(change, difference.problems),
                reason: change.reason(in: hasPlan ? target : new.model, difference.match),
                tables: work?.tablesOfChanges[index] ?? [])
        }
        changes =
            stored + Self.programSteps(of: new.model)
            + Self.changesOfTypes(from: old.model, to: new.model)
        blockers =
            hasShipped
            ? Blocker.ofShippedStep(difference.problems, from: old.model, to: new.model)
            : difference.problems.map { Blocker($0, from: old, to: new) }
        findings =
            hasShipped || !plans
            ? [] : Self.findings(from: old, to: new, after: earlier, difference, hasPlan: hasPlan)
    }

    // MARK: Details of a change

    private static func isUndecided(
        _ change: ModelChange, _ problems: [MigrationProblem]
    ) -> Bool {
        guard let property = property(of: change) else { return false }
        return problems.contains { $0.entity == change.entity && $0.property == property }
    }

    /// The property that objects get, or that becomes another one.
    private static func property(of change: ModelChange) -> String? {
        switch change {
        case .attributeAdded(_, let name, _), .attributeConverted(_, let name, _, _),
            .attributeRenamed(_, let name, _), .attributeBecameRequired(_, let name),
            .attributeStored(_, let name), .derivationDropped(_, let name),
            .presenceChanged(_, let name), .relationshipAdded(_, let name),
            .relationshipRenamed(_, let name, _), .relationshipChanged(_, let name):
            name
        default: nil
        }
    }

    /// The steps of the program's own code.
    private static func programSteps(of model: Model) -> [Change] {
        (model.migration?.steps ?? []).map { step in
            Change(
                subject: "", property: nil, word: "programStep",
                summary: "Run the program's step \(step.name)", kind: .needsCode,
                isUndecided: false, losesData: true, reason: nil, tables: [])
        }
    }

    /// Enumerations and named requests are not part of a table.
    private static func changesOfTypes(from old: Model, to new: Model) -> [Change] {
        var changes: [Change] = []
        func add(_ word: String, _ subject: String, _ property: String?, _ summary: String) {
            changes.append(
                Change(
                    subject: subject, property: property, word: word, summary: summary, kind: nil,
                    isUndecided: false, losesData: false, reason: nil, tables: []))
        }
        for type in new.enumerations where old.enumeration(named: type.name) == nil {
            add("enumerationAdded", type.name, nil, "Add the enumeration \(type.name)")
        }
        for type in old.enumerations where new.enumeration(named: type.name) == nil {
            add("enumerationDropped", type.name, nil, "Drop the enumeration \(type.name)")
        }
        for entity in new.entities {
            let before = old.entity(named: entity.name)?.fetchTemplates ?? []
            for template in entity.fetchTemplates where !before.contains(template) {
                let isNew = !before.contains { $0.name == template.name }
                add(
                    isNew ? "requestAdded" : "requestChanged", entity.name, template.name,
                    "\(isNew ? "Add" : "Change") the request \(template.name) of \(entity.name)")
            }
            for gone in before
            where !entity.fetchTemplates.contains(where: { $0.name == gone.name }) {
                add(
                    "requestDropped", entity.name, gone.name,
                    "Drop the request \(gone.name) of \(entity.name)")
            }
        }
        return changes
    }

    // MARK: What is needed

    /// The findings of the lint about the step, without the ones that the author suppressed.
    private static func findings(
        from old: CheckedModel, to new: CheckedModel, after earlier: [CheckedModel],
        _ difference: ModelDifference, hasPlan: Bool
    ) -> [Diagnostic] {
        let compiler = ModelCompiler(verdicts: nil)
        compiler.warnAboutRows(to: new, difference)
        if hasPlan {
            compiler.diagnostics +=
                StepLint(
                    from: old, to: new, after: earlier, difference
                ).findings
        }
        return Suppressions(in: [new.parsed]).applied(to: compiler.diagnostics).kept.sortedByPlace()
    }
}

extension VersionChanges.Change {
    /// A change that a migration carries out.
    fileprivate init(
        _ change: ModelChange, _ detail: ModelChange.Detail?, isUndecided: Bool,
        reason: String?, tables: [Int]
    ) {
        let summary = change.summary
        self.init(
            subject: change.enumeration ?? change.entity, property: change.property,
            word: change.word, summary: summary.capitalizedFirst,
            before: detail?.before, after: detail?.after,
            kind: change.kind, isUndecided: isUndecided, losesData: change.losesData,
            reason: reason, tables: tables)
    }
}

extension VersionChanges.Blocker {
    /// The open problems of a step that has shipped. The last one has the remedies.
    fileprivate static func ofShippedStep(
        _ problems: [MigrationProblem], from old: Model, to new: Model
    ) -> [VersionChanges.Blocker] {
        guard !problems.isEmpty else { return [] }
        let remedy = ShippedRemedy(of: problems, from: old, to: new)
        return remedy.facts.enumerated().map { index, fact in
            .init(message: fact, fixes: index == remedy.facts.count - 1 ? remedy.notes : [])
        }
    }

    fileprivate init(
        _ problem: MigrationProblem, from old: CheckedModel, to new: CheckedModel
    ) {
        let writer = FixWriter(old: old, new: new)
        self.init(
            message: problem.message,
            fixes: problem.fixes.map { writer.note(for: $0, of: problem) })
    }
}
