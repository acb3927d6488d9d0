import CambiumModel

extension ModelChecker {
    /// Makes the fetched properties of an entity, now that all entities are known.
    mutating func checkFetchedProperties(of draft: inout EntityDraft, in model: Model) {
        guard let source = model.entity(named: draft.name) else { return }
        for element in draft.element.children where element.name == "fetched" {
            guard let name = element["name"]?.value,
                draft.declaration(of: name)?.offset == element.offset,
                let written = element["to"], checkEntityName(written),
                let destination = model.entity(named: written.value)
            else { continue }
            let info = userInfo(of: element)
            let condition = element["where"].flatMap { condition in
                settle(condition.text) {
                    ExpressionCompiler.fetchedCondition(
                        $0, property: name, userInfo: info, source: source,
                        destination: destination, model: model)
                }
            }
            let sort = element["sort"].map { checkSort($0, of: destination, in: model) } ?? []
            draft.fetchedProperties.append(
                FetchedProperty(
                    name: name, destination: destination.name, condition: condition, sort: sort,
                    options: checkOptions(of: element, for: destination, in: model),
                    hashModifier: element["hashModifier"]?.value, userInfo: info))
        }
    }

    /// How a request is fetched.
    mutating func checkOptions(
        of element: ParsedElement, for entity: Entity, in model: Model
    ) -> RequestOptions {
        if element["sort"] == nil, parsed.format == .cambium,
            let written = element["limit"] ?? element["offset"]
        {
            report(
                .limitWithoutOrder,
                "Without an order, \(written.name) chooses any objects of those found",
                at: written.offset, notes: ["Write sort=\"…\""])
        }
        return RequestOptions(
            limit: count("limit", of: element, in: 1...Int(Int32.max)),
            offset: count("offset", of: element) ?? 0,
            batchSize: count("batchSize", of: element) ?? 0,
            resultKind: word("result", of: element, from: RequestResultKind.self) ?? .objects,
            isDistinct: flag("distinct", of: element),
            includesSubentities: flag("includesSubentities", of: element, default: true),
            includesPendingChanges: flag("includesPendingChanges", of: element, default: true),
            includesPropertyValues: flag("includesPropertyValues", of: element, default: true),
            returnsObjectsAsFaults: flag("returnsFaults", of: element, default: true),
            prefetched: element["prefetch"].map { checkPrefetch($0, of: entity, in: model) } ?? [])
    }

    private mutating func checkPrefetch(
        _ written: ParsedAttribute, of entity: Entity, in model: Model
    ) -> [String] {
        var paths: [String] = []
        for word in WordList(written.value).words {
            let offset = written.text.sourceOffset(of: word.offset, in: parsed.source)
            var owner: Entity? = entity
            for name in word.text.split(separator: ".", omittingEmptySubsequences: false) {
                guard let current = owner else { break }
                owner = model.relationship(String(name), of: current).flatMap {
                    model.entity(named: $0.destination)
                }
                guard owner == nil, !brokenNames.contains(String(name)) else { continue }
                report(
                    .unknownProperty, "'\(current.name)' has no relationship '\(name)'",
                    at: offset,
                    notes: hint(
                        String(name), among: model.relationships(of: current).map(\.name)))
            }
            if paths.contains(word.text) {
                report(.duplicateName, "'\(word.text)' stands twice in the list", at: offset)
            } else {
                paths.append(word.text)
            }
        }
        return paths
    }
}
