/// The indexes and constraints of an entity in Xcode: fetch indexes, and the older compound indexes
/// and `indexed="YES"`. SQLite needs each index once, so a second one with the same properties is
/// only kept, as `<xcode:index>`.
package final class IndexCollector {
    /// An index that is kept, but not made.
    package static let keptName = "xcode:index"
    /// A constraint that is kept, but not made.
    package static let keptUniqueName = "xcode:unique"

    private let entity: ParsedElement
    private let info: UserInfo
    private var lists: Set<String> = []
    private let transient: Set<String>
    /// The attributes with `indexed="YES"` that becomes an index.
    private(set) var indexedAttributes: Set<String> = []

    init(_ entity: ParsedElement, _ info: UserInfo) {
        self.entity = entity
        self.info = info
        transient = Set(
            entity.children.filter { $0["transient"]?.value == "YES" }
                .compactMap { $0["name"]?.value })
        let others = Set(
            fetchIndexes().compactMap { $0["by"]?.value }
                + compoundIndexes().compactMap { $0["by"]?.value })
        indexedAttributes = Set(
            entity.children(named: "attribute")
                .filter { $0["indexed"]?.value == "YES" }.compactMap { $0["name"]?.value }
                .filter { !others.contains($0) && !transient.contains($0) })
    }

    /// `<unique>` and `<index>`.
    func elements() -> [ParsedElement] {
        let indexes = fetchIndexes() + compoundIndexes() + attributeIndexes()
        return uniqueConstraints() + indexes.map { keepOnly($0) }
    }

    // MARK: Kinds

    private func uniqueConstraints() -> [ParsedElement] {
        var seen: Set<String> = []
        return entity.children(named: "uniquenessConstraints")
            .flatMap { $0.children(named: "uniquenessConstraint") }
            .enumerated().map { number, constraint in
                let list = Self.list(
                    constraint.children(named: "constraint"), of: "value", at: constraint.offset)
                let key = info["unique.\(number + 1)"]
                let by =
                    key.map {
                        ParsedAttribute(name: "by", value: $0.value, from: $0, at: $0.offset)
                    } ?? list
                let unique = element("unique", by, at: constraint.offset)
                return seen.insert(by.value).inserted
                    ? unique : unique.kept(as: Self.keptUniqueName)
            }
    }

    private func fetchIndexes() -> [ParsedElement] {
        entity.children(named: "fetchIndex").map { index in
            let parts = index.children(named: "fetchIndexElement")
            let isTree = !parts.isEmpty && parts.allSatisfy { $0["type"]?.value == "RTree" }
            let spelling = IndexElementSpelling(isTree: isTree)
            let elements = parts.map { spelling.translated($0.list) }
            var list = NameSpelling().translated(index.list)
            if isTree { list.set("type", "rtree", from: parts.first?["type"]) }
            var children: [ParsedElement] = []
            var attributes = list.items
            if let by = Self.plainList(elements, parts, at: index.offset) {
                attributes.append(by)
            } else {
                children = elements.map { ParsedElement(own: "by", $0) }
            }
            list = AttributeList(attributes, at: index.offset)
            let name = list.value("name") ?? ""
            let keys = info.keys(under: "index.\(name).")
            list.take(keys)
            var element = ParsedElement(own: "index", list)
            element.children = children + XcodeTranslator.infos(keys)
            return element
        }
    }

    private func compoundIndexes() -> [ParsedElement] {
        entity.children(named: "compoundIndexes").flatMap { $0.children(named: "compoundIndex") }
            .map { index in
                let by = Self.list(
                    index.children(named: "index"), of: "value", at: index.offset)
                return element("index", by, at: index.offset, from: "compoundIndexes")
            }
    }

    private func attributeIndexes() -> [ParsedElement] {
        entity.children(named: "attribute").compactMap { attribute in
            guard let name = attribute["name"], indexedAttributes.contains(name.value) else {
                return nil
            }
            var by = PropertyListText()
            by.add(name)
            return element(
                "index", by.attribute("by", at: name.offset), at: attribute.offset,
                from: "indexed")
        }
    }

    // MARK: Parts

    private func element(
        _ name: String, _ by: ParsedAttribute, at offset: Int, from kind: String? = nil
    ) -> ParsedElement {
        var element = ParsedElement(own: name, AttributeList(at: offset))
        element.attributes = [by]
        if let kind {
            element.attributes.append(
                ParsedAttribute(name: XcodeNamespace.from, value: kind, at: offset))
        }
        return element
    }

    /// Renames a repeated index, so that it is only kept.
    private func keepOnly(_ index: ParsedElement) -> ParsedElement {
        guard let by = index["by"] else { return index }
        let key = by.value + "|" + (index["where"]?.value ?? "")
        return lists.insert(key).inserted ? index : index.kept(as: Self.keptName)
    }

    private static func list(
        _ elements: [ParsedElement], of name: String, at offset: Int
    ) -> ParsedAttribute {
        var text = PropertyListText()
        for value in elements.compactMap({ $0[name] }) { text.add(value) }
        return text.attribute("by", at: elements.first?.offset ?? offset)
    }

    /// The elements as one list, if they have only names and orders.
    private static func plainList(
        _ elements: [AttributeList], _ parts: [ParsedElement], at offset: Int
    ) -> ParsedAttribute? {
        var text = PropertyListText()
        for (element, part) in zip(elements, parts) {
            let names = element.items.map { $0.name }
            guard let property = element["property"], !property.value.isEmpty,
                names.allSatisfy({ ["property", "descending"].contains($0) })
            else { return nil }
            text.add(property, isDescending: element["descending"] == nil ? nil : part["order"])
        }
        return elements.isEmpty ? nil : text.attribute("by", at: offset)
    }
}

