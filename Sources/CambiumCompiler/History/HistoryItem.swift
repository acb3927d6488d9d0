import CambiumModel
import CambiumSQL

/// A declaration that lets a step between two versions be planned.
enum HistoryItem: Hashable {
    /// Data that goes.
    case drop(MigrationDeclaration.Drop)
    /// A case of an enumeration that is gone, with what objects get.
    case replace(MigrationDeclaration.Replacement)
    /// Links that stay.
    case keep(MigrationDeclaration.Keep)
    /// A value that existing objects get; the text is the expression as it is written.
    case fill(MigrationDeclaration.Fill, text: String, reason: String)

    /// What it is about, as messages call it.
    var subject: String {
        switch self {
        case .drop(let drop): drop.property.map { "\(drop.entity).\($0)" } ?? drop.entity
        case .replace(let way): "\(way.enumeration).\(way.name)"
        case .keep(let keep): "\(keep.entity).\(keep.relationship)"
        case .fill(let fill, _, _): "\(fill.entity).\(fill.attribute)"
        }
    }

    /// The declaration as it is written, with what it means for the data.
    var element: ParsedElement {
        var list = AttributeList(at: 0)
        let name: String
        let reason: String
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
        }
        let kinds = HistoryChecker.kinds(of: ParsedElement(own: name, list))
        list.set("class", kinds.first?.rawValue)
        list.set("reason", reason)
        return ParsedElement(own: name, list)
    }
}

extension MigrationDeclaration {
    /// The declarations with others after them.
    func adding(_ items: [HistoryItem]) -> MigrationDeclaration {
        var (drops, replacements, keeps, fills) = (drops, replacements, keeps, fills)
        for item in items {
            switch item {
            case .drop(let drop): drops.append(drop)
            case .replace(let way): replacements.append(way)
            case .keep(let keep): keeps.append(keep)
            case .fill(let fill, _, _): fills.append(fill)
            }
        }
        return MigrationDeclaration(
            from: from, fills: fills, links: links, requirements: requirements, drops: drops,
            replacements: replacements, keeps: keeps, deduplications: deduplications, steps: steps)
    }
}
