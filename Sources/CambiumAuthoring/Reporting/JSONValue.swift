import CambiumCompiler
import CambiumModel

/// A JSON value with the same text, byte for byte, on every platform. This is the only place in
/// which text of a model becomes JSON.
enum JSONValue: ExpressibleByDictionaryLiteral {
    case string(String)
    case number(Int)
    case bool(Bool)
    case array([JSONValue])
    /// Members in the order in which they are written.
    case object([(name: String, value: JSONValue)])

    /// A literal creates an object. Members with the value nil are not in the object.
    init(dictionaryLiteral members: (String, JSONValue?)...) {
        self = .object(members.compactMap { name, value in value.map { (name, $0) } })
    }

    /// A list of strings.
    static func strings(_ texts: [String]) -> JSONValue { .array(texts.map(JSONValue.string)) }

    /// The text, over several lines, ended by a line feed.
    var text: String {
        var text = ""
        write(to: &text, indent: "")
        return text + "\n"
    }

    private func write(to text: inout String, indent: String) {
        switch self {
        case .string(let value): text += Self.literal(value)
        case .number(let value): text += "\(value)"
        case .bool(let value): text += "\(value)"
        case .array(let values):
            Self.write(values, in: "[", "]", to: &text, indent: indent) { value, text, indent in
                value.write(to: &text, indent: indent)
            }
        case .object(let members):
            Self.write(members, in: "{", "}", to: &text, indent: indent) { member, text, indent in
                text += Self.literal(member.name) + ": "
                member.value.write(to: &text, indent: indent)
            }
        }
    }

    private static func write<Element>(
        _ elements: [Element], in open: String, _ close: String, to text: inout String,
        indent: String, _ write: (Element, inout String, String) -> Void
    ) {
        text += open
        for (index, element) in elements.enumerated() {
            text += (index == 0 ? "\n" : ",\n") + indent + "  "
            write(element, &text, indent + "  ")
        }
        text += (elements.isEmpty ? "" : "\n" + indent) + close
    }

    /// A string literal. Invisible characters are escaped, and characters that could end a script
    /// in an HTML page.
    static func literal(_ text: String) -> String {
        let escaped = text.escaping { scalar in
            switch scalar {
            case "\"": "\\\""
            case "\\": "\\\\"
            case "\n": "\\n"
            case "<", ">", "&": escape(scalar)
            default: scalar.isInvisible ? escape(scalar) : nil
            }
        }
        return "\"\(escaped)\""
    }

    /// `\uXXXX` for each UTF-16 unit.
    private static func escape(_ scalar: Unicode.Scalar) -> String {
        Character(scalar).utf16.map { unit in
            let digits = String(unit, radix: 16, uppercase: true)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }
}
