import CambiumModel

/// Text as XML.
enum XMLText {
    /// An attribute's value between its quotes.
    static func attribute(_ text: String) -> String {
        text.escaping { scalar in
            switch scalar {
            case "\"": "&quot;"
            case "\n": "&#10;"
            case "\t": "&#9;"
            default: escape(scalar)
            }
        }
    }

    /// Text in a comment, where two hyphens in a row would end it.
    static func comment(_ text: String) -> String {
        text.replacing("--", with: "- -").replacing("--", with: "- -")
    }

    /// Text between tags.
    static func content(_ text: String) -> String {
        text.escaping(escape)
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "&": "&amp;"
        case "<": "&lt;"
        case ">": "&gt;"
        case "\r": "&#13;"
        default: nil
        }
    }
}
