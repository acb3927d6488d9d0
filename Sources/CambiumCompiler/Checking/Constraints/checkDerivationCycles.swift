import CambiumModel
import CambiumSQL

extension ModelChecker {
    /// Refuses derived attributes that are made of each other in a circle: no order of computing
    /// them would do.
    func checkDerivationCycles(of drafts: [EntityDraft], in model: Model) {
        var sources: [String: [String]] = [:]
        for draft in drafts {
            guard let entity = model.entity(named: draft.name) else { continue }
            for attribute in draft.attributes {
                guard let derivation = attribute.derivation else { continue }
                sources["\(draft.name).\(attribute.name)"] = derivedSources(
                    of: derivation, entity: entity, in: model)
            }
        }
        for (number, draft) in drafts.enumerated() {
            for (index, attribute) in draft.attributes.enumerated()
            where attribute.derivation != nil {
                let name = "\(draft.name).\(attribute.name)"
                guard let way = way(from: name, to: name, sources),
                    let element = draft.declaration(of: attribute.name)
                else { continue }
                drafts[number].attributes[index] = attribute.withoutDerivation
                report(
                    .invalidExpression,
                    "'\(attribute.name)' is made of itself: "
                        + ([name] + way).joined(separator: ", "),
                    at: element["expression"]?.valueOffset ?? element.offset,
                    notes: ["Compute one of them from attributes that are not derived"],
                    inXcode: "it is not computed here")
            }
        }
    }

    /// The derived attributes that an expression looks at.
    private func derivedSources(
        of derivation: ModelExpression, entity: Entity, in model: Model
    ) -> [String] {
        DerivationSources(of: derivation, entity: entity, in: model).nodes.flatMap { node in
            node.properties.sorted().compactMap { name in
                guard model.attribute(name, of: node.entity)?.derivation != nil else { return nil }
                return model.declarer(of: name, in: node.entity).map { "\($0.name).\(name)" }
            }
        }
    }

    /// The names that lead from one to another, the latter included; nil where none do.
    private func way(
        from start: String, to end: String, _ sources: [String: [String]]
    ) -> [String]? {
        var previous: [String: String] = [:]
        var waiting = [start]
        while let name = waiting.popLast() {
            for next in sources[name] ?? [] where previous[next] == nil {
                previous[next] = name
                waiting.append(next)
            }
        }
        guard var name = previous[end] else { return nil }
        var way = [end]
        while name != start, way.count <= sources.count {
            way.insert(name, at: 0)
            guard let before = previous[name] else { break }
            name = before
        }
        return way
    }
}