/// One element of an index: `<by>`, in Xcode `<fetchIndexElement>`.
package struct IndexElementSpelling: Spelling {
    /// Whether the index is an R-tree. In Xcode each element has this type.
    let isTree: Bool

    package init(isTree: Bool) {
        self.isTree = isTree
    }

    package func own(from xcode: AttributeList) -> AttributeList {
        var own = AttributeList(at: xcode.offset)
        own.copy("property", of: xcode, as: "property")
        own.copy("expression", of: xcode, as: "expression")
        if xcode.value("order") == "descending" {
            own.set("descending", "true", from: xcode["order"])
        }
        return own
    }

    package func xcode(from own: AttributeList) -> AttributeList {
        var xcode = AttributeList(at: own.offset)
        xcode.copy("property", of: own, as: "property")
        xcode.copy("expression", of: own, as: "expression")
        xcode.set("type", isTree ? "RTree" : "Binary")
        let isDescending = own.value("descending") == "true"
        xcode.set(
            "order", isDescending ? "descending" : "ascending", from: own["descending"])
        return xcode
    }
}

/// A list of properties that is put together from several XML attributes.
struct PropertyListText {
    private(set) var text = ParsedText()

    /// Adds a property. Each byte of the list has a position. The separators have none of their own
    /// and get that of the XML attribute after them.
    mutating func add(_ property: ParsedAttribute, isDescending order: ParsedAttribute? = nil) {
        if !text.value.isEmpty { add(", ", at: property.offset) }
        text.value += property.value
        text.pieces += property.text.pieces
        if let order { add(" descending", at: order.offset) }
    }

    private mutating func add(_ signs: String, at offset: Int) {
        text.value += signs
        text.pieces.append(
            ScannedText(range: offset..<(offset + signs.utf8.count), isVerbatim: true))
    }

    /// The list as an XML attribute.
    func attribute(_ name: String, at offset: Int) -> ParsedAttribute {
        if text.pieces.isEmpty { return ParsedAttribute(name: name, value: "", at: offset) }
        return ParsedAttribute(name: name, offset: offset, text: text)
    }
}
