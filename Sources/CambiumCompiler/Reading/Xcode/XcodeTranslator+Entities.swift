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

    /// Reports the treatment of an element that was duplicated in Xcode together with its Renaming
    /// ID.
    private func reportCopy(_ element: ParsedElement, _ identity: IdentitySpelling?) {
        guard let name = element["name"]?.value, let id = element["elementID"],
            let original = identity?.original(of: element)
        else { return }
        report(
            .xcodeMeaning,
            """
            '\(name)' and '\(original)' have the Renaming ID '\(id.value)': '\(original)' keeps its \
            data, and '\(name)' is new
            """, at: id.valueOffset,
            notes: ["Clear the Renaming ID of '\(name)'"])
    }

    /// The common data of all properties of an entity.
    struct PropertyTranslation {
        var identity: IdentitySpelling?
        /// The attributes with `indexed="YES"` that became an index.
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

    /// Reports attributes that are kept with another meaning.
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
                .xcodeMeaning, "'No Action' becomes nullify: there are no dangling references",
                at: rule.valueOffset)
        }
        take(info, &list)
        return ParsedElement(
            own: "relationship", list,
            children: info.infos + info.suppressions() + keptChildren(of: element),
            end: element.end)
    }

    /// Adds the XML attributes from Cambium's user info.
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
            "entities", members.map { $0.value }.joined(separator: " "),
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

extension XcodeTranslator {
    /// The fetch templates by entity, and the templates of entities that no longer exist. In
    /// Xcode's files they are beside the entities.
    func translateRequests(
        of root: ParsedElement
    ) -> (templates: [String: [ParsedElement]], others: [ParsedElement]) {
        let requests = root.children(named: "fetchRequest")
        let entities = root.children(named: "entity").compactMap { $0["name"]?.value }
        let order = requests.map { request in
            entities.firstIndex(of: request["entity"]?.value ?? "") ?? entities.count
        }
        let isInOrder = zip(order, order.dropFirst()).allSatisfy { $0 <= $1 }
        var templates: [String: [ParsedElement]] = [:]
        var others: [ParsedElement] = []
        for (number, request) in requests.enumerated() {
            guard let entity = request["entity"], order[number] < entities.count else {
                let name = request["entity"]?.value ?? ""
                diagnostics.append(
                    Diagnostic(
                        .unknownEntity,
                        """
                        There is no entity '\(name)'; the request \
                        '\(request["name"]?.value ?? "")' is left out
                        """,
                        at: source.position(at: request["entity"]?.valueOffset ?? request.offset),
                        severity: .warning))
                others.append(keptRequest(request, at: number, isInOrder: isInOrder))
                continue
            }
            var list = TemplateSpelling().translated(request.list)
            warnOfOtherName(of: request, list)
            let condition = list[RequestSpelling.condition]
            list.remove("to")
            list.remove(RequestSpelling.condition)
            if !isInOrder {
                list.set(XcodeNamespace.position, String(number))
            }
            var template = ParsedElement(own: "fetch", list)
            if let condition {
                template.text = request["predicateString"]?.text.trimmed ?? condition.text
                template.children = PredicateVariables.names(in: condition.value).map {
                    ParsedElement(
                        own: "parameter",
                        AttributeList(["name": $0], from: condition, at: condition.offset))
                }
            }
            templates[entity.value, default: []].append(template)
        }
        return (templates, others)
    }

    /// A request that is only kept for the way back.
    private func keptRequest(
        _ request: ParsedElement, at number: Int, isInOrder: Bool
    ) -> ParsedElement {
        var kept = request.kept(as: Self.keptRequestName)
        if !isInOrder {
            kept.attributes.append(
                ParsedAttribute(
                    name: XcodeNamespace.position, value: String(number), at: request.offset))
        }
        return kept
    }

    /// A request that is kept, but not made.
    package static let keptRequestName = "xcode:fetchRequest"

