/// Why a text is no JSON object, in words for whoever wrote it.
struct JSONFailure {
    let line: Int?
    let column: Int?
    let message: String

    init(_ error: any Error) {
        guard case DecodingError.dataCorrupted(let context) = error else {
            line = nil
            column = nil
            message = "This is no JSON object. Write the properties as members: { … }."
            return
        }
        // The place is in the text of the error behind it only.
        let text = context.underlyingError.map { "\($0)" } ?? ""
        line = Self.number(after: "line", in: text)
        column = Self.number(after: "column", in: text)
        message =
            "This is no JSON. Look for a missing quote, comma or bracket"
            + (column == nil ? "." : " here.")
    }

    /// The first number after a word.
    private static func number(after word: String, in text: String) -> Int? {
        guard let place = text.firstRange(of: word)?.upperBound else { return nil }
        let digits = text[place...].drop { !$0.isNumber }.prefix { $0.isNumber }
        return Int(digits)
    }
}
