import CambiumSQL

extension CheckedModel {
    /// What the file declares, with what a fix adds to it: all else that it says stays. Nil where the
    /// fix is about something else than a declaration that is there, or the file is not Cambium's.
    func declaration(with fix: MigrationFix, in entity: String) -> String? {
        guard parsed.format != .xcode else { return nil }
        switch fix {
        case .giveDefault(let name, _):
            return declaration("attribute", name, of: entity, adding: "default", "…")
        case .makeOptional(let kind, let name, _):
            return declaration(kind.rawValue, name, of: entity, adding: "optional", "true")
        case .rename(let kind, let name?, let former) where kind != .entity:
            return declaration(kind.rawValue, name, of: entity, adding: "renamedFrom", former)
        default:
            return nil
        }
    }

    private func declaration(
        _ kind: String, _ name: String, of entity: String, adding attribute: String, _ value: String
    ) -> String? {
        let owner = parsed.root.children(named: "entity").first { $0["name"]?.value == entity }
        guard let element = owner?.children(named: kind).first(where: { $0["name"]?.value == name })
        else { return nil }
        var list = AttributeList(element.attributes, at: element.offset)
        list.set(attribute, value)
        return XMLPrinter.printCompactly(
            ParsedElement(own: element.name, list, children: element.children))
    }
}
