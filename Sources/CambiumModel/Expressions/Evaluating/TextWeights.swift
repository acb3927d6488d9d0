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
