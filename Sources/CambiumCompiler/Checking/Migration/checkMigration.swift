import CambiumModel
import CambiumPlan

extension ModelChecker {
    private var migrationElement: ParsedElement? { parsed.migration }

    /// Collects the renames of the migration, for the declarations that are read next.
    func collectRenames() {
        for element in parsed.root.children(named: "migration").dropFirst() {
            report(.duplicateName, "There is already a migration above", at: element.offset)
        }
        for element in migrationElement?.children(named: "rename") ?? [] {
            guard let entity = element["entity"], let from = element["from"] else { continue }
            let subject = Subject(
                entity: entity.value, property: element["property"]?.value)
            if renames.updateValue(from.value, forKey: subject) != nil {
                report(.duplicateName, "It is already renamed above", at: element.offset)
            }
            let owner = subject.property == nil ? nil : subject.entity
            renamedByMigration[owner, default: []].insert(from.value)
        }
    }

    /// Makes the declaration of the step from the version before.
    func checkMigration(
        to model: Model, previousVersion: String?, previous: CheckedModel?
    ) -> MigrationDeclaration? {
        reportUnusedRenames(in: model)
        if let previous {
            checkRenames(in: model, from: previous.model)
            reportNeedlessRenames(in: model, from: previous.model)
        }
        guard let element = migrationElement, let from = element["from"] else { return nil }
        checkRepetitions(in: element)
        guard from.value == previousVersion else {
            report(
                .wrongStartVersion, "The version before this one is not '\(from.value)'", at: from,
                notes: remedies(ofStrayMigration: element, previousVersion, previous))
            return nil
        }
        var migration = MigrationDeclaration(from: from.value)
        for kind in DeclarationKind.all {
            for child in element.children(named: kind.item.element) {
                for case let item? in kind.check(self, child, model, previous?.model) {
                    migration.add(item)
                }
            }
        }
        return migration
    }

    /// Often a file was copied for the next version together with its migration, which was run
    /// already.
    private func remedies(
        ofStrayMigration element: ParsedElement, _ previousVersion: String?,
        _ previous: CheckedModel?
    ) -> [String] {
        guard let previousVersion else { return ["Remove it: the first version has no migration"] }
        let before = previous?.parsed.migration
        guard let before, before.isEquivalent(to: element) else {
            return [
                "Write from=\"\(previousVersion)\"",
                "Remove it, if it is the migration of an earlier version",
            ]
        }
        return [
            "Remove it: version '\(previousVersion)' has the same migration, which is done then",
            "Write from=\"\(previousVersion)\", if all of it is to be done once more",
        ]
    }

    /// Reports a reason without words.
    func checkReason(_ reason: ParsedAttribute?) {
        guard let reason, reason.isBlank else { return }
        report(
            .invalidWord, "Add a reason", at: reason,
            notes: ["The reason is for those who read the migration later"])
    }

    // MARK: Renames

    /// Reports renames that no declaration used, because they name an element that does not exist.
    private func reportUnusedRenames(in model: Model) {
        for element in migrationElement?.children(named: "rename") ?? [] {
            guard let entity = element["entity"] else { continue }
            let property = element["property"]
            let subject = Subject(entity: entity.value, property: property?.value)
            guard renames[subject] != nil else { continue }
            reportUnknown(entity, property, in: model)
            reportInherited(entity, property, from: element["from"], in: model)
        }
    }

