import CambiumModel

extension ParsedElement {
    /// A hash of what the element says: of its names, values and texts, and of all that is in it,
    /// but not of layout and comments.
    var digest: String {
        var text = ""
        write(to: &text)
        return SHA256.hexadecimal(of: text)
    }

    /// Each part with its length, so that no two elements have one text.
    private func write(to text: inout String) {
        func add(_ part: String) {
            text += "\(part.utf8.count):"
            text += part
        }
        add(name)
        add(namespace ?? "")
        text += "\(attributes.count),\(children.count);"
        for attribute in attributes {
            add(attribute.name)
            add(attribute.value)
        }
        let isLayout = self.text.value.utf8.allSatisfy { " \t\r\n".utf8.contains($0) }
        add(isLayout ? "" : self.text.value)
        for child in children { child.write(to: &text) }
    }
}
