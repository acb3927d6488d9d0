extension XcodeTranslator {
    /// Translates an entity; `requests` are the fetch templates for it.
    func translateEntity(
        _ element: ParsedElement, requests: [ParsedElement]
    ) -> ParsedElement {
        let name = element["name"]?.value ?? ""
        let info = UserInfo(of: element)
        let identity = IdentitySpelling(
            previous: previous?.entities, taken: entityIDs, renames: entityRenames
        ).keeping(entities)
        reportCopy(element, identity)
        let spelling = EntitySpelling(identity: identity, sharedClasses: sharedClasses)
        var list = spelling.translated(element.list)
        let oldName = list.value("renamedFrom") ?? entityRenames[name] ?? name
        take(info, &list)
        let indexes = IndexCollector(element, info)
        let family = IdentityTable.relatives(of: name, parents)
        let relatives = family.map { formerEntities[$0] ?? $0 }
        let others = entities.filter { family.contains($0["name"]?.value ?? "") }
        func propertyIdentity(_ kind: String) -> IdentitySpelling {
            IdentitySpelling(
                previous: previous?.properties(kind, of: oldName, relatives: relatives),
                taken: Set(element.children.compactMap { $0["elementID"]?.value }),
                renames: propertyRenames[name] ?? [:]
            ).keeping(
                element.children(named: kind),
                elsewhere: others.flatMap { $0.children(named: kind) })
        }
        let attributes = PropertyTranslation(
            identity: propertyIdentity("attribute"), indexed: indexes.indexedAttributes)
        let relationships = PropertyTranslation(identity: propertyIdentity("relationship"))
        var children: [ParsedElement] = []
        for child in element.children {
            switch child.name {
            case "attribute":
                reportCopy(child, attributes.identity)
                children.append(translateAttribute(child, attributes))
            case "relationship":
                reportCopy(child, relationships.identity)
                children.append(translateRelationship(child, relationships))
            case "fetchedProperty": children.append(translateFetched(child))
            default: break
            }
        }
        children += indexes.elements()
        children += rules(of: info)
        children += requests.map { complete($0, with: info) }
        children += info.infos + info.suppressions() + keptChildren(of: element)
        return ParsedElement(own: "entity", list, children: children, end: element.end)
    }

    /// Says what becomes of something that was duplicated in Xcode, with its Renaming ID.
    private func reportCopy(_ element: ParsedElement, _ identity: IdentitySpelling?) {
        guard let name = element["name"]?.value, let id = element["elementID"],
            let original = identity?.original(of: element)
        else { return }
        report(
            .xcodeMeaning,
            "'\(name)' and '\(original)' have the Renaming ID '\(id.value)': '\(original)' keeps its "
                + "data, and '\(name)' is new", at: id.valueOffset,
            notes: ["Clear the Renaming ID of '\(name)'"])
    }

    /// What all properties of an entity have in common.
    struct PropertyTranslation {
        var identity: IdentitySpelling?
        /// The attributes whose `indexed="YES"` has become an index.
        var indexed: Set<String> = []
        /// Whether the attributes are a composite's.
        var isComposite = false
    }

    // MARK: Properties

    func translateAttribute(
        _ element: ParsedElement, _ properties: PropertyTranslation
    ) -> ParsedElement {
        let info = UserInfo(of: element)
        var spelling = AttributeSpelling(identity: properties.identity)
        spelling.isLeaf = properties.isComposite
        spelling.isIndexed = properties.indexed.contains(element["name"]?.value ?? "")
        spelling.hasDefault = info["default"] != nil
        spelling.codableClass = info["class"]
        if let written = info["enum"] {
            let word = element["attributeType"]?.value ?? ""
            let type = AttributeSpelling.words[word] ?? word
            if let text = addEnumeration(written, type: type) {
                spelling.enumeration = text
                spelling.enumerations[text.name] = text
            }
        }
        var list = spelling.translated(element.list)
        reportAttribute(element, list)
        list.take(info.keys.filter { !["class", "enum"].contains($0.key) })
        if let type = info["type"]?.value {
            for name in ["default", "min", "max"] where info[name] == nil {
                guard let written = list[name] else { continue }
                list.set(name, XcodeValues.own(written.value, type: type), from: written)
            }
        }
        markEmptyInfo(info, &list)
        let isDerived = list["expression"] != nil
        return ParsedElement(
            own: isDerived ? "derived" : "attribute", list,
            children: info.infos + info.suppressions() + keptChildren(of: element),
            end: element.end)
    }

    /// Says what is kept, but not as the same thing.
    private func reportAttribute(_ element: ParsedElement, _ own: AttributeList) {
        let name = element["name"]?.value ?? ""
        let note = "The user info cambium.class = Type names a type that is Codable and Sendable"
        if own.value("type") == "data", element["attributeType"] == nil {
            report(
                .xcodeMeaning, "'\(name)' has no type: it is kept as data", at: element.offset,
                notes: [note])
        } else if own.value("type") == "data", element["attributeType"]?.value == "Transformable" {
            report(
                .xcodeMeaning, "The transformable '\(name)' is kept as data, untransformed",
                at: element.offset, notes: [note])
        }
        if element["derived"]?.value == "YES", own["expression"] == nil {
            report(.xcodeMeaning, "'\(name)' is not computed here", at: element.offset)
        }
    }

    func translateRelationship(
        _ element: ParsedElement, _ properties: PropertyTranslation
    ) -> ParsedElement {
        let info = UserInfo(of: element)
        var list = RelationshipSpelling(identity: properties.identity).translated(element.list)
        if let rule = element["deletionRule"], rule.value == "No Action" {
            report(
                .xcodeMeaning, "'No Action' becomes nullify: no link ever leads nowhere",
                at: rule.valueOffset)
        }
        take(info, &list)
        return ParsedElement(
            own: "relationship", list,
            children: info.infos + info.suppressions() + keptChildren(of: element),
            end: element.end)
    }

    /// Takes what user info says for Cambium.
    func take(_ info: UserInfo, _ list: inout AttributeList) {
        list.take(info.keys)
        markEmptyInfo(info, &list)
    }

    func markEmptyInfo(_ info: UserInfo, _ list: inout AttributeList) {
        if info.isEmptyElement, info.infos.isEmpty, info.keys.isEmpty {
            list.set(XcodeNamespace.userInfo, "empty")
        }
    }

    // MARK: Other declarations

    func translateComposite(_ element: ParsedElement) -> ParsedElement {
        let info = UserInfo(of: element)
        var list = NameSpelling().translated(element.list)
        take(info, &list)
        let attributes = element.children(named: "attribute").map {
            translateAttribute($0, PropertyTranslation(isComposite: true))
        }
        return ParsedElement(
            own: "composite", list, children: attributes + info.infos + keptChildren(of: element))
    }

    func translateConfiguration(_ element: ParsedElement) -> ParsedElement {
        let name = element["name"]?.value ?? ""
        var list = NameSpelling().translated(element.list)
        let members = element.children(named: "memberEntity").compactMap { $0["name"] }
        list.set(
            "entities", members.map(\.value).joined(separator: " "),
            from: members.count == 1 ? members.first : nil)
        let infos = modelInfos(under: "configuration.\(name).info.")
        return ParsedElement(
            own: "configuration", list, children: infos + keptChildren(of: element))
    }

    /// Rules are user info and nothing else: `cambium.rule.NAME`, `cambium.rule.NAME.message`.
    private func rules(of info: UserInfo) -> [ParsedElement] {
        let keys = info.keys(under: "rule.")
        return keys.filter { !$0.key.contains(".") }.map { name, condition in
            var list = AttributeList(at: condition.offset)
            list.set("name", name, from: condition)
            let message = keys.first { $0.key == name + ".message" }?.value
            list.set("message", message?.value, from: message)
            var rule = ParsedElement(own: "rule", list)
            rule.text = condition.text
            return rule
        }
    }
}