    /// A rename is unnecessary if the old name still exists, unless the old element is dropped.
    private func reportNeedlessRenames(in model: Model, from old: Model) {
        for element in migrationElement?.children(named: "rename") ?? [] {
            guard let name = element["entity"], let from = element["from"],
                let entity = model.entity(named: name.value)
            else { continue }
            let subject: String
            if let property = element["property"] {
                guard let former = formerEntity(of: entity, of: model, in: old) else { continue }
                subject = property.value
                let names = formerNames(in: entity, since: former)
                guard former.declares(subject), former.declares(from.value),
                    names[subject] != from.value
                else { continue }
            } else {
                subject = name.value
                guard old.entity(named: subject) != nil, old.entity(named: from.value) != nil,
                    formerEntity(of: entity, of: model, in: old)?.name != from.value
                else { continue }
            }
            report(
                .inapplicable,
                "Both versions have '\(subject)' and '\(from.value)', so that each is what it was",
                at: from,
                notes: [
                    """
                    Remove the rename, or drop the '\(subject)' of version \(old.version), whose \
                    name '\(from.value)' gets
                    """
                ])
        }
    }

    private func formerNames(in entity: Entity, since former: Entity) -> FormerNames {
        func names(of entity: Entity) -> [FormerNames.Name] {
            entity.attributes.map { ($0.name, $0.renamedFrom) }
                + entity.relationships.map { ($0.name, $0.renamedFrom) }
        }
        let drops = (migrationElement?.children(named: "drop") ?? []).filter {
            $0["entity"]?.value == former.name
        }
        let dropped = Set(drops.compactMap { $0["property"]?.value })
        return FormerNames(
            names(of: entity), since: names(of: former), isDropped: dropped.contains)
    }

    /// A name in the version before has to be there, unless the thing already had its new name.
    private func checkRenames(in model: Model, from old: Model) {
        for entity in model.entities {
            guard let element = parsed.root.child("entity", named: entity.name) else { continue }
            let former = formerEntity(of: entity, of: model, in: old)
            if let name = entity.renamedFrom, former == nil {
                report(
                    .unknownMigrationSubject,
                    "Version \(old.version) has no entity '\(name)'",
                    at: (element["renamedFrom"] ?? element["name"])?.valueOffset ?? element.offset,
                    notes: hint(name, among: old.entities.map { $0.name }))
            }
            guard let former else { continue }
            // If a property moves up a hierarchy, its former name is in an entity below.
            let members = model.family(of: entity).compactMap {
                formerEntity(of: $0, of: model, in: old)
            }
            let names = ([former] + members).reduce(into: [String]()) { names, former in
                names += old.propertyNames(of: former).filter { !names.contains($0) }
            }
            // If a composite attribute is renamed, some of its parts may be new.
            let renamed =
                entity.attributes.filter { !$0.isPart }.map { ($0.name, $0.renamedFrom) }
                + entity.compositeAttributes.filter { !$0.isNested }.map {
                    ($0.name, $0.renamedFrom)
                } + entity.relationships.map { ($0.name, $0.renamedFrom) }
            for case (let property, let name?) in renamed
            where !names.contains(name) && !names.contains(property) {
                let declaration = element.children.first { $0["name"]?.value == property }
                report(
                    .unknownMigrationSubject,
                    "'\(former.name)' in version \(old.version) has no property '\(name)'",
                    at: declaration?["renamedFrom"]?.valueOffset
                        ?? declaration?.offset ?? element.offset,
                    notes: hint(name, among: names))
            }
        }
    }

    /// The entity of the previous version from which an entity was made.
    func formerEntity(of entity: Entity, of model: Model, in old: Model) -> Entity? {
        let drops = migrationElement?.children(named: "drop") ?? []
        let dropped = drops.filter { $0["property"] == nil && $0["where"] == nil }
            .compactMap { $0["entity"]?.value }
        let names = FormerNames(ofEntitiesOf: model, since: old, dropped: Set(dropped))
        return old.entity(named: names[entity.name] ?? entity.name)
    }

    /// Reports a declaration of a kind that a version does not have.
    @inline(never)
    func reportUnknown(
        _ kind: String, _ name: ParsedAttribute, in model: Model, among names: [String],
        called former: String? = nil
    ) {
        guard !brokenNames.contains(name.value) else { return }
        report(
            .unknownMigrationSubject,
            "Version \(model.version) has no \(kind) '\(name.value)'", at: name,
            notes: note(onFormer: former, of: name.value, in: model, among: names)
                ?? hint(name.value, among: names))
    }

