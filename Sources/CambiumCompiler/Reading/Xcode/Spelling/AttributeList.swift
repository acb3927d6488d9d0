/// The XML attributes of one element, on the way from one spelling to the other.
package struct AttributeList {
    /// The attributes in order.
    package private(set) var items: [ParsedAttribute] = []
    /// The place of what has no place of its own.
    package let offset: Int

    package init(_ items: [ParsedAttribute] = [], at offset: Int) {
        self.items = items
        self.offset = offset
    }

    /// A list of values by their names, without those that are nil. Their place is that of the
    /// attribute that they come from.
    package init(
        _ values: KeyValuePairs<String, String?>, from source: ParsedAttribute? = nil,
        at offset: Int = 0
    ) {
        self.init(at: offset)
        for (name, value) in values { set(name, value, from: source) }
    }

    /// A list, so far with what the table says of both spellings.
    ///
    /// - Parameter isXcode: Whether the other list is Xcode's.
    init(_ attributes: [XMLAttribute], from other: AttributeList, isXcode: Bool) {
        self.init(at: other.offset)
        for attribute in attributes {
            guard let (name, words, writesOthers) = attribute.xcode?.spelling,
                let written = other[isXcode ? name : attribute.name]
            else { continue }
            let word =
                isXcode
                ? words.first { $0.value == written.value }?.key : words[written.value]
            guard let value = word ?? (writesOthers ? written.value : nil) else { continue }
            set(isXcode ? attribute.name : name, value, from: written)
        }
    }

    /// The attribute of that name.
    package subscript(name: String) -> ParsedAttribute? {
        items.first { $0.name == name }
    }

    /// The value of that name.
    package func value(_ name: String) -> String? { self[name]?.value }

    /// Whether a flag of Xcode's is set.
    func isYes(_ name: String) -> Bool { value(name) == "YES" }

    /// Writes an attribute; the value's place is that of the attribute that it comes from.
    package mutating func set(_ name: String, _ value: String?, from source: ParsedAttribute? = nil)
    {
        guard let value else { return }
        let attribute = ParsedAttribute(name: name, value: value, from: source, at: offset)
        if let index = items.firstIndex(where: { $0.name == name }) {
            items[index] = attribute
        } else {
            items.append(attribute)
        }
    }

    /// Copies an attribute under another name, unless it is absent.
    mutating func copy(_ name: String, of other: AttributeList, as newName: String) {
        if let attribute = other[name] { set(newName, attribute.value, from: attribute) }
    }

    package mutating func remove(_ name: String) {
        items.removeAll { $0.name == name }
    }

    /// Whether both say the same, in whatever order.
    package func saysTheSame(as other: AttributeList) -> Bool {
        items.count == other.items.count
            && items.allSatisfy { other.value($0.name) == $0.value }
    }
}

extension ParsedAttribute {
    /// An attribute that was written elsewhere, or nowhere.
    package convenience init(
        name: String, value: String, from source: ParsedAttribute? = nil, at offset: Int
    ) {
        let place = ScannedText(range: offset..<offset, isVerbatim: true)
        self.init(
            name: name, offset: source?.offset ?? offset,
            text: ParsedText(value: value, pieces: source?.text.pieces ?? [place]))
    }
}

extension ParsedElement {
    /// The attributes as a list.
    package var list: AttributeList { AttributeList(attributes, at: offset) }

    /// An element of Cambium's own that was written elsewhere, or nowhere.
    package init(
        own name: String, _ list: AttributeList, children: [ParsedElement] = [], end: Int? = nil
    ) {
        self.init(
            name: name, namespace: Vocabulary.namespace, offset: list.offset,
            attributes: list.items, children: children)
        self.end = end
    }
}
