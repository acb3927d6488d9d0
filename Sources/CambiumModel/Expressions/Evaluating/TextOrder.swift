/// An order of texts. It is the same in the store, in memory and on every platform. It does not
/// depend on the user's settings or on a library of the system.
public enum TextOrder: Sendable, Hashable {
    /// By the bytes of UTF-8, and thus by the numbers of the Unicode scalars. It is the fastest
    /// order and the only one that an index supports.
    case bytes
    /// Ignores case: texts that differ only in case are equal.
    case caseInsensitive
    /// The order that people expect in lists: `a`, `Ä`, `b`. It compares letters first, then
    /// accents, then case. Numbers are compared by their value, so that `Chapter 9` comes before
    /// `Chapter 10`. Only identical texts are equal. Letters such as `ä` or `ñ` are beside their
    /// base letters. For languages that sort them differently, use ``language(_:)``.
    case natural
    /// As ``natural``, with a language's own order of its letters, by the language's code such as
    /// `sv`. The order supports single letters of Czech, Croatian, Danish, Finnish, Hungarian,
    /// Icelandic, Norwegian, Polish, Romanian, Slovak, Slovenian, Spanish, Swedish and Turkish. For
    /// other languages it is the same as ``natural``.
    ///
    /// Some languages sort two letters as one: `ch` in Czech and Slovak, `sz` in Hungarian, `lj` in
    /// Croatian, `aa` in Danish. The order supports neither these nor the dotless `ı` of Turkish,
    /// so dictionaries place some words differently.
    case language(String)

    /// The name of the order in SQL.
    package var name: String {
        switch self {
        case .bytes: ""
        case .caseInsensitive: "case"
        case .natural: "natural"
        case .language(let code): "natural \(code)"
        }
    }

    /// Creates the order with a name; nil if there is none.
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

    /// Returns bytes that sort in the same order as the texts.
    package func key(of text: String) -> Data {
        switch self {
        case .bytes: Data(text.utf8)
        case .caseInsensitive: Data(text.folded(.caseInsensitive).utf8)
        case .natural: TextWeights(language: nil).key(of: text)
        case .language(let code): TextWeights(language: code).key(of: text)
        }
    }

    /// Returns a form of a value that sorts in this order.
    package func key(of value: Value) -> Value {
        guard self != .bytes, case .string(let text) = value else { return value }
        return .data(key(of: text))
    }

    /// Compares two values by one level of an order. The result is less than 0, 0 or greater than
    /// 0.
    ///
    /// - Parameter placesNilLast: Whether nil comes last. If the parameter is nil, nil values come
    ///   with the least value.
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

/// The sort key of a text in an order for people: bytes for its letters, then for their accents,
/// then for their case, and last the text itself.
///
/// It follows the idea of the Unicode collation algorithm: a later level counts only if the earlier
/// ones are equal. It does so without its tables. Basic letters are ordered by their numbers, which
/// is right within each script.
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

    /// Appends a number: the count of its digits, then the digits. It sorts in the position of the
    /// digit 0.
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

    /// For each language, a list of words. Each word is a letter and the letters that come after
    /// it.
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
                // It sorts after all texts that begin with the previous letter, because no text has
                // this byte.
                weights[letter] = Array(word.prefix(1).utf8) + [0xFE, UInt8(index + 1)]
            }
        }
        return weights
    }
}