    /// A note with the former name of an element in the version of a declaration.
    private func note(
        onFormer former: String?, of name: String, in model: Model, among names: [String]
    ) -> [String]? {
        guard let former, names.contains(former), model.version != parsed.version else {
            return nil
        }
        return ["'\(name)' was called '\(former)' there"]
    }

    /// The former name that an element of this version declares.
    private func formerName(of entity: String, _ property: String?) -> String? {
        for element in parsed.root.children(named: "entity") {
            guard element["name"]?.value == entity || element["renamedFrom"]?.value == entity else {
                continue
            }
            guard let property else { return element["renamedFrom"]?.value }
            let found = element.children.first { $0["name"]?.value == property }
            if let former = found?["renamedFrom"]?.value { return former }
        }
        let renames = migrationElement?.children(named: "rename") ?? []
        return renames.first {
            $0["entity"]?.value == entity && $0["property"]?.value == property
        }?["from"]?.value
    }

    /// Reports an entity or property that a version does not have.
    func reportUnknown(
        _ name: ParsedAttribute, _ property: ParsedAttribute?, in model: Model
    ) {
        guard let entity = model.entity(named: name.value) else {
            return reportUnknown(
                "entity", name, in: model, among: model.entities.map { $0.name },
                called: formerName(of: name.value, nil))
        }
        let names = model.propertyNames(of: entity)
        guard let property, !names.contains(property.value),
            !brokenNames.contains(property.value),
            model.version != parsed.version || !incompleteEntities.contains(entity.name)
        else { return }
        report(
            .unknownMigrationSubject,
            "'\(entity.name)' in version \(model.version) has no property '\(property.value)'",
            at: property,
            notes: note(
                onFormer: formerName(of: name.value, property.value), of: property.value, in: model,
                among: names) ?? hint(property.value, among: names))
    }
}

extension Model {
    /// The names of all properties of an entity, inherited ones first within each kind.
    func propertyNames(of entity: Entity) -> [String] {
        attributes(of: entity).map { $0.name } + relationships(of: entity).map { $0.name }
            + compositeAttributes(of: entity).map { $0.name }
    }
}

extension ParsedAttribute {
    /// Whether the reason has no words. A pasted fix contains an ellipsis that its author should
    /// replace.
    var isBlank: Bool {
        value.allSatisfy { $0.isWhitespace || $0 == "…" || $0 == "." }
    }
}

/// A kind of declaration in a migration, with its checks and its class.
struct DeclarationKind: Sendable {
    /// All kinds except renames, which are checked with the renamed element. Each is defined beside
    /// its check.
    static let all = gains + losses + [replacement, step]

    /// The type of the declaration.
    let item: any MigrationItem.Type
    /// The effects on the data; the first is the usual one.
    let classes: [MigrationKind]
    /// The least number of declarations for which their order has a meaning. Each of them then has
    /// its number in the lock file.
    let numberedFrom: Int
    /// Checks an element in a migration from one version to another, and returns its declarations.
    /// Problems are reported.
    let check: Check
    /// Pairs the declarations of a migration without errors with their elements, for the lock.
    let pairs: Pairs

    typealias Check =
        @Sendable (ModelChecker, ParsedElement, Model, Model?) -> [(any MigrationItem)?]
    typealias Pairs =
        @Sendable ([any MigrationItem], [ParsedElement]) -> [(any MigrationItem, ParsedElement)]

    init(
        _ item: any MigrationItem.Type, _ classes: [MigrationKind], numberedFrom: Int = .max,
        pairs: @escaping Pairs = { Array(zip($0, $1)) }, check: @escaping Check
    ) {
        self.item = item
        self.classes = classes
        self.numberedFrom = numberedFrom
        self.pairs = pairs
        self.check = check
    }

