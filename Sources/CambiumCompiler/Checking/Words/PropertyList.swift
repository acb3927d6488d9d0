/// The entries of a list such as `price descending, title`, with their places.
package struct PropertyList {
    /// An entry: the words between two commas.
    package struct Entry {
        /// The property.
        package let name: String
        /// What follows it.
        package let modifiers: [String]
        /// Where the entry starts, in bytes of the list's text.
        let offset: Int
    }

    package let entries: [Entry]

    package init(_ text: String) {
        var entries: [Entry] = []
        var start = 0
        for part in text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        {
            let words = part.split(whereSeparator: { " \t\r\n".utf8.contains($0) })
            let first = words.first ?? part
            entries.append(
                Entry(
                    name: words.first.map { String(decoding: $0, as: UTF8.self) } ?? "",
                    modifiers: words.dropFirst().map { String(decoding: $0, as: UTF8.self) },
                    offset: start + part.distance(from: part.startIndex, to: first.startIndex)))
            start += part.count + 1
        }
        self.entries = entries
    }
}
