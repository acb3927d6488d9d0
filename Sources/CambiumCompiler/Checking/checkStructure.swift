extension ModelChecker {
    /// Reports every element, XML attribute and text that the language does not have. Later steps
    /// look only at what it has.
    mutating func checkStructure(of element: ParsedElement) {
        guard let rule = Vocabulary.rules[element.name] else { return }
        checkAttributes(of: element, rule)
        checkText(of: element, rule)
        for child in element.children {
            if rule.unsupportedChildren.contains(child.name) {
                report(
                    .notSupportedYet, "The element <\(child.name)> is not supported yet",
                    at: child.offset)
                markBroken(child)
            } else if !rule.children.contains(child.name) || child.namespace != element.namespace {
                report(
                    .unknownElement, "<\(element.name)> has no element <\(child.name)>",
                    at: child.offset, notes: hint(child.name, among: rule.children))
                markBroken(child)
            } else {
                checkStructure(of: child)
            }
        }
    }

    private mutating func checkAttributes(of element: ParsedElement, _ rule: ElementRule) {
        for attribute in element.attributes where !rule.attributes.contains(attribute.name) {
            if attribute.name == "xmlns", attribute.value == Vocabulary.namespace {
                continue
            }
            if rule.unsupported.contains(attribute.name) {
                if attribute.value != "false" {
                    report(
                        .notSupportedYet,
                        "\(attribute.name)=\"\(attribute.value)\" is not supported yet",
                        at: attribute.offset)
                }
                continue
            }
            report(
                .unknownXMLAttribute, "<\(element.name)> has no attribute '\(attribute.name)'",
                at: attribute.offset, notes: hint(attribute.name, among: rule.attributes))
        }
        for name in rule.required where element[name] == nil {
            report(
                .missingXMLAttribute, "<\(element.name)> needs the attribute '\(name)'",
                at: element.offset)
            if name != "name" { markBroken(element) }
        }
    }

    private mutating func checkText(of element: ParsedElement, _ rule: ElementRule) {
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
    mutating func markBroken(_ element: ParsedElement) {
        if let name = element["name"]?.value { brokenNames.insert(name) }
    }
}
