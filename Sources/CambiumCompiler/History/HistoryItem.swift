import CambiumModel
import CambiumPlan

/// A declaration that lets a step between two versions be planned.
package struct HistoryItem: Sendable {
    /// The declaration. Several steps of code become one step of the migration.
    let item: any MigrationItem
    /// An expression in it, as it is written; nil where that of its tree is right.
    private var text: String?
    /// The reason, where the declaration has none of its own.
    private var reason: String?

    init(_ item: any MigrationItem, text: String? = nil, reason: String? = nil) {
        (self.item, self.text, self.reason) = (item, text, reason)
    }

    /// Code of the program that writes objects of entities.
    static func code(_ entities: [String]) -> HistoryItem {
        HistoryItem(MigrationDeclaration.Step(name: "migrateByCode", entities: entities))
    }

    var drop: MigrationDeclaration.Drop? { item as? MigrationDeclaration.Drop }
    var removesSomeObjects: Bool { drop?.condition != nil }
    var isKeep: Bool { item is MigrationDeclaration.Keep }
    var entitiesOfCode: [String]? { (item as? MigrationDeclaration.Step)?.entities }

    /// What it is about, as messages call it.
    package var subject: String {
        type(of: item).subject.compactMap { item[$0] }.joined(separator: ".")
    }

    /// Whether another one says the same, for whatever reason.
    func isSaid(by other: HistoryItem) -> Bool {
        guard let drop, let other = other.drop else {
            return AnyHashable(item) == AnyHashable(other.item)
        }
        return drop.entity == other.entity && drop.property == other.property
            && drop.condition == other.condition
    }

    /// Which rows of a store of the old version it deletes, in words; nil where it deletes none.
    package func deletion(in old: Model) -> String? {
        guard let drop, drop.property == nil, old.entity(named: drop.entity)?.isAbstract == false
        else { return nil }
        guard let condition = drop.condition, condition != .literal(.bool(true)) else {
            return "deletes all rows of \(drop.entity)"
        }
        return "deletes the rows of \(drop.entity) where \(condition)"
    }

    /// The declaration as it is written, with what it means for the data.
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
    /// The same with declarations about the step from another version after its own.
    func declaring(_ items: [HistoryItem], since old: Model) -> Model {
        var declaration = migration ?? MigrationDeclaration(from: old.version)
        for item in items.joiningCode { declaration.add(item.item) }
        return declaring(declaration)
    }
}

extension [HistoryItem] {
    /// The same with all code in one step, which comes last.
    var joiningCode: [HistoryItem] {
        let code = compactMap(\.entitiesOfCode).flatMap(\.self)
        return filter { $0.entitiesOfCode == nil } + (code.isEmpty ? [] : [.code(code)])
    }
}
