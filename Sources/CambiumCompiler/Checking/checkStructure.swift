extension ModelChecker {
    /// Reports every element, XML attribute and text that the language does not have. Later steps
    /// look only at what it has.
    ///
    /// Elements of other namespaces are not there any more; XML attributes of other namespaces are
    /// none of the language's either.
    func checkStructure(of element: ParsedElement, _ rule: ElementDescriptor) {
        checkAttributes(of: element, rule)
        checkText(of: element, rule)
        for child in element.children {
            if rule.children.contains(child.name), child.namespace == element.namespace,
                let childRule = Vocabulary.rule(of: child.name, in: element.name)
            {
                checkStructure(of: child, childRule)
                continue
            }
            report(
                .unknownElement, "<\(element.name)> has no element <\(child.name)>",
                at: child.offset, notes: hint(child.name, among: rule.children))
            markBroken(child)
        }
    }

    private func checkAttributes(of element: ParsedElement, _ rule: ElementDescriptor) {
        for attribute in element.attributes where !rule.attributes.contains(attribute.name) {
            if attribute.name == "xmlns" || attribute.name.contains(":") {
                continue
            }
            report(
                .unknownXMLAttribute, "<\(element.name)> has no attribute '\(attribute.name)'",
                at: attribute.offset, notes: hint(attribute.name, among: rule.attributes))
        }
        for name in rule.required where element[name] == nil {
            let message = wording.missing(name, in: element.name, named: element["name"]?.value)
            report(
                .missingXMLAttribute, message, at: element.offset,
                inXcode: name == "to" ? "it is left out" : nil)
            if name == "to" { leaveOut(element) } else if name != "name" { markBroken(element) }
        }
    }

    private func checkText(of element: ParsedElement, _ rule: ElementDescriptor) {
        guard !rule.hasText,
            let start = element.text.value.utf8.firstIndex(where: { !" \t\r\n".utf8.contains($0) })
        else { return }
        let offset = element.text.value.utf8.distance(
            from: element.text.value.utf8.startIndex, to: start)
        report(
            .unexpectedText, "<\(element.name)> has no text",
            at: element.text.sourceOffset(of: offset, in: parsed.source))
    }

    /// Keeps the name of something that cannot be used, so that references to it are let pass.
    func markBroken(_ element: ParsedElement) {
        if let name = element["name"]?.value { brokenNames.insert(name) }
    }

    /// Leaves a declaration out of a model of Xcode's; in another one it cannot be used.
    func leaveOut(_ element: ParsedElement) {
        if parsed.isOfXcode { leftOut.insert(element.offset) } else { markBroken(element) }
    }

    // MARK: User info

    /// What the author noted for programs: the `info` elements in an element.
    func userInfo(of element: ParsedElement) -> [String: String] {
        var values: [String: String] = [:]
        for item in element.children where item.name == "info" {
            guard let key = item["key"], let value = item["value"] else { continue }
            if values.updateValue(value.value, forKey: key.value) != nil {
                report(
                    .duplicateName, "There is already an info '\(key.value)' here", at: key,
                    inXcode: "the last one counts")
            }
        }
        return values
    }
}

extension ParsedElement {
    /// The element without those of other namespaces, which anyone may put anywhere.
    func withoutExtensions() -> ParsedElement {
        var copy = self
        copy.children = children.compactMap { child in
            if let namespace = child.namespace, namespace != Vocabulary.namespace { return nil }
            return child.children.isEmpty ? child : child.withoutExtensions()
        }
        return copy
    }
}
