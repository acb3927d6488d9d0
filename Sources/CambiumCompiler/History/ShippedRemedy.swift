import CambiumModel
import CambiumPlan

/// What can be done about a step that has shipped and that its two versions leave open. Nothing in
/// the versions can be changed any more: only the file of declarations can say more.
package struct ShippedRemedy {
    /// What is open, without advice that only a change of a version could follow.
    package let facts: [String]
    /// Whether no declaration keeps the rows, so that code has to.
    let needsCode: Bool
    /// What to do, each in a sentence.
    package let notes: [String]

    /// Finds out what helps.
    ///
    /// - Parameter problems: What is open.
    package init(of problems: [MigrationProblem], from old: Model, to new: Model) {
        // What solves nothing is a mistake in a declaration, which says what to do about itself.
        // What no declaration solves comes first: often only some are shown.
        let declarer = HistoryDeclarer(old: old, new: new, isOfXcode: true)
        let hard = problems.filter { declarer.items(for: $0).isEmpty }
        let ordered = hard + problems.filter { !declarer.items(for: $0).isEmpty }
        facts = ordered.map { $0.fixes.isEmpty && $0.disputed == nil ? $0.message : $0.fact }
        let file = "\(new.name).history.xml"
        let choices = problems.compactMap { Self.choice($0, from: old, to: new) }
        guard choices.isEmpty else {
            needsCode = false
            notes = choices.map { "Say which one it was, the other is new: write \($0) in \(file)" }
            return
        }
        guard problems.allSatisfy({ !$0.fixes.isEmpty }) else {
            (needsCode, notes) = (false, [])
            return
        }
        let resolution = declarer.resolution
        let deletions = resolution.items.compactMap { $0.deletion(in: old) }
        let isSolved = resolution.isSolved
        needsCode = !isSolved || resolution.items.contains(where: \.removesAllObjects)
        var notes: [String] = []
        if isSolved {
            notes.append(
                "Run swift package cambium freeze --history: it writes \(file)"
                    + (deletions.isEmpty ? "" : ", which \(deletions.joined(separator: ", "))"))
        }
        if needsCode {
            notes.append(
                declarer.codeDeclaration.map { "This step needs code: write \($0) in \(file)" }
                    ?? "This step needs code, and no declaration leaves room for it: let the program "
                    + "change such stores before it opens them")
        }
        self.notes = notes
    }

    /// The `<migration>` that says which of two things has been what both say; nil where that is not
    /// the problem.
    private static func choice(
        _ problem: MigrationProblem, from old: Model, to new: Model
    ) -> String? {
        guard let disputed = problem.disputed else { return nil }
        let isEntity = problem.property == nil
        let rename: AttributeList = .init([
            "entity": isEntity ? disputed.name : problem.entity,
            "property": isEntity ? nil : disputed.name, "from": disputed.former,
        ])
        return ParsedElement.migration(
            from: old.version, to: new.version, [ParsedElement(own: "rename", rename)]
        ).compactXML
    }
}

extension HistoryDeclarer {
    /// The step with all that loses least declared.
    package var resolution: StepResolution {
        StepResolution(from: old, to: new, declarations: items, furtherItem: item)
    }

    /// The `<migration>` with which code of the program does what the two versions do not say; nil
    /// where that is not enough.
    var codeDeclaration: String? {
        let resolution = StepResolution(from: old, to: new) { problem in
            let items = items(for: problem).filter(\.isLeftByCode)
            return items.isEmpty ? writers(of: problem) : items
        }
        guard resolution.isSolved else { return nil }
        return ParsedElement.migration(
            from: old.version, to: new.version, resolution.items.joiningCode.map(\.element)
        ).compactXML
    }

    /// What code has to write so that a problem is none: the objects, and those that they are to
    /// lead to where there are none yet.
    private func writers(of problem: MigrationProblem) -> [HistoryItem] {
        let relationship = problem.property.flatMap { name in
            new.entity(named: problem.entity).flatMap { new.relationship(name, of: $0) }
        }
        let made = [relationship?.destination].compactMap(\.self)
            .filter { old.entity(named: $0) == nil }
        return ([problem.entity] + made).map { .code([$0]) }
    }
}

extension HistoryItem {
    fileprivate var removesAllObjects: Bool { drop?.condition == .literal(.bool(true)) }

    /// Whether it is still to be said where code writes the values: what may go, but no object.
    fileprivate var isLeftByCode: Bool {
        !removesSomeObjects && DeclarationKind.named(type(of: item).element)?.classes == [.lossy]
    }
}
