import CambiumModel
import CambiumPlan
import CambiumSQL

/// Declares the least data loss for undecided changes between two versions that have shipped.
package struct HistoryDeclarer {
    let old: Model
    let new: Model
    /// Whether Core Data has migrated stores from the one to the other.
    let isOfXcode: Bool

    /// Declares about a step.
    package init(old: Model, new: Model, isOfXcode: Bool) {
        self.old = old
        self.new = new
        self.isOfXcode = isOfXcode
    }

    /// The declarations that solve a problem; empty if only its author can solve it.
    func items(for problem: MigrationProblem) -> [HistoryItem] {
        // If a to-many becomes a to-one, each side declares the links to keep.
        let keeps = problem.declarations(of: Keep.self).map { keep in
            HistoryItem(
                Keep(
                    entity: keep.entity, relationship: keep.relationship,
                    reason: "there is one at most since \(new.version): the first stays"))
        }
        if !keeps.isEmpty { return keeps }
        let proposed = problem.declarations(of: Drop.self)
        let drops = proposed.filter { $0.condition == nil }.map { drop($0, problem) }
        if let drop = leastDestructive(of: drops, problem) { return [HistoryItem(drop)] }
        for fix in problem.fixes.flatMap({ $0.parts }) {
            guard case .replace(let enumeration, let name, let isOptional, _) = fix else {
                continue
            }
            // The case of the same name; else nil, if possible; else the first case.
            let names = new.enumeration(named: enumeration)?.cases.map { $0.name } ?? []
            let other = names.contains(name) ? name : isOptional ? nil : names.first
            return [
                HistoryItem(
                    MigrationDeclaration.Replacement(
                        enumeration: enumeration, case: name, with: other,
                        reason: "removed in \(new.version)"))
            ]
        }
        let fills = problem.declarations(of: MigrationDeclaration.Fill.self)
        if !fills.isEmpty { return fills.compactMap { fill($0.attribute, of: $0.entity) } }
        // A required link that no object can have.
        return proposed.compactMap { drop in
            guard let condition = drop.condition else { return nil }
            let reason = reason(ofGivingUp: condition, problem.property ?? problem.entity)
            return HistoryItem(Drop(entity: drop.entity, condition: condition, reason: reason))
        }
    }

    private typealias Drop = MigrationDeclaration.Drop
    private typealias Keep = MigrationDeclaration.Keep

    /// Chooses the drop after which the fewest problems remain that require further drops, if one
    /// of several may be dropped.
    private func leastDestructive(
        of drops: [Drop], _ problem: MigrationProblem
    ) -> Drop? {
        guard drops.count > 1, drops.count == problem.fixes.count else { return drops.first }
        let problemsLeft = drops.map { drop in
            let target = new.declaring([HistoryItem(drop)], since: old)
            return ModelDifference(from: old, to: target).problems.count {
                $0.declarations(of: Keep.self).isEmpty
            }
        }
        return zip(drops, problemsLeft).min { $0.1 < $1.1 }?.0
    }

    private func reason(ofGivingUp condition: ModelExpression, _ property: String) -> String {
        switch condition {
        case .literal(.bool(true)): "no object has what \(new.version) requires at \(property)"
        case .comparison(.function(.entity, _), _, _, _):
            "what they require at \(property) was removed in \(new.version)"
        default: "they do not have what \(new.version) requires at \(property)"
        }
    }

    /// Declares the deletion of objects that require deleted objects.
    func item(for drop: ModelDifference.FurtherDrop) -> HistoryItem {
        HistoryItem(
            Drop(
                entity: drop.entity, condition: drop.condition,
                reason: "they require objects of \(drop.required) that are deleted"))
    }

    private func drop(_ drop: Drop, _ problem: MigrationProblem) -> Drop {
        let isRemoved = problem.side == .old
        let reason =
            isRemoved
            ? "removed in \(new.version)" + (isOfXcode ? ", where Core Data dropped it" : "")
            : "what it held does not fit what it is in \(new.version)"
        return .init(entity: drop.entity, property: drop.property, reason: reason)
    }

    private func fill(_ name: String, of owner: String) -> HistoryItem? {
        guard let entity = new.entity(named: owner),
            let attribute = new.attribute(name, of: entity),
            let (text, value) = NeutralValue.fill(attribute, of: entity, in: new)
        else { return nil }
        // If the attribute is unique, one value for all objects is impossible.
        if case .literal = value, isUniqueAlone(name, in: entity) { return nil }
        return HistoryItem(
            MigrationDeclaration.Fill(entity: owner, attribute: name, value: value), text: text,
            reason: "required in \(new.version), and existing objects have no declared value")
    }

    private func isUniqueAlone(_ attribute: String, in owner: Entity) -> Bool {
        new.family(of: owner).contains { entity in
            entity.uniqueConstraints.contains { $0.properties == [attribute] }
        }
    }
}

