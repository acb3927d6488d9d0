import CambiumModel

extension DeclarationKind {
    /// What existing objects lose.
    static let losses = [
        Self(MigrationDeclaration.Drop.self, [.lossy], pairs: { $0.pairs(with: $1) }) {
            $0.checkDrop($1, $2, $3)
        },
        // What is said first is done first.
        Self(MigrationDeclaration.Keep.self, [.lossy], numberedFrom: 1) {
            [$0.checkKeep($1, $2, $3)]
        },
        // What is made one first may make others equal.
        Self(MigrationDeclaration.Deduplication.self, [.lossy], numberedFrom: 2) {
            [$0.checkDeduplication($1, $2, $3)]
        },
    ]
}

extension ModelChecker {
    /// An entity, a property or some objects whose data may go.
    func checkDrop(
        _ element: ParsedElement, _: Model, _ old: Model?
    ) -> [MigrationDeclaration.Drop] {
        guard let entity = element["entity"], let reason = element["reason"],
            let old
        else { return [] }
        let property = element["property"]
        reportUnknown(entity, property, in: old)
        checkReason(reason)
        let owner = old.entity(named: entity.value)
        if let condition = element["where"] {
            guard property == nil else {
                report(
                    .inapplicable, "where chooses objects, and property drops one of theirs",
                    at: condition, notes: ["Write two drops"])
                return []
            }
            guard let owner else { return [] }
            let tree = settle(condition.text) {
                ExpressionCompiler.condition($0, entity: owner, model: old)
            }
            return tree.map {
                [.init(entity: owner.name, condition: $0, reason: reason.value)]
            } ?? []
        }
        if let owner, let property,
            let composite = old.compositeAttribute(property.value, of: owner)
        {
            return old.attributes(of: owner).filter { composite.contains($0) }.map {
                .init(entity: entity.value, property: $0.name, reason: reason.value)
            }
        }
        return [.init(entity: entity.value, property: property?.value, reason: reason.value)]
    }

    /// Which of several links stay.
    func checkKeep(
        _ element: ParsedElement, _ model: Model, _ old: Model?
    ) -> MigrationDeclaration.Keep? {
        guard let entity = element["entity"], let name = element["relationship"],
            let reason = element["reason"]
        else { return nil }
        checkReason(reason)
        guard let relationship = checkToOne(name, of: entity, in: model) else { return nil }
        let destination = model.entity(named: relationship.destination)
        var order: [MigrationDeclaration.Order] = []
        if let sort = element["sort"], let old, let destination,
            let former = formerEntity(of: destination, of: model, in: old)
        {
            order = checkOrder(sort, of: former, in: old)
        }
        return .init(
            entity: entity.value, relationship: name.value, order: order, reason: reason.value)
    }

    /// What becomes of objects that are equal in what is unique.
    func checkDeduplication(
        _ element: ParsedElement, _ model: Model, _: Model?
    ) -> MigrationDeclaration.Deduplication? {
        guard let name = element["entity"], let by = element["by"], let reason = element["reason"]
        else { return nil }
        checkReason(reason)
        guard let entity = model.entity(named: name.value) else {
            reportUnknown(name, nil, in: model)
            return nil
        }
        let properties = checkNames(in: by, of: entity, in: model).names
        let links = word(
            "links", of: element, from: MigrationDeclaration.Deduplication.Links.self)
        let order = element["sort"].map { checkOrder($0, of: entity, in: model) } ?? []
        guard !properties.isEmpty else { return nil }
        return .init(
            entity: entity.name, properties: properties, order: order, links: links ?? .move,
            reason: reason.value)
    }
}

extension [MigrationDeclaration.Drop] {
    /// A drop of a composite value is one of each of its parts, so the elements are not as many.
    fileprivate func pairs(with elements: [ParsedElement]) -> [(Element, ParsedElement)] {
        var choices = filter { $0.condition != nil }[...]
        return elements.compactMap { element in
            let drop =
                element["where"] != nil
                ? choices.popFirst()
                : element["entity"].map {
                    Element(entity: $0.value, property: element["property"]?.value, reason: "")
                }
            return drop.map { ($0, element) }
        }
    }
}
