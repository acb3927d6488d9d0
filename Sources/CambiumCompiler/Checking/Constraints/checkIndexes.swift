import CambiumModel

extension ModelChecker {
    func checkIndexes(
        of draft: EntityDraft, _ entity: Entity, in model: Model
    ) -> [Index] {
        var seen: [String: String] = [:]
        var indexes: [Index] = []
        for element in draft.element.children where element.name == "index" {
            let isNameFree =
                element["name"].map {
                    checkDuplicate($0, among: &seen, "an index", inXcode: "it is left out")
                } ?? true
            let elements = checkIndexElements(element, of: entity, in: model)
            let condition = element["where"].flatMap { written in
                settle(written.text) {
                    ExpressionCompiler.indexCondition($0, entity: entity, model: model)
                }
            }
            let kind = word("type", of: element, from: IndexKind.self) ?? .binary
            if kind == .rtree, let written = element["type"] {
                report(
                    .rtreeKeptBinary, "The store keeps this index as a binary one",
                    at: written.offset,
                    notes: [
                        parsed.format == .xcode
                            ? "It finds ranges of its first element; set its Type to Binary"
                            : "It finds ranges of its first element; remove type=\"rtree\""
                    ])
            }
            guard isNameFree, !elements.isEmpty else {
                leftOut.insert(element.offset)
                continue
            }
            let index = Index(
                name: element["name"]?.value, kind: kind, elements: elements,
                condition: condition)
            if indexes.contains(where: {
                $0.elements == index.elements && $0.condition == index.condition
            }) {
                report(
                    .duplicateName, "The same index stands above",
                    at: (element["by"] ?? element["name"])?.valueOffset ?? element.offset,
                    inXcode: "it is made once")
                leftOut.insert(element.offset)
            } else {
                indexes.append(index)
            }
        }
        return indexes
    }

    /// What an index is sorted by: a list in `by`, or an element for each.
    private func checkIndexElements(
        _ element: ParsedElement, of entity: Entity, in model: Model
    ) -> [IndexElement] {
        let items = element.children.filter { $0.name == "by" }
        let index = element["name"].map { "the index '\($0.value)'" } ?? "the index"
        let outcome = "\(index) does without it"
        guard let written = element["by"] else {
            if items.isEmpty {
                report(
                    .missingXMLAttribute, "<index> needs the attribute 'by' or elements <by>",
                    at: element.offset, inXcode: "\(index) is left out")
            }
            var seen: Set<String> = []
            if parsed.isOfXcode, skipIndex(items, of: entity, in: model) {
                return []
            }
            return items.compactMap {
                checkIndexElement($0, of: entity, in: model, &seen, inXcode: outcome)
            }
        }
        if let item = items.first {
            report(
                .inapplicable, "An index has the attribute 'by' or elements <by>, not both",
                at: item.offset)
        }
        return checkList(written, of: entity, in: model, inXcode: outcome)
    }

    /// Leaves out an index with an expression that the store cannot keep. In a model of Xcode's
    /// that is no error: Core Data has a way, and nothing but speed depends on it.
    private func skipIndex(
        _ items: [ParsedElement], of entity: Entity, in model: Model
    ) -> Bool {
        for expression in items.compactMap({ $0["expression"] }) {
            let checked = ExpressionCompiler.indexElement(
                expression.text.value, entity: entity, model: model)
            guard case .failure(let failure) = checked else { continue }
            report(
                .skippedIndex, "The index is left out: the store cannot keep this expression",
                at: expression, notes: failure.diagnostics.prefix(1).map(\.message))
            return true
        }
        return false
    }

    private func checkIndexElement(
        _ element: ParsedElement, of entity: Entity, in model: Model, _ seen: inout Set<String>,
        inXcode outcome: String
    ) -> IndexElement? {
        let isDescending = flag("descending", of: element)
        if element["property"] != nil, let expression = element["expression"] {
            report(
                .inapplicable, "<by> has a property or an expression, not both",
                at: expression.offset, inXcode: "the expression is ignored")
        }
        switch (element["property"], element["expression"]) {
        case (let property?, _):
            let offset = property.valueOffset
            let isUsable = checkProperty(
                property.value, of: entity, in: model, at: offset, inXcode: outcome)
            guard isUsable else { return nil }
            guard seen.insert(property.value).inserted else {
                report(
                    .duplicateName, "'\(property.value)' stands twice", at: offset,
                    inXcode: "it counts once")
                return nil
            }
            return IndexElement(property: property.value, isDescending: isDescending)
        case (nil, let expression?):
            let checked = settle(expression.text) {
                ExpressionCompiler.indexElement($0, entity: entity, model: model)
            }
            return checked.map {
                IndexElement(property: "", isDescending: isDescending, expression: $0)
            }
        case (nil, nil):
            report(
                .missingXMLAttribute, "<by> needs the attribute 'property' or 'expression'",
                at: element.offset, inXcode: outcome)
            return nil
        }
    }
}
