import CambiumCompiler

/// The indexes and constraints of an entity in Xcode's spelling: the reverse of `IndexCollector`.
struct IndexRestorer {
    /// Xcode's elements, in its order.
    private(set) var elements: [ParsedElement] = []
    /// The entries for the user info of the entity.
    private(set) var keys: [(key: String, value: String)] = []
    /// The attributes that are indexed without an index of their own.
    private(set) var indexed: Set<String> = []
    private var names: Set<String> = []

    init(_ entity: ParsedElement) {
        let indexes = entity.children.filter {
            ["index", IndexCollector.keptName].contains($0.name)
        }
        names = Set(indexes.compactMap { $0["name"]?.value })
        var compound: [ParsedElement] = []
        for index in indexes {
            let list = PropertyList(index["by"]?.value ?? "").entries
            let isPlain =
                index["where"] == nil && index.children.isEmpty
                && list.allSatisfy(\.modifiers.isEmpty)
            switch index[XcodeNamespace.from]?.value {
            case "indexed" where isPlain && list.count == 1:
                indexed.insert(list[0].name)
            case "compoundIndexes" where isPlain:
                let names = list.map(\.name).filter { !$0.isEmpty }
                compound.append(Self.list("compoundIndex", of: "index", index, names))
            default:
                elements.append(fetchIndex(index, list))
            }
        }
        if !compound.isEmpty { elements.append(Self.group("compoundIndexes", compound, entity)) }
        let uniques = entity.children.filter {
            ["unique", IndexCollector.keptUniqueName].contains($0.name)
        }
        let constraints = uniques.enumerated().map { number, unique in
            let written = unique["by"]?.value ?? ""
            let names = PropertyList(written).entries.flatMap { [$0.name] + $0.modifiers }
                .filter { !$0.isEmpty }
            if written != names.joined(separator: ", ") {
                keys.append(("unique.\(number + 1)", written))
            }
            return Self.list("uniquenessConstraint", of: "constraint", unique, names)
        }
        if !constraints.isEmpty {
            elements.append(Self.group("uniquenessConstraints", constraints, entity))
        }
    }

    private static func group(
        _ name: String, _ children: [ParsedElement], _ entity: ParsedElement
    ) -> ParsedElement {
        ParsedElement(xcode: name, AttributeList(at: entity.offset), children: children)
    }

    private static func list(
        _ name: String, of child: String, _ element: ParsedElement, _ values: [String]
    ) -> ParsedElement {
        let children = values.map {
            ParsedElement(xcode: child, AttributeList(["value": $0], at: element.offset))
        }
        return ParsedElement(xcode: name, AttributeList(at: element.offset), children: children)
    }

    // MARK: Fetch indexes

    private mutating func fetchIndex(
        _ element: ParsedElement, _ entries: [PropertyList.Entry]
    ) -> ParsedElement {
        let spelling = IndexElementSpelling(isTree: element["type"]?.value == "rtree")
        var parts = element.children(named: "by").map(\.list)
        if element["by"] != nil {
            parts = entries.map { entry in
                let isDescending = entry.modifiers.first == "descending"
                return AttributeList(
                    ["property": entry.name, "descending": isDescending ? "true" : nil],
                    at: element.offset)
            }
        }
        var own = element.list
        var keys: [(key: String, value: String)] = []
        if own["name"] == nil {
            own.set("name", newName(for: parts))
            keys.append((AttributeList.withoutKey, "name"))
        }
        let name = own.value("name") ?? ""
        for attribute in own.items where !attribute.name.contains(":") {
            switch attribute.name {
            case "name": break
            case "by":
                if attribute.value != Self.text(of: entries) {
                    keys.append(("by", attribute.value))
                }
            case "type" where attribute.value == "rtree" && !parts.isEmpty: break
            default: keys.append((attribute.name, attribute.value))
            }
        }
        keys += XcodeRestorer.infoKeys(of: element)
        self.keys += keys.map { ("index.\(name).\($0.key)", $0.value) }
        let children = parts.map {
            ParsedElement(xcode: "fetchIndexElement", spelling.restored($0))
        }
        return ParsedElement(
            xcode: "fetchIndex", NameSpelling().restored(own), children: children)
    }

    /// The list in the form that the conversion from Xcode writes.
    private static func text(of entries: [PropertyList.Entry]) -> String {
        entries.map { $0.name + ($0.modifiers == ["descending"] ? " descending" : "") }
            .joined(separator: ", ")
    }

    /// A generated name for an index without one. Xcode requires a name.
    private mutating func newName(for parts: [AttributeList]) -> String {
        let words = parts.map { part in
            let word = part.value("property") ?? "Expression"
            return word.split(separator: ".").map(\.capitalizedFirst)
                .joined()
        }
        let base = "by" + words.joined(separator: "And")
        var name = base
        var number = 2
        while !names.insert(name).inserted {
            name = "\(base)\(number)"
            number += 1
        }
        return name
    }
}
