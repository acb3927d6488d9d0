import Foundation

@testable import CambiumAuthoring
@testable import CambiumCompiler

/// What the note of a diagnostic says to write, pasted into a version's file as its author would:
/// a declaration takes the place of the one of its name, and what stands for something that only the
/// author knows becomes something.
struct NotedFix {
    private var root: ParsedElement
    private let parsed: ParsedModel
    private let previousVersion: String?
    /// Whether the note says to write anything.
    private(set) var isPasted = false

    init(_ note: String, of diagnostic: Diagnostic, in parsed: ParsedModel, after: String?) throws {
        self.parsed = parsed
        root = parsed.root
        previousVersion = after
        if note.contains("instead of the drop") { removeDrops(in: note) }
        let place = Place(of: diagnostic, in: parsed)
        if note.hasPrefix("Remove it:") {
            root.children.removeAll { $0.name == "migration" }
            isPasted = true
        } else if let match = note.firstMatch(of: #/^Write (\w+)="([^"]*)"(?: at '(\w+)')?/#),
            match.1 != "renamedFrom"
        {
            // An XML attribute of something that is there.
            set(String(match.1), filled(String(match.2), String(match.1), nil), match.3, place)
        } else if let match = note.firstMatch(of: #/as in TERNARY\(…, ([\w.]+), …\)/#) {
            let name = String(match.1)
            let condition = "TERNARY(\(name) == nil, \(name), \(name))"
            var list = AttributeList(at: 0)
            let named = diagnostic.message.firstMatch(of: #/of (\w+)\./#)?.1
            list.set("entity", place.entity ?? named.map(String.init))
            list.set("attribute", name)
            list.set("with", condition)
            declare(ParsedElement(own: "fill", list))
        }
        for snippet in Self.snippets(of: note) { try paste(snippet, place) }
    }

    /// The file with it.
    var file: String { XMLPrinter.print(root) }

    // MARK: What the note says

    private struct Snippet {
        let text: String
        /// The composite type that it stands in.
        let composite: String?
    }

    /// The elements that a note has in it.
    private static func snippets(of note: String) -> [Snippet] {
        var snippets: [Snippet] = []
        var composite: String?
        var rest = note[...]
        while let start = rest.firstIndex(of: "<") {
            rest = rest[start...]
            guard let end = endOfTag(rest) else { break }
            let tag = rest[...end]
            if let match = tag.firstMatch(of: #/^<composite name="(\w+)">/#) {
                composite = String(match.1)
            } else if tag.hasPrefix("<migration "), let close = rest.range(of: "</migration>") {
                snippets.append(Snippet(text: String(rest[..<close.upperBound]), composite: nil))
                rest = rest[close.upperBound...]
                continue
            } else if tag.contains("=") {
                let text = tag.hasSuffix("/>") ? String(tag) : tag.dropLast() + "/>"
                snippets.append(Snippet(text: text, composite: composite))
            }
            rest = rest[rest.index(after: end)...]
        }
        return snippets
    }

    private static func endOfTag(_ text: Substring) -> Substring.Index? {
        var isQuoted = false
        return text.indices.first { index in
            if text[index] == "\"" { isQuoted.toggle() }
            return text[index] == ">" && !isQuoted
        }
    }

    // MARK: Where it goes

    /// What a diagnostic is about.
    private struct Place {
        let entity: String?
        let element: String?
        let enumeration: String?

        init(of diagnostic: Diagnostic, in parsed: ParsedModel) {
            func around(_ kind: String) -> ParsedElement? {
                parsed.root.children(named: kind).last { element in
                    parsed.position(at: element.offset) <= diagnostic.position
                        && diagnostic.position < parsed.position(at: element.end ?? 0)
                }
            }
            let entity = around("entity")
            self.entity = entity?["name"]?.value
            element =
                entity?.children.first {
                    parsed.position(at: $0.offset) == diagnostic.position
                }?["name"]?.value
            enumeration = around("enum")?["name"]?.value
        }
    }

    private mutating func paste(_ snippet: Snippet, _ place: Place) throws {
        let source =
            "<model xmlns=\"urn:cambium:model:1\">" + snippet.text + "</model>"
        guard let element = try read(source).get().children.first else { return }
        switch element.name {
        case "migration":
            for declaration in element.children { declare(filled(declaration)) }
        case "attribute", "relationship":
            let owner = snippet.composite ?? place.entity
            replace(filled(element), in: snippet.composite == nil ? "entity" : "composite", owner)
        case "case":
            replace(filled(element), in: "enum", place.enumeration)
        case "entity":
            guard
                let index = root.children.firstIndex(where: {
                    $0.name == "entity" && $0["name"]?.value == element["name"]?.value
                })
            else { return }
            root.children[index].attributes = element.attributes
        default:
            declare(filled(element))
        }
        isPasted = true
    }

    private mutating func replace(_ element: ParsedElement, in kind: String, _ owner: String?) {
        guard
            let index = root.children.firstIndex(where: {
                $0.name == kind && $0["name"]?.value == owner
            })
        else { return }
        let number = root.children[index].children.firstIndex {
            $0.name == element.name && $0["name"]?.value == element["name"]?.value
        }
        if let number {
            root.children[index].children[number] = element
        } else {
            root.children[index].children.insert(element, at: 0)
        }
    }

    private mutating func declare(_ declaration: ParsedElement) {
        isPasted = true
        if let index = root.children.firstIndex(where: { $0.name == "migration" }) {
            // It takes the place of one that says too little.
            root.children[index].children.removeAll { other in
                other.name == declaration.name
                    && ["entity", "property", "attribute", "relationship", "enum", "case"]
                        .allSatisfy { other[$0]?.value == declaration[$0]?.value }
            }
            root.children[index].children.append(declaration)
        } else {
            var list = AttributeList(at: 0)
            list.set("from", previousVersion)
            root.children.append(
                ParsedElement(own: "migration", list, children: [declaration]))
        }
    }

    private mutating func set(
        _ name: String, _ value: String, _ entity: Substring?, _ place: Place
    ) {
        func setting(_ element: inout ParsedElement) {
            var list = element.list
            list.set(name, value)
            element.attributes = list.items
            isPasted = true
        }
        if name == "from", let index = root.children.firstIndex(where: { $0.name == "migration" }) {
            return setting(&root.children[index])
        }
        let owner = entity.map(String.init) ?? place.entity
        guard
            let index = root.children.firstIndex(where: {
                $0.name == "entity" && $0["name"]?.value == owner
            })
        else { return }
        guard entity == nil, let part = place.element,
            let number = root.children[index].children.firstIndex(where: {
                $0["name"]?.value == part
            })
        else { return setting(&root.children[index]) }
        setting(&root.children[index].children[number])
    }

    private mutating func removeDrops(in note: String) {
        guard let index = root.children.firstIndex(where: { $0.name == "migration" }),
            let former = note.firstMatch(of: #/renamedFrom="(\w+)"/#)
        else { return }
        let other = note.firstMatch(of: #/of that of \w+\.(\w+)/#)?.1
        let names = [former.1, other].compactMap(\.self).map(String.init)
        root.children[index].children.removeAll { child in
            guard child.name == "drop", let name = (child["property"] ?? child["entity"])?.value
            else { return false }
            return names.contains(name)
        }
    }

    // MARK: What only the author knows

    private func filled(_ element: ParsedElement) -> ParsedElement {
        var list = element.list
        for attribute in element.attributes {
            list.set(attribute.name, filled(attribute.value, attribute.name, element))
        }
        var filled = element
        filled.attributes = list.items
        return filled
    }

    private func filled(_ value: String, _ name: String, _ element: ParsedElement?) -> String {
        guard value == "…" else { return value }
        switch (name, element?.name) {
        case ("where", _): return "TRUEPREDICATE"
        case ("with", "replace"):
            let type = root.children(named: "enum").first {
                $0["name"]?.value == element?["enum"]?.value
            }
            return type?.children(named: "case").first?["name"]?.value ?? value
        case ("with", _):
            let type = self.type(
                of: element?["attribute"]?.value ?? "", in: element?["entity"]?.value)
            let constant = constant(of: type)
            return type == "string"
                ? "'\(constant)'" : type == "date" ? "'2001-01-01T00:00:00Z'" : constant
        case ("default", _): return constant(of: element?["type"]?.value)
        default: return "because"
        }
    }

    private func constant(of type: String?) -> String {
        switch type {
        case "bool": return "false"
        case "string": return "text"
        case "date": return "now"
        case let type?:
            let cases = root.children(named: "enum").first { $0["name"]?.value == type }
            return cases?.children.first?["name"]?.value ?? "1"
        case nil: return "1"
        }
    }

    private func type(of path: String, in entity: String?) -> String? {
        var owner = root.children(named: "entity").first { $0["name"]?.value == entity }
        var type: String?
        for word in path.split(separator: ".") {
            type = owner?.children.first { $0["name"]?.value == String(word) }?["type"]?.value
            owner = root.children(named: "composite").first { $0["name"]?.value == type }
        }
        return type
    }
}
