/// The words of a list that are separated by white space or commas, with their places.
struct WordList {
    /// A word.
    struct Word {
        let text: String
        /// Where it starts, in bytes of the list's text.
        let offset: Int
    }

    let words: [Word]

    init(_ text: String) {
        let utf8 = text.utf8
        words = utf8.split(whereSeparator: { " \t\r\n,".utf8.contains($0) }).map { word in
            Word(
                text: String(decoding: word, as: UTF8.self),
                offset: utf8.distance(from: utf8.startIndex, to: word.startIndex))
        }
    }
}
