import CambiumCompiler

/// Writes XML as Xcode lays it out.
struct XcodePrinter {
    private var text = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"

    /// A whole `contents` file.
    static func print(_ root: ParsedElement) -> String {
        var printer = XcodePrinter()
        printer.add(root, indent: "")
        // Xcode ends the file without a line end.
        return String(printer.text.dropLast())
    }

    private mutating func add(_ element: ParsedElement, indent: String) {
        text += indent + "<" + element.name
        let order = XcodeVocabulary.rules[element.name]?.attributes ?? []
        let sorted = element.attributes.enumerated().sorted { left, right in
            let one = order.firstIndex(of: left.element.name) ?? order.count
            let other = order.firstIndex(of: right.element.name) ?? order.count
            return (one, left.offset) < (other, right.offset)
        }
        for (_, attribute) in sorted {
            text += " \(attribute.name)=\"\(XMLText.attribute(attribute.value))\""
        }
        guard !element.children.isEmpty else {
            text += "/>\n"
            return
        }
        text += ">\n"
        for child in element.children { add(child, indent: indent + "    ") }
        text += "\(indent)</\(element.name)>\n"
    }
}
