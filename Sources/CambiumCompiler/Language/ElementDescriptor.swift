/// An element of the language: a row of the table that the reader, the checker, the formatter, the
/// schema for editors and the conversions from and to Xcode's files share.
///
/// A new XML attribute is written here, and where its value is used.
package final class ElementDescriptor: Sendable {
    /// The name; after that of its parent and a slash where it means something else there.
    package let key: String
    /// What it is, in a sentence: editors show it.
    package let text: String
    /// The XML attributes, in the order in which they are written.
    package let fields: [XMLAttribute]
    /// The elements that may be in it.
    package let children: [String]
    /// Whether text in it means something.
    package let hasText: Bool
    /// The names of the XML attributes, in their order.
    package let attributes: [String]
    /// The names of those that it must have.
    package let required: [String]

    init(
        _ key: String, _ text: String, _ fields: [XMLAttribute]..., children: [String] = [],
        hasText: Bool = false
    ) {
        self.key = key
        self.text = text
        self.fields = fields.flatMap(\.self)
        self.children = children
        self.hasText = hasText
        attributes = self.fields.map(\.name)
        required = self.fields.filter(\.isRequired).map(\.name)
    }

    /// The name, without that of a parent.
    var name: String { key.split(separator: "/").last.map(String.init) ?? key }

    /// The XML attribute of that name.
    package subscript(name: String) -> XMLAttribute? { fields.first { $0.name == name } }
}
