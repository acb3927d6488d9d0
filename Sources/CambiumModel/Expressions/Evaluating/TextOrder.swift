/// How texts are sorted. The store and the memory sort alike, and every platform does: the order
/// does not depend on the user's settings, nor on a library of the system.
public enum TextOrder: Sendable, Hashable {
    /// By the bytes of UTF-8, which is by the numbers of the Unicode scalars. The fastest, and the
    /// only one that an index can help with.
    case bytes
    /// As if all were lower case; texts that differ in nothing else are equal.
    case caseInsensitive
    /// As people expect lists: `a`, `Ä`, `b`; by letters first, then by accents, then by case;
    /// numbers by their value, so that `Chapter 9` comes before `Chapter 10`. Only identical texts
    /// are equal. The letters of languages that put `ä` or `ñ` elsewhere are at the place that
    /// Unicode gives their basic form; ``language(_:)`` says otherwise.
    case natural
    /// As ``natural``, with the letters of a language that have a place of their own, by its code
    /// such as `sv`. Known are single letters of Czech, Croatian, Danish, Finnish, Hungarian,
    /// Icelandic, Norwegian, Polish, Romanian, Slovak, Slovenian, Spanish, Swedish and Turkish; other
    /// languages have none here. What a language sorts as one letter though it is written with two
    /// (`ch` in Czech and Slovak, `sz` in Hungarian, `lj` in Croatian, `aa` in Danish), and the
    /// dotless `ı` of Turkish, is not known: dictionaries put some words elsewhere.
    case language(String)

    /// What SQL calls the order.
    package var name: String {
        switch self {
        case .bytes: ""
        case .caseInsensitive: "case"
        case .natural: "natural"
        case .language(let code): "natural \(code)"
        }
    }

    /// The order of that name; nil where there is none.
    package init?(name: String) {
        switch name {
        case "": self = .bytes
        case "case": self = .caseInsensitive
        case "natural": self = .natural
        default:
            guard name.hasPrefix("natural ") else { return nil }
            self = .language(String(name.dropFirst("natural ".count)))
        }
    }

    /// Bytes that are in order where the texts are.
    package func key(of text: String) -> Data {
        switch self {
        case .bytes: Data(text.utf8)
        case .caseInsensitive: Data(text.folded(.caseInsensitive).utf8)
        case .natural: TextWeights(language: nil).key(of: text)
        case .language(let code): TextWeights(language: code).key(of: text)
        }
    }

    /// A value in a form whose own order is the wanted one.
    package func key(of value: Value) -> Value {
        guard self != .bytes, case .string(let text) = value else { return value }
        return .data(key(of: text))
    }

    /// Less than 0, 0 or greater than 0, as one level of an order puts two values.
    ///
    /// - Parameter placesNilLast: Where nil comes; nil: where the least value comes.
    package func order(
        _ one: Value, _ other: Value, isDescending: Bool, placesNilLast: Bool?
    ) -> Int {
        if let placesNilLast, (one == .null) != (other == .null) {
            return (one == .null) == placesNilLast ? 1 : -1
        }
        let result = key(of: one).order(relativeTo: key(of: other))
        return isDescending ? -result : result
    }
}
