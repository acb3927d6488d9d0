/// One element of an index: `<by>`, in Xcode `<fetchIndexElement>`.
package struct IndexElementSpelling: Spelling {
    /// Whether the index is an R-tree; in Xcode each element says so.
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

    /// Adds a property. Each byte of the list has a place: the signs between properties, which
    /// stand nowhere, take that of the XML attribute after them.
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
