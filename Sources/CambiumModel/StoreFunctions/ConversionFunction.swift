/// The functions that a migration calls where a value's form is none that SQLite can compute.
///
/// A connection registers them beside ``StoreFunction``. Nothing in a schema uses one.
package enum ConversionFunction: String, CaseIterable, Sendable {
    /// (units, scale): the bytes of the exact decimal.
    case decimalBytes = "cambium_decimal_bytes"
    /// (bytes, scale): whole units; NULL where the number has more places or is too great.
    case decimalUnits = "cambium_decimal_units"
    /// (bytes): the number as it is written.
    case decimalText = "cambium_decimal_text"
    /// (text): the bytes of the number that it spells; NULL where it is none.
    case decimalOfText = "cambium_decimal_of_text"
    /// (number or text): the bytes of the number that it is, with the fewest digits that name it;
    /// NULL where it is none.
    case decimalOfNumber = "cambium_decimal_of_number"
    /// (number): the bytes of the number that its 15 digits are, where it has few of them; NULL where
    /// only its text can tell.
    case decimalOfShortNumber = "cambium_decimal_of_short_number"
    /// (bytes, type): the JSON of the values that Core Data archived, as a type of Swift's takes it;
    /// NULL where they are none of those that have one, or of another type. An empty name is any
    /// type.
    case archiveJSON = "cambium_archive_json"
    /// (text): the same with what no text has for each NUL, so that functions of SQLite's that end at
    /// one see all of it. (Its `replace()` does not look for a NUL.)
    case wholeText = "cambium_whole_text"

    /// How many arguments it takes.
    package var argumentCount: Int {
        switch self {
        case .decimalBytes, .decimalUnits, .archiveJSON: 2
        case .decimalText, .decimalOfText, .decimalOfNumber, .decimalOfShortNumber, .wholeText: 1
        }
    }

    /// The result for arguments of the right number; NULL where they are of other types.
    package func call(_ arguments: [StoredValue]) -> StoredValue {
        switch (self, arguments.first, arguments.last) {
        case (.decimalBytes, .integer(let units), .integer(let scale)):
            let value = DecimalStorage.decimal(ofUnits: units, scale: Int(scale))
            return OrderedDecimal.bytes(of: value).map { .blob($0) } ?? .null
        case (.decimalUnits, .blob(let bytes), .integer(let scale)):
            return OrderedDecimal.decimal(of: bytes)
                .flatMap { DecimalStorage.units(of: $0, scale: Int(scale)) }
                .map { .integer($0) } ?? .null
        case (.decimalText, .blob(let bytes), _):
            return OrderedDecimal.decimal(of: bytes).map { .text($0.description) } ?? .null
        case (.decimalOfText, .text(let text), _):
            return Self.decimal(text).flatMap(OrderedDecimal.bytes).map { .blob($0) } ?? .null
        case (.decimalOfNumber, .integer(let number), _):
            return OrderedDecimal.bytes(spelled: "\(number)").map { .blob($0) } ?? .null
        case (.decimalOfNumber, .real(let number), _):
            return OrderedDecimal.bytes(spelled: "\(number)").map { .blob($0) } ?? .null
        case (.decimalOfNumber, .text(let text), _):
            return OrderedDecimal.bytes(spelled: text).map { .blob($0) } ?? .null
        case (.decimalOfShortNumber, .integer(let number), _):
            return OrderedDecimal.bytes(ofShort: Double(number)).map { .blob($0) } ?? .null
        case (.decimalOfShortNumber, .real(let number), _):
            return OrderedDecimal.bytes(ofShort: number).map { .blob($0) } ?? .null
        case (.archiveJSON, .blob(let bytes), .text(let type)):
            return ArchivedJSON.text(of: bytes, as: type).map { .text($0) } ?? .null
        case (.wholeText, .text(let text), _):
            guard text.utf8.contains(0) else { return .text(text) }
            return .text(text.replacing("\0", with: "\u{FFFF}"))
        default:
            return .null
        }
    }

    /// The number that a text spells from its first character to its last, with a point and without
    /// an exponent; Foundation would also take the beginning of a longer text.
    private static func decimal(_ text: String) -> Decimal? {
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
        let count = digits.utf8.count { $0 != UInt8(ascii: ".") }
        guard (1...2).contains(parts.count), (1...38).contains(count),
            parts.allSatisfy({ part in
                !part.isEmpty && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
            })
        else { return nil }
        return Decimal(string: text)
    }
}
