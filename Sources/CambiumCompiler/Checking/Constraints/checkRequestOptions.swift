import CambiumModel

extension ModelChecker {
    /// How a request is fetched.
    ///
    /// - Parameter isFetchedProperty: Whether it is that of a property, which is a list of objects.
    func checkOptions(
        of element: ParsedElement, for entity: Entity, in model: Model,
        isFetchedProperty: Bool = false
    ) -> RequestOptions {
        if element["sort"] == nil, parsed.format == .cambium,
            let written = element["limit"] ?? element["offset"]
        {
            report(
                .limitWithoutOrder,
                "Without an order, \(written.name) chooses any objects of those found",
                at: written.offset, notes: ["Write sort=\"…\""])
        }
        let kind = checkResult(of: element, isFetchedProperty)
        warnAboutInertOptions(of: element, kind, isFetchedProperty)
        return RequestOptions(
            limit: count("limit", of: element),
            offset: count("offset", of: element) ?? 0,
            batchSize: count("batchSize", of: element) ?? 0,
            resultKind: kind,
            isDistinct: flag("distinct", of: element),
            includesSubentities: flag("includesSubentities", of: element),
            includesPendingChanges: flag("includesPendingChanges", of: element),
            includesPropertyValues: flag("includesPropertyValues", of: element),
            returnsObjectsAsFaults: flag("returnsFaults", of: element),
            prefetched: element["prefetch"].map { checkPrefetch($0, of: entity, in: model) } ?? [])
    }

    /// What the request gives.
    private func checkResult(
        of element: ParsedElement, _ isFetchedProperty: Bool
    ) -> RequestResultKind {
        guard
            let kind = word(
                "result", of: element, from: RequestResultKind.self, inXcode: "it gives objects"),
            let written = element["result"], kind != .objects
        else { return .objects }
        guard isFetchedProperty else { return kind }
        // A model that works with Core Data is no reason to stop a build.
        if !parsed.isOfXcode {
            report(
                .notSupportedYet, "A fetched property gives objects, not \(kind)", at: written,
                notes: [
                    "Remove result=\"\(kind)\", or make it a <fetch>, which can give \(kind)"
                ])
        } else {
            report(
                .inertOption, "A fetched property gives objects, not \(kind)", at: written.offset,
                notes: ["The program can map or count them"])
        }
        return .objects
    }

    /// Options that the model keeps and that change nothing here, in one warning.
    private func warnAboutInertOptions(
        of element: ParsedElement, _ kind: RequestResultKind, _ isFetchedProperty: Bool
    ) {
        var defaults: [String: String] = [:]
        if isFetchedProperty {
            defaults = [
                "batchSize": "0", "includesPropertyValues": "true", "returnsFaults": "true",
            ]
        }
        // No two objects are equal.
        if kind != .dictionaries { defaults["distinct"] = "false" }
        let options = element.attributes.filter { written in
            defaults[written.name].map { $0 != written.value } ?? false
        }
        guard let first = options.first else { return }
        report(
            .inertOption,
            "\(options.map(\.name).joined(separator: ", ")) "
                + "\(options.count == 1 ? "has" : "have") no effect here", at: first.offset,
            notes: ["The request finds the same with and without"])
    }

    private func checkPrefetch(
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
                guard owner == nil, !brokenNames.contains(String(name)),
                    !incompleteEntities.contains(current.name)
                else { continue }
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
