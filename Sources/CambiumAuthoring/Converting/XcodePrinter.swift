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
        for attribute in element.attributes(in: order) {
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