/// A neutral value for existing objects that require one.
enum NeutralValue {
    /// The expression and its text; nil for types without a neutral value, or if the attribute's
    /// limits exclude it.
    static func fill(
        _ attribute: Attribute, of entity: Entity, in model: Model
    ) -> (text: String, value: ModelExpression)? {
        guard let text = text(for: attribute, in: model) else { return nil }
        let checked = ExpressionCompiler.fill(
            text, as: attribute.type, entity: entity, model: model, former: nil)
        guard case .success(let value) = checked else { return nil }
        return (text, value)
    }

    private static func text(for attribute: Attribute, in model: Model) -> String? {
        let limits = attribute.limits
        guard limits.pattern == nil else { return nil }
        switch attribute.type {
        case .string:
            return "'" + String(repeating: "-", count: limits.minimumLength ?? 0) + "'"
        case .enumeration(let name):
            return model.enumeration(named: name)?.cases.first.map { "'\($0.name)'" }
        case .date where limits.minimum != nil || limits.maximum != nil:
            return nil
        case let type:
            // Zero, or the limit that is nearest to it.
            let nearest =
                limits.minimum.flatMap { $0.sign == 1 ? $0 : nil }
                ?? limits.maximum.flatMap { $0.sign == -1 ? $0 : nil }
            return nearest.map { "\(ModelExpression.literal($0))" } ?? type.descriptor.neutral
        }
    }
}

/// The remedies for a step that has shipped and that its two versions leave undecided. The versions
/// cannot be changed any more: only the file of declarations can decide.
package struct ShippedRemedy {
    /// The undecided changes, without advice that would require a change of a version.
    package let facts: [String]
    /// Whether no declaration keeps the rows, so that code has to.
    let needsCode: Bool
    /// The remedies, each in a sentence.
    package let notes: [String]

    /// Finds the remedies.
    ///
    /// - Parameter problems: The undecided changes.
    package init(of problems: [MigrationProblem], from old: Model, to new: Model) {
        // A problem without a solution is a mistake in a declaration, and its message contains the
        // remedy. Problems that no declaration solves come first, because often only the first ones
        // are shown.
        let declarer = HistoryDeclarer(old: old, new: new, isOfXcode: true)
        let hard = problems.filter { declarer.items(for: $0).isEmpty }
        let ordered = hard + problems.filter { !declarer.items(for: $0).isEmpty }
        facts = ordered.map { $0.fixes.isEmpty && $0.disputed == nil ? $0.message : $0.fact }
        let file = "\(new.name).history.xml"
        let choices = problems.compactMap { Self.choice($0, from: old, to: new) }
        guard choices.isEmpty else {
            needsCode = false
            notes = choices.map {
                "Declare which one it was, the other is new: write \($0) in \(file)"
            }
            return
        }
        guard problems.allSatisfy({ !$0.fixes.isEmpty }) else {
            (needsCode, notes) = (false, [])
            return
        }
        let resolution = declarer.resolution
        let deletions = resolution.items.compactMap { $0.deletion(in: old) }
        let isSolved = resolution.isSolved
        needsCode = !isSolved || resolution.items.contains { $0.removesAllObjects }
        var notes: [String] = []
        if isSolved {
            notes.append(
                "Run swift package cambium freeze --history: it writes \(file)"
                    + (deletions.isEmpty ? "" : ", which \(deletions.joined(separator: ", "))"))
        }
        if needsCode {
            notes.append(
                declarer.codeDeclaration.map { "This step needs code: write \($0) in \(file)" }
                    ?? "This step needs code, and no declaration allows it: change such stores in "
                    + "the program before it opens them")
        }
        self.notes = notes
    }

    /// The `<migration>` that decides which of two elements had a former name that both declare;
    /// nil if that is not the problem.
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
    /// The step with declarations of the least data loss.
    package var resolution: StepResolution {
        StepResolution(from: old, to: new, declarations: items, furtherItem: item)
    }

    /// The `<migration>` in which code of the program decides the undecided changes; nil if that is
    /// insufficient.
    var codeDeclaration: String? {
        let resolution = StepResolution(from: old, to: new) { problem in
            let items = items(for: problem).filter { $0.isLeftByCode }
            return items.isEmpty ? writers(of: problem) : items
        }
        guard resolution.isSolved else { return nil }
        return ParsedElement.migration(
            from: old.version, to: new.version, resolution.items.joiningCode.map { $0.element }
        ).compactXML
    }

    /// The steps that must write the objects of a problem, and the objects of new entities that
    /// they are to reference.
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

    /// Whether it must still be declared if code writes the values. This is so for a drop, unless
    /// it drops objects.
    fileprivate var isLeftByCode: Bool {
        !removesSomeObjects && DeclarationKind.named(type(of: item).element)?.classes == [.lossy]
    }
}

