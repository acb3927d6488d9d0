import CambiumModel

/// What ``LockedConditions`` were in locks of the formats 1 and 2: as the author has written them, so
/// that another spelling of the same is a change. Such locks are read for as long as there are any;
/// freezing writes them anew.
enum FormerLockedConditions {
    /// The declarations, a line each, sorted by bytes.
    static func text(of version: CheckedModel) -> String {
        var lines: [String] = []
        for element in version.parsed.root.children where element.isOwn {
            let source = version.parsed.source
            switch element.name {
            case "entity", "composite":
                let name = element["name"]?.value ?? ""
                add(element, ["renamedFrom"], path: name, to: &lines)
                for child in element.children where child.isOwn {
                    addMember(child, of: name, to: &lines)
                }
            case "enum":
                // A case without a value has the one after the case before, so order counts.
                let cases = element.children(named: "case").map { line($0, ["name", "value"]) }
                lines.append("enum \(element["name"]?.value ?? ""): \(cases)")
            case "migration":
                // What stands beside the bundle may be written long after a version has shipped.
                for child in element.children
                where child.isOwn && !source.isOfOtherFile(child.offset) {
                    let all = child.attributes.filter { $0.isOwn && $0.name != "reason" }
                    lines.append("migration " + line(child, all.map(\.name)))
                }
            default: break
            }
        }
        return lines.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            .map { $0 + "\n" }.joined()
    }

    private static func addMember(
        _ element: ParsedElement, of entity: String, to lines: inout [String]
    ) {
        let path = "\(entity).\(element["name"]?.value ?? "")"
        switch element.name {
        case "attribute":
            add(
                element,
                [
                    "default", "min", "max", "minLength", "maxLength", "pattern", "renamedFrom",
                    "expression",
                ], path: path, to: &lines)
        case "derived": add(element, ["renamedFrom", "expression"], path: path, to: &lines)
        case "relationship": add(element, ["renamedFrom"], path: path, to: &lines)
        case "rule":
            lines.append("\(path) " + ExpressionText.onOneLine(element.text.value))
        case "index":
            let parts = element.children(named: "by").map {
                line($0, ["property", "expression", "descending"])
            }
            lines.append("\(path)index \(line(element, ["by", "where", "type"])) \(parts)")
        default: break
        }
    }

    private static func add(
        _ element: ParsedElement, _ names: [String], path: String, to lines: inout [String]
    ) {
        let line = line(element, names)
        if line != element.name { lines.append("\(path) \(line)") }
    }

    /// An element with those of its XML attributes that are there.
    private static func line(_ element: ParsedElement, _ names: [String]) -> String {
        let values = names.sorted().compactMap { name in
            element[name].map { "\(name)=\(ExpressionText.onOneLine($0.value).debugDescription)" }
        }
        return ([element.name] + values).joined(separator: " ")
    }
}

extension ParsedElement {
    /// Whether it is of our language: one with a prefix is another tool's.
    fileprivate var isOwn: Bool { !name.contains(":") }
}

extension ParsedAttribute {
    fileprivate var isOwn: Bool { !name.contains(":") && name != "xmlns" }
}
