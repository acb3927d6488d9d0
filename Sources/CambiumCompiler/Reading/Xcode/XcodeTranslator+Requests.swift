extension XcodeTranslator {
    /// The fetch templates by entity, and those of entities that are no longer there. Xcode has
    /// them beside the entities.
    func translateRequests(
        of root: ParsedElement
    ) -> (templates: [String: [ParsedElement]], others: [ParsedElement]) {
        let requests = root.children(named: "fetchRequest")
        let entities = root.children(named: "entity").compactMap { $0["name"]?.value }
        let order = requests.map { request in
            entities.firstIndex(of: request["entity"]?.value ?? "") ?? entities.count
        }
        var templates: [String: [ParsedElement]] = [:]
        var others: [ParsedElement] = []
        for (number, request) in requests.enumerated() {
            guard let entity = request["entity"], order[number] < entities.count else {
                let name = request["entity"]?.value ?? ""
                diagnostics.append(
                    Diagnostic(
                        .unknownEntity,
                        "There is no entity '\(name)'; the request "
                            + "'\(request["name"]?.value ?? "")' is left out",
                        at: source.position(at: request["entity"]?.valueOffset ?? request.offset),
                        severity: .warning))
                others.append(keptRequest(request, at: number, isInOrder: order == order.sorted()))
                continue
            }
            var list = TemplateSpelling().translated(request.list)
            warnOfOtherName(of: request, list)
            let condition = list[RequestSpelling.condition]
            list.remove("to")
            list.remove(RequestSpelling.condition)
            if order != order.sorted() {
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
            .renamedInSwift, "'\(written.value)' is no identifier; in Swift it is '\(name)'",
            at: written.valueOffset, notes: ["Another name in the model keeps the two the same"])
    }

    /// Adds what the entity's user info says of a template, by the name that it has in Xcode.
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

/// The request in a fetched property of Xcode's.
package enum FetchedRequest {
    /// The name that Xcode gives it.
    package static let name = "fetchedPropertyFetchRequest"
    /// The start of what is kept of its spelling.
    package static let prefix = "xcode:request."
    /// Where another name is kept; an empty one means that there is no request.
    package static let nameKey = "xcode:request.name"
}

/// Finds the variables of a predicate: its parameters.
package enum PredicateVariables {
    /// The names without `$`, each once, without those that a SUBQUERY declares.
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
