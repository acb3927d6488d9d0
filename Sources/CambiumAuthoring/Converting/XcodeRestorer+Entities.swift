import CambiumCompiler

extension XcodeRestorer {
    /// Translates an entity; its fetch templates are added to `requests`.
    mutating func entity(
        _ element: ParsedElement, modelKeys: [(key: String, value: String)]
    ) -> ParsedElement {
        let name = element["name"]?.value ?? ""
        let spelling = EntitySpelling(identity: entityIdentity, sharedClasses: sharedClasses)
        let list = spelling.restored(element.list)
        var keys = spelling.own(from: list).keys(toBecome: element.list)
        let oldName = element["renamedFrom"]?.value ?? entityIdentity.renames[name] ?? name
        let properties = element.children.filter {
            ["attribute", "derived", "relationship"].contains($0.name)
        }
        let relatives = IdentityTable.relatives(of: name, parents).map { formerEntities[$0] ?? $0 }
        func identity(_ kind: String) -> IdentitySpelling {
            IdentitySpelling(
                previous: previous?.properties(kind, of: oldName, relatives: relatives),
                renames: propertyRenames[name] ?? [:]
            ).knowing(properties)
        }
        let attributeIdentity = identity("attribute")
        let relationshipIdentity = identity("relationship")
        let indexes = IndexRestorer(element)
        var children: [ParsedElement] = []
        for child in element.children where ["attribute", "derived"].contains(child.name) {
            children.append(attribute(child, identity: attributeIdentity, indexed: indexes.indexed))
        }
        for child in element.children(named: "relationship") {
            children.append(relationship(child, identity: relationshipIdentity))
        }
        for child in element.children(named: "fetched") {
            children.append(fetched(child))
        }
        children += indexes.elements
        keys += indexes.keys
        for rule in element.children(named: "rule") {
            let name = rule["name"]?.value ?? ""
            keys.append(("rule.\(name)", rule.text.trimmed.value))
            if let message = rule["message"] {
                keys.append(("rule.\(name).message", message.value))
            }
        }
        for template in element.children(named: "fetch") {
            keys += request(template, of: name)
        }
        keys += UserInfo.suppressionKeys(of: element)
        return ParsedElement(
            xcode: "entity", list,
            children: children + userInfo(of: element, keys: keys + modelKeys)
                + Self.keptChildren(of: element))
    }

    // MARK: Properties

    func attribute(
        _ element: ParsedElement, identity: IdentitySpelling?, indexed: Set<String>
    ) -> ParsedElement {
        let own = element.list
        var spelling = AttributeSpelling(identity: identity, enumerations: enumerations)
        spelling.isLeaf = identity == nil
        spelling.isIndexed = indexed.contains(own.value("name") ?? "")
        var keys: [(key: String, value: String)] = []
        if let text = enumerations[own.value("type") ?? ""] {
            spelling.enumeration = text
            keys.append(("enum", text.text))
        }
        if own.value("type") == "codable" {
            spelling.hasDefault = own["default"] != nil
            if let name = own["class"], !ClassName.isKnown(name.value) {
                spelling.codableClass = name
                keys.append(("class", name.value))
            }
        }
        let list = spelling.restored(own)
        keys += spelling.own(from: list).keys(toBecome: own)
        keys += UserInfo.suppressionKeys(of: element)
        return ParsedElement(
            xcode: "attribute", list,
            children: userInfo(of: element, keys: keys) + Self.keptChildren(of: element))
    }

    private func relationship(
        _ element: ParsedElement, identity: IdentitySpelling
    ) -> ParsedElement {
        let spelling = RelationshipSpelling(identity: identity)
        let list = spelling.restored(element.list)
        let keys = spelling.own(from: list).keys(toBecome: element.list)
        return ParsedElement(
            xcode: "relationship", list,
            children: userInfo(of: element, keys: keys + UserInfo.suppressionKeys(of: element))
                + Self.keptChildren(of: element))
    }

    private func fetched(_ element: ParsedElement) -> ParsedElement {
        let spelling = FetchedSpelling()
        let isOfProperty: (ParsedAttribute) -> Bool = {
            ["name", "hashModifier"].contains($0.name)
        }
        let isKept: (ParsedAttribute) -> Bool = { $0.name.hasPrefix(FetchedRequest.prefix) }
        let own = AttributeList(
            element.attributes.filter {
                isOfProperty($0) || $0.name.contains(":") && !isKept($0)
            }, at: element.offset)
        var requestOwn = AttributeList(at: element.offset)
        requestOwn.set("name", FetchedRequest.name)
        for attribute in element.attributes where !isOfProperty(attribute) {
            if isKept(attribute) {
                let name = String(attribute.name.dropFirst(FetchedRequest.prefix.count))
                let prefix = attribute.name == FetchedRequest.nameKey ? "" : XcodeNamespace.prefix
                requestOwn.set(prefix + name, attribute.value, from: attribute)
            } else if !attribute.name.contains(":") {
                requestOwn.set(attribute.name, attribute.value, from: attribute)
            }
        }
        let list = spelling.restored(own)
        let request = RequestSpelling().restored(requestOwn)
        let hasRequest = requestOwn.value("name") != ""
        let meaning = RequestSpelling().own(from: request)
        let keys =
            spelling.own(from: list).keys(toBecome: own)
            + meaning.keys(toBecome: requestOwn)
        let children = hasRequest ? [ParsedElement(xcode: "fetchRequest", request)] : []
        return ParsedElement(
            xcode: "fetchedProperty", list,
            children: children + userInfo(of: element, keys: keys)
                + Self.keptChildren(of: element))
    }

    // MARK: Fetch templates

    /// Adds a fetch template to the model's, and returns the user info for the parts that Xcode's
    /// lacks.
    private mutating func request(
        _ element: ParsedElement, of entity: String
    ) -> [(key: String, value: String)] {
        let condition = element.text.trimmed.value
        var own = element.list
        own.set("to", entity)
        if !condition.isEmpty { own.set(RequestSpelling.condition, condition) }
        let list = TemplateSpelling().restored(own)
        let position = own.value(XcodeNamespace.position).flatMap { Int($0) }
        requests.append(
            (position ?? requests.count, ParsedElement(xcode: "fetchRequest", list)))
        var keys = TemplateSpelling().own(from: list).keys(toBecome: own)
        let parameters = element.children(named: "parameter").map { parameter in
            let name = parameter["name"]?.value ?? ""
            return parameter["type"].map { "\(name): \($0.value)" } ?? name
        }
        if parameters != PredicateVariables.names(in: condition) {
            keys.append(("parameters", parameters.joined(separator: ", ")))
        }
        keys += Self.infoKeys(of: element)
        let name = list.value("name") ?? ""
        return keys.map { ("fetch.\(name).\($0.key)", $0.value) }
    }
}