    /// Xcode's requests have names that no function can have.
    private func warnOfOtherName(of request: ParsedElement, _ own: AttributeList) {
        guard let written = request["name"], let name = own.value("name"), name != written.value
        else { return }
        report(
            .renamedInSwift, "'\(written.value)' is not an identifier; in Swift it is '\(name)'",
            at: written.valueOffset, notes: ["Another name in the model keeps the two the same"])
    }

    /// Adds the entity's user info for a template, by the template's name in Xcode.
    func complete(_ template: ParsedElement, with info: UserInfo) -> ParsedElement {
        let kept = template[XcodeNamespace.prefix + "name"] ?? template["name"]
        guard let name = kept?.value else { return template }
        let keys = info.keys(under: "fetch.\(name).")
        guard !keys.isEmpty else { return template }
        var template = template
        var list = template.list
        list.take(keys.filter { $0.key != "parameters" })
        template.attributes = list.items
        if let written = keys.first(where: { $0.key == "parameters" })?.value {
            template.children = Self.parameters(written)
        }
        template.children += Self.infos(keys)
        return template
    }

    /// Parameters as user info: `limit: decimal, kind: Kind, name`.
    private static func parameters(_ written: ParsedAttribute) -> [ParsedElement] {
        written.value.split(separator: ",").map { item in
            let parts = item.split(separator: ":").map { $0.filter { !$0.isWhitespace } }
            return ParsedElement(
                own: "parameter",
                AttributeList(
                    ["name": parts.first, "type": parts.count > 1 ? parts[1] : nil], from: written,
                    at: written.offset))
        }
    }

    // MARK: Fetched properties

    func translateFetched(_ element: ParsedElement) -> ParsedElement {
        let info = UserInfo(of: element)
        var list = FetchedSpelling().translated(element.list)
        if let request = element.children(named: "fetchRequest").first {
            for attribute in RequestSpelling().translated(request.list).items {
                switch attribute.name {
                case "name":
                    if attribute.value != FetchedRequest.name {
                        list.set(FetchedRequest.nameKey, attribute.value, from: attribute)
                    }
                case _ where attribute.name.hasPrefix(XcodeNamespace.prefix):
                    let name = attribute.name.dropFirst(XcodeNamespace.prefix.count)
                    list.set(FetchedRequest.prefix + name, attribute.value, from: attribute)
                default:
                    list.set(attribute.name, attribute.value, from: attribute)
                }
            }
        } else {
            list.set(FetchedRequest.nameKey, "")
        }
        take(info, &list)
        return ParsedElement(
            own: "fetched", list, children: info.infos + keptChildren(of: element))
    }
}

/// The request in a fetched property of Xcode.
package enum FetchedRequest {
    /// The name that Xcode gives it.
    package static let name = "fetchedPropertyFetchRequest"
    /// The prefix of the stored parts of its spelling.
    package static let prefix = "xcode:request."
    /// The key for a different name. An empty name means that there is no request.
    package static let nameKey = "xcode:request.name"
}

/// Finds the variables of a predicate: its parameters.
package enum PredicateVariables {
    /// The names without `$`, each once, except variables that a SUBQUERY declares.
    package static func names(in text: String) -> [String] {
        var names: [String] = []
        var declared: Set<String> = []
        var rest = text[...]
        var quote: Character?
        var significant: Character?
        while let character = rest.popFirst() {
            if let open = quote {
                if character == "\\" {
                    _ = rest.popFirst()
                } else if character == open {
                    quote = nil
                }
                continue
            }
            if character == "\"" || character == "'" {
                quote = character
            } else if character == "$" {
                let name = String(rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" })
                rest = rest.dropFirst(name.count)
                if significant == ",", rest.drop(while: \.isWhitespace).first == "," {
                    declared.insert(name)
                }
                if !name.isEmpty, !names.contains(name) { names.append(name) }
            }
            if !character.isWhitespace { significant = character }
        }
        let known = declared.union(["FETCH_SOURCE", "FETCHED_PROPERTY"])
        return names.filter { !known.contains($0) }
    }
}
