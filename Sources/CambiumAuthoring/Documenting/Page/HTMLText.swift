import CambiumCompiler
import CambiumModel

/// The only place in which text of a model becomes HTML, SVG or a label of Graphviz.
enum HTMLText {
    /// Text between tags or in an attribute with double quotes. Invisible characters, and
    /// characters that change the direction of writing, are shown as their numbers.
    static func escaped(_ text: String) -> String {
        text.escaping { scalar in
            switch scalar {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            case "\"": "&quot;"
            case "'": "&#39;"
            case "\\": "&#92;"
            case "\n": " "
            case _ where scalar.isInvisible:
                "\u{27E8}U+\(String(scalar.value, radix: 16, uppercase: true))\u{27E9}"
            default: nil
            }
        }
    }

    /// Returns escaped text with its line breaks.
    static func escapedLines(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { escaped(String($0)) }.joined(separator: "\n")
    }
}

/// Names of anchors in the page. Letters and digits stay, every other byte becomes `-XX`, so that
/// different names have different anchors.
enum Anchor {
    static func entity(_ name: String) -> String { "entity-" + encoded(name) }
    static func enumeration(_ name: String) -> String { "enum-" + encoded(name) }
    static func composite(_ name: String) -> String { "composite-" + encoded(name) }
    static func version(_ name: String) -> String { "version-" + encoded(name) }
    static func property(_ name: String, of entity: String) -> String {
        "\(self.entity(entity)).\(encoded(name))"
    }

    private static func encoded(_ name: String) -> String {
        name.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                String(UnicodeScalar(byte))
            default: "-\(String(byte, radix: 16, uppercase: true))"
            }
        }.joined()
    }
}