/// A declaration that lets a step between two versions be planned.
package final class HistoryItem: Sendable {
    /// The declaration. Several steps of code become one step of the migration.
    let item: any MigrationItem
    /// An expression in it as written; nil if the canonical form is right.
    private let text: String?
    /// The reason, if the declaration has none of its own.
    private let reason: String?

    @inline(never)
    init(_ item: any MigrationItem, text: String? = nil, reason: String? = nil) {
        (self.item, self.text, self.reason) = (item, text, reason)
    }

    /// Code of the program that writes objects of entities.
    static func code(_ entities: [String]) -> HistoryItem {
        HistoryItem(MigrationDeclaration.Step(name: "migrateByCode", entities: entities))
    }

    @inline(never)
    var drop: MigrationDeclaration.Drop? { item as? MigrationDeclaration.Drop }
    var removesSomeObjects: Bool { drop?.condition != nil }
    var isKeep: Bool { item is MigrationDeclaration.Keep }
    var entitiesOfCode: [String]? { (item as? MigrationDeclaration.Step)?.entities }

    /// The subject of the declaration in messages.
    package var subject: String {
        type(of: item).subject.compactMap { item[$0] }.joined(separator: ".")
    }

    /// Whether another declaration has the same meaning, with any reason.
    @inline(never)
    func isEquivalent(to other: HistoryItem) -> Bool {
        guard let drop, let other = other.drop else {
            return item.isEqual(to: other.item)
        }
        return drop.entity == other.entity && drop.property == other.property
            && drop.condition == other.condition
    }

    /// The rows of a store of the old version that it deletes, in words; nil if it deletes none.
    package func deletion(in old: Model) -> String? {
        guard let drop, drop.property == nil, old.entity(named: drop.entity)?.isAbstract == false
        else { return nil }
        guard let condition = drop.condition, condition != .literal(.bool(true)) else {
            return "deletes all rows of \(drop.entity)"
        }
        return "deletes the rows of \(drop.entity) where \(condition)"
    }

    /// The declaration as an element, with its class.
    package var element: ParsedElement {
        let name = type(of: item).element
        var list = AttributeList(item.attributes { text ?? $0.conditionText })
        list.set("class", DeclarationKind.named(name)?.classes.first?.rawValue)
        list.set("reason", reason)
        return ParsedElement(own: name, list)
    }
}

extension ParsedElement {
    /// The declarations about a step between two versions that have shipped.
    package static func migration(
        from old: String, to new: String, _ declarations: [ParsedElement]
    ) -> ParsedElement {
        ParsedElement(
            own: "migration", AttributeList(["from": old, "to": new]), children: declarations)
    }
}

extension Model {
    /// Returns the model with additional declarations about the step from another version.
    func declaring(_ items: [HistoryItem], since old: Model) -> Model {
        var declaration = migration ?? MigrationDeclaration(from: old.version)
        for item in items.joiningCode { declaration.add(item.item) }
        return declaring(declaration)
    }
}

extension [HistoryItem] {
    /// The items with all code in one step at the end.
    var joiningCode: [HistoryItem] {
        let code = compactMap { $0.entitiesOfCode }.flatMap(\.self)
        return filter { $0.entitiesOfCode == nil } + (code.isEmpty ? [] : [.code(code)])
    }
}

/// A step between two versions, with declarations for its undecided changes.
package struct StepResolution {
    /// The new version with the declarations in its migration.
    private(set) var target: Model
    /// The declarations.
    package private(set) var items: [HistoryItem] = []
    /// The changes, and the problems that remain.
    package private(set) var difference: ModelDifference
    /// The objects that no declarations name all of, as they require each other in a circle.
    package private(set) var circles: [ModelDifference.FurtherDrop] = []

    /// Finds declarations.
    ///
    /// - Parameters:
    ///   - declarations: Returns the declarations that solve a problem; empty to leave it open.
    ///   - furtherItem: Returns the declaration for objects that are deleted because they require
    ///     deleted objects; nil to leave them undeclared.
    init(
        from old: Model, to new: Model, declarations: (MigrationProblem) -> [HistoryItem],
        furtherItem: ((ModelDifference.FurtherDrop) -> HistoryItem)? = nil
    ) {
        target = new
        difference = ModelDifference(from: old, to: new)
        // Dropping an entity reveals its relationships, so the next round finds further problems,
        // but fewer. Objects that require deleted objects are found one entity after the other.
        for _ in 0..<8 + old.entities.count {
            var found = undeclared(difference.problems.flatMap(declarations))
            if found.isEmpty, let furtherItem { found = difference.furtherDrops.map(furtherItem) }
            guard !found.isEmpty else { break }
            items += found
            target = new.declaring(items, since: old)
            difference = ModelDifference(from: old, to: target)
        }
        if items.contains(where: { $0.removesSomeObjects }) { circles = difference.circularDrops }
    }

    /// The declarations among these that are to be added next.
    private func undeclared(_ declarations: [HistoryItem]) -> [HistoryItem] {
        var found: [HistoryItem] = []
        for item in declarations where !(items + found).contains(where: item.isEquivalent) {
            found.append(item)
        }
        // Drops come first: deleted objects need no further declarations, and deleted links need no
        // declaration of the links to keep.
        let removals = found.filter { $0.removesSomeObjects }
        if !removals.isEmpty { return removals }
        return found.contains { $0.drop != nil } ? found.filter { !$0.isKeep } : found
    }

    /// Whether the declarations are enough.
    package var isSolved: Bool { difference.problems.isEmpty && circles.isEmpty }
}
