import CambiumModel

extension ModelChecker {
    /// Makes the fetched properties of an entity, now that all entities are known.
    func checkFetchedProperties(of draft: EntityDraft, in model: Model) {
        guard let source = model.entity(named: draft.name) else { return }
        for element in draft.element.children where element.name == "fetched" {
            guard let name = element["name"]?.value,
                draft.declaration(of: name)?.offset == element.offset,
                let written = element["to"], checkEntityName(written, of: element),
                let destination = model.entity(named: written.value)
            else { continue }
            let info = userInfo(of: element)
            let condition = element["where"].flatMap { condition in
                settle(condition.text, inXcode: "'\(name)' is left out") {
                    ExpressionCompiler.fetchedCondition(
                        $0, property: name, userInfo: info, source: source,
                        destination: destination, model: model)
                }
            }
            // Without its condition it would find all objects.
            if condition == nil, element["where"] != nil, parsed.isOfXcode { continue }
            let sort = element["sort"].map { checkSort($0, of: destination, in: model) } ?? []
            draft.fetchedProperties.append(
                FetchedProperty(
                    name: name, destination: destination.name, condition: condition, sort: sort,
                    options: checkOptions(
                        of: element, for: destination, in: model, isFetchedProperty: true),
                    hashModifier: element["hashModifier"]?.value, userInfo: info))
        }
    }
}
