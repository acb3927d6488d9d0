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

/// What a text weighs in an order for people: bytes for its letters, then for their accents, then
/// for their case, and last the text itself.
///
/// It follows the idea of the Unicode collation algorithm (levels, of which a later one counts only
/// where the earlier ones are equal) without its tables: basic letters are ordered by their
/// numbers, which is right within each script.
struct TextWeights {
    /// The letters that a language has at a place of their own.
    private let alphabet: [Character: [UInt8]]

    init(language: String?) {
        alphabet = language.flatMap { Self.alphabets[$0] } ?? [:]
    }

    func key(of text: String) -> Data {
        var letters: [UInt8] = []
        var cases: [UInt8] = []
        letters.reserveCapacity(text.utf8.count * 3)
        var rest = text[...]
        while let character = rest.first {
            if Self.isDigit(character) {
                let digits = rest.prefix(while: Self.isDigit)
                Self.append(number: digits, to: &letters)
                rest = rest.dropFirst(digits.count)
                continue
            }
            let small = character.lowercased()
            if let first = small.first, let weight = alphabet[first] {
                letters += weight
            } else {
                letters += Array(small.withoutAccents.utf8)
            }
            cases.append(small == String(character) ? 1 : 2)
            rest = rest.dropFirst()
        }
        let accents = Array(text.folded(.caseInsensitive).utf8)
        return Data(letters + [0] + accents + [0] + cases + [0] + Array(text.utf8))
    }

    private static func isDigit(_ character: Character) -> Bool {
        character.isASCII && character.isNumber
    }

    /// A number: how many digits it has, then those. It stands where the digit 0 would.
    private static func append(number digits: Substring, to bytes: inout [UInt8]) {
        let significant = digits.drop { $0 == "0" }
        bytes.append(0x30)
        var count = significant.count + 1
        while count >= 255 {
            bytes.append(255)
            count -= 254
        }
        bytes.append(UInt8(count))
        bytes += Array(significant.utf8)
    }

    // MARK: Alphabets

    /// For each language words of a letter and those that come after it.
    private static let letters = [
        "cs": "cč rř sš zž", "da": "zæøå", "es": "nñ", "fi": "zåäö", "hr": "cčć dđ sš zž",
        "hu": "oöő uüű", "is": "aá dð eé ií oó uú yý zþæö", "nb": "zæøå", "nn": "zæøå",
        "no": "zæøå", "pl": "aą cć eę lł nń oó sś zźż", "ro": "aăâ iî sș tț",
        "sk": "aä cč oô sš zž", "sl": "cč sš zž", "sv": "zåäö", "tr": "cç gğ oö sş uü",
    ]

    private static let alphabets = letters.mapValues { words in
        var weights: [Character: [UInt8]] = [:]
        for word in words.split(separator: " ") {
            for (index, letter) in word.dropFirst().enumerated() {
                // After whatever begins with the letter before: no text has this byte.
                weights[letter] = Array(word.prefix(1).utf8) + [0xFE, UInt8(index + 1)]
            }
        }
        return weights
    }
}
