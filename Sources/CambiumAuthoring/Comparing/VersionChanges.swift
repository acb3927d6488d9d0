import CambiumCompiler
import CambiumModel
import CambiumPlan
import CambiumSQL

/// What changed from one version to the next: what the migration does with which class, and what
/// only the program sees.
package struct VersionChanges: Sendable {
    /// The version that was.
    package let from: String
    /// The version that is.
    package let to: String
    /// The changes: those of the stored data in the order of the new version's declarations, then
    /// those of types and requests.
    package let changes: [Change]
    /// What is done to the tables of a store; none where there is no migration.
    package let tables: [TableWork]
    /// Why stores of the old version cannot be migrated; empty where they can.
    package let obstacles: [Obstacle]
    /// What else the author should know of the step, at its place in the new version.
    package let findings: [Diagnostic]
    /// Whether it is a step of Xcode's that has shipped: nothing about it can be changed any more.
    package let hasShipped: Bool
    /// Whether the new version is frozen: then the step has shipped, too, and its declarations hold.
    package let isFrozen: Bool

    /// One difference.
    package struct Change: Sendable {
        /// The entity, or the type; dropped ones by their old name.
        package let subject: String
        /// The property of it, where it is about one.
        package let property: String?
        /// What kind of change it is, for programs.
        package let word: String
        /// What it is, as a sentence.
        package let summary: String
        /// What it was, and what it is, where the summary does not say.
        package var before: String?
        package var after: String?
        /// What it means for data that is there; nil where only the program sees it.
        package let kind: MigrationKind?
        /// Whether the author still has to say what becomes of the data.
        package let isUndecided: Bool
        /// Whether data goes away or becomes less exact.
        package let losesData: Bool
        /// What the author gave as the reason.
        package let reason: String?
        /// The numbers of the tables, in ``VersionChanges/tables``, that it concerns.
        package let tables: [Int]
    }

    /// Something without which there is no migration.
    package struct Obstacle: Sendable {
        /// What is missing.
        package let message: String
        /// What to write; each by itself is enough.
        package let fixes: [String]
    }

    /// What the whole step means for the data: as much as its gravest change. What has shipped and is
    /// not decided only code can do.
    package var kind: MigrationKind {
        if hasShipped, !obstacles.isEmpty { return .needsCode }
        return changes.compactMap(\.kind).max() ?? .additive
    }

    /// Whether data goes away or becomes less exact.
    package var losesData: Bool { changes.contains(where: \.losesData) }

    /// Compares two versions as the compiler does.
    ///
    /// - Parameters:
    ///   - earlier: The versions before the old one, oldest first.
    ///   - hasShipped: Whether Core Data took this step, and dropped what is gone.
    ///   - isFrozen: Whether the lock has the new version.
    ///   - plans: Whether what is done to a store, and what the lint says, is wanted too.
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
        obstacles =
            hasShipped
            ? Obstacle.ofShippedStep(difference.problems, from: old.model, to: new.model)
            : difference.problems.map { Obstacle($0, from: old, to: new) }
        findings =
            hasShipped || !plans
            ? [] : Self.findings(from: old, to: new, after: earlier, difference, hasPlan: hasPlan)
    }

    // MARK: What is to be said of a change

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

    /// What only code that knows the data can do.
    private static func programSteps(of model: Model) -> [Change] {
        (model.migration?.steps ?? []).map { step in
            Change(
                subject: "", property: nil, word: "programStep",
                summary: "Run the program's step \(step.name)", kind: .needsCode,
                isUndecided: false, losesData: true, reason: nil, tables: [])
        }
    }

    /// Enumerations and named requests are no part of a table.
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

    /// What the lint says of the step, without what the author says is meant.
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

extension VersionChanges.Obstacle {
    /// What is open in a step that has shipped; what helps stands with the last.
    fileprivate static func ofShippedStep(
        _ problems: [MigrationProblem], from old: Model, to new: Model
    ) -> [VersionChanges.Obstacle] {
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
