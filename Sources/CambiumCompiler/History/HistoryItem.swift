import CambiumModel
import CambiumSQL

/// A declaration that lets a step between two versions be planned.
package enum HistoryItem: Hashable {
    /// Data that goes.
    case drop(MigrationDeclaration.Drop)
    /// A case of an enumeration that is gone, with what objects get.
    case replace(MigrationDeclaration.Replacement)
    /// Links that stay.
    case keep(MigrationDeclaration.Keep)
    /// A value that existing objects get; the text is the expression as it is written.
    case fill(MigrationDeclaration.Fill, text: String, reason: String)
    /// Code of the program that writes objects of an entity. All that a migration has are one step.
    case code(entity: String)

    /// What it is about, as messages call it.
    package var subject: String {
        switch self {
        case .drop(let drop): drop.property.map { "\(drop.entity).\($0)" } ?? drop.entity
        case .replace(let way): "\(way.enumeration).\(way.name)"
        case .keep(let keep): "\(keep.entity).\(keep.relationship)"
        case .fill(let fill, _, _): "\(fill.entity).\(fill.attribute)"
        case .code(let entity): entity
        }
    }

    /// Which rows of a store of the old version it deletes, in words; nil where it deletes none.
    package func deletion(in old: Model) -> String? {
        guard case .drop(let drop) = self, drop.property == nil,
            old.entity(named: drop.entity)?.isAbstract == false
        else { return nil }
        guard let condition = drop.condition, condition != .literal(.bool(true)) else {
            return "deletes all rows of \(drop.entity)"
        }
        return "deletes the rows of \(drop.entity) where \(condition)"
    }

    /// The declaration as it is written, with what it means for the data.
    package var element: ParsedElement {
        var list = AttributeList(at: 0)
        let name: String
        var reason: String?
        switch self {
        case .drop(let drop):
            name = "drop"
            list.set("entity", drop.entity)
            list.set("property", drop.property)
            list.set("where", drop.condition?.conditionText)
            reason = drop.reason
        case .replace(let way):
            name = "replace"
            list.set("enum", way.enumeration)
            list.set("case", way.name)
            list.set("with", way.replacement)
            reason = way.reason
        case .keep(let keep):
            name = "keep"
            list.set("entity", keep.entity)
            list.set("relationship", keep.relationship)
            reason = keep.reason
        case .fill(let fill, let text, let given):
            name = "fill"
            list.set("entity", fill.entity)
            list.set("attribute", fill.attribute)
            list.set("with", text)
            reason = given
        case .code(let entity):
            name = "step"
            list.set("name", Self.codeName)
            list.set("entities", entity)
        }
        let kinds = HistoryChecker.kinds(of: ParsedElement(own: name, list))
        list.set("class", kinds.first?.rawValue)
        list.set("reason", reason)
        return ParsedElement(own: name, list)
    }

    /// What the step of code is called that a tool proposes.
    fileprivate static let codeName = "migrateByCode"
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

extension MigrationDeclaration {
    /// The declarations with others after them.
    func adding(_ items: [HistoryItem]) -> MigrationDeclaration {
        var declaration = self
        var entities: [String] = []
        for item in items {
            switch item {
            case .drop(let drop): declaration.drops.append(drop)
            case .replace(let way): declaration.replacements.append(way)
            case .keep(let keep): declaration.keeps.append(keep)
            case .fill(let fill, _, _): declaration.fills.append(fill)
            case .code(let entity): entities.append(entity)
            }
        }
        if !entities.isEmpty {
            declaration.steps.append(Step(name: HistoryItem.codeName, entities: entities))
        }
        return declaration
    }
}
