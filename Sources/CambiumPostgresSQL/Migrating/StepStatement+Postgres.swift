import CambiumSQL

extension StepStatement {
    /// The statements that the server runs in its place, all with the same parameters.
    package var postgresTexts: [String] {
        let texts =
            switch work {
            case .statement(let text): [text]
            case .replacement(let table, let row, let former):
                ["DELETE FROM \(table) WHERE \(former)", "INSERT INTO \(table) \(row)"]
            case .insertionOfNew(let table, let row):
                ["INSERT INTO \(table) \(row) ON CONFLICT DO NOTHING"]
            }
        return texts.map { PostgresName.shortened(Self.numbered($0)) }
    }

    /// A statement with numbered parameters.
    private static func numbered(_ text: String) -> String {
        var result = ""
        var count = 0
        var quote: Character?
        for (index, character) in zip(text.indices, text) {
            if let open = quote {
                if character == open { quote = nil }
            } else if character == "\"" || character == "'" {
                quote = character
            } else if character == "?" {
                count += 1
                let next = text.index(after: index)
                let hasNumber = next < text.endIndex && text[next].isNumber
                result += hasNumber ? "$" : "$\(count)"
                continue
            }
            result.append(character)
        }
        return result
    }
}
