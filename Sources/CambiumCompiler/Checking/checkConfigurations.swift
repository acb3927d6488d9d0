import CambiumModel

extension ModelChecker {
    /// Makes the configurations.
    ///
    /// What belongs together has to be in the same ones: a hierarchy has one table, and a link
    /// leads to a row of the same store. Where one configuration holds everything, the others are
    /// only selections.
    func checkConfigurations(in model: Model) -> [Configuration] {
        var seen: [String: String] = [:]
        var configurations: [(configuration: Configuration, written: ParsedAttribute)] = []
        for element in parsed.root.children(named: "configuration") {
            guard let name = element["name"], let written = element["entities"] else { continue }
            if name.text.isBlank {
                report(
                    .notAnIdentifier, "A configuration needs a name", at: name,
                    inXcode: "it is left out")
                continue
            }
            let isNew = checkDuplicate(
                name, among: &seen, "a configuration", isCaseSensitive: parsed.isOfXcode,
                inXcode: "it is left out")
            guard isNew else { continue }
            let configuration = Configuration(
                name: name.value, entities: checkMembers(written, in: model),
                userInfo: userInfo(of: element))
            configurations.append((configuration, written))
        }
        let all = model.entities.count
        if !configurations.contains(where: { $0.configuration.entities.count == all }) {
            for (configuration, written) in configurations {
                checkBorders(of: configuration, written, in: model)
            }
        }
        return configurations.map(\.configuration)
    }

    private func checkMembers(_ written: ParsedAttribute, in model: Model) -> [String] {
        var members: [String] = []
        var seen: Set<String> = []
        for word in WordList(written.value).words {
            let offset = written.text.sourceOffset(of: word.offset, in: parsed.source)
            if model.entity(named: word.text) == nil {
                if !declaredEntities.contains(word.text), !brokenNames.contains(word.text) {
                    report(
                        .unknownEntity, "There is no entity '\(word.text)'", at: offset,
                        notes: hint(word.text, among: declaredEntities.sorted()),
                        inXcode: "it is left out")
                }
            } else if seen.insert(word.text).inserted {
                members.append(word.text)
            } else {
                report(
                    .duplicateName, "'\(word.text)' stands twice in the list", at: offset,
                    inXcode: "it counts once")
            }
        }
        return members
    }

    private func checkBorders(
        of configuration: Configuration, _ written: ParsedAttribute, in model: Model
    ) {
        let members = Set(configuration.entities)
        let code: DiagnosticCode =
            parsed.isOfXcode ? .separatedInXcode : .separatedEntities
        for name in configuration.entities {
            guard let entity = model.entity(named: name) else { continue }
            let missing = entity.parent.flatMap { members.contains($0) ? nil : $0 }
            if let missing {
                report(
                    code,
                    "'\(configuration.name)' holds '\(name)', but not its parent "
                        + "'\(missing)'",
                    at: written, notes: ["A hierarchy has one table, so it is in one store"])
            }
            for relationship in entity.relationships
            where !members.contains(relationship.destination) && !relationship.isTransient {
                report(
                    code,
                    "'\(configuration.name)' holds '\(name)', but not "
                        + "'\(relationship.destination)', which '\(relationship.name)' leads to",
                    at: written,
                    notes: [
                        "Links stay within a store; a fetched property can look into another one"
                    ])
            }
        }
    }
}