    /// The kind of an element.
    static func named(_ element: String) -> DeclarationKind? {
        all.first { $0.item.element == element }
    }
}

extension ModelChecker {
    /// Reports two declarations of a migration about the same subject, because only one of them can
    /// apply.
    func checkRepetitions(in migration: ParsedElement) {
        var seen: Set<String> = []
        for declaration in migration.children {
            // Several conditions choose several objects.
            guard let subject = DeclarationKind.named(declaration.name)?.item.subject,
                !subject.isEmpty,
                declaration.name != MigrationDeclaration.Drop.element
                    || declaration["where"] == nil
            else { continue }
            let words = subject.map { name in
                WordList(declaration[name]?.value ?? "").words.map { $0.text }.ordered(by: <)
                    .joined(separator: " ")
            }
            let about = ([declaration.name] + words).joined(separator: "\n")
            guard !seen.insert(about).inserted else { continue }
            let what = words.filter { !$0.isEmpty }.joined(separator: ".")
            report(
                .duplicateName, "There is already a <\(declaration.name)> of \(what) above",
                at: declaration.offset, notes: ["Remove one of them"])
        }
    }
}

extension ParsedElement {
    /// Whether two elements have the same meaning, regardless of position and layout.
    func isEquivalent(to other: ParsedElement) -> Bool {
        name == other.name && list.isEquivalent(to: other.list)
            && text.trimmed.value == other.text.trimmed.value
            && children.count == other.children.count
            && zip(children, other.children).allSatisfy { $0.isEquivalent(to: $1) }
    }
}

extension DeclarationKind {
    /// A step in the program's code.
    static let step = Self(
        MigrationDeclaration.Step.self, [.needsCode], numberedFrom: 1,
        pairs: { steps, elements in
            Array(zip(steps.map { ($0 as? MigrationDeclaration.Step)?.sorted ?? $0 }, elements))
        }
    ) { [$0.checkStep($1, $2, $3)] }
}

extension ModelChecker {
    /// A step that the program supplies: a method of a protocol, one for each name.
    func checkStep(
        _ element: ParsedElement, _ model: Model, _ old: Model?
    ) -> MigrationDeclaration.Step? {
        var names = stepNames
        defer { stepNames = names }
        guard let name = element["name"], checkName(name, isTaken: [], of: "a step"),
            checkDuplicate(name, among: &names, "a step")
        else { return nil }
        return .init(
            name: name.value,
            entities: element["entities"].map { checkEntities(of: $0, in: model, from: old) } ?? [])
    }

    /// The entities of a step. It writes objects of the entities with new names, and can only read
    /// objects of deleted entities.
    private func checkEntities(
        of written: ParsedAttribute, in model: Model, from old: Model?
    ) -> [String] {
        var entities: [String] = []
        let words = WordList(written.value).words
        if words.isEmpty {
            report(
                .invalidWord, "The step names no entity", at: written,
                notes: ["Name those that it writes, or leave 'entities' out for all that change"])
        }
        for word in words {
            let offset = written.text.sourceOffset(of: word.offset, in: parsed.source)
            let isKnown =
                model.entity(named: word.text) != nil || old?.entity(named: word.text) != nil
            if !isKnown {
                guard !brokenNames.contains(word.text) else { continue }
                report(
                    .unknownMigrationSubject,
                    "Version \(model.version) has no entity '\(word.text)'", at: offset,
                    notes: hint(word.text, among: declaredEntities.ordered(by: <)))
            } else if entities.contains(word.text) {
                report(.duplicateName, "'\(word.text)' is in the list twice", at: offset)
            } else {
                entities.append(word.text)
            }
        }
        return entities
    }
}

extension MigrationDeclaration.Step {
    /// The step with sorted entities, because their order has no meaning.
    fileprivate var sorted: Self { Self(name: name, entities: entities.ordered(by: <)) }
}
