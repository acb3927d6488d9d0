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
        guard let first = arguments.first, let last = arguments.last else { return .null }
        switch self {
        case .decimalBytes:
            guard let units = first.integer, let scale = last.integer else { return .null }
            return .decimal(DecimalStorage.decimal(ofUnits: units, scale: Int(scale)))
        case .decimalUnits:
            guard let value = first.decimal, let scale = last.integer,
                let units = DecimalStorage.units(of: value, scale: Int(scale))
            else { return .null }
            return .integer(units)
        case .decimalText:
            guard let value = first.decimal else { return .null }
            return .text(value.description)
        case .decimalOfText:
            guard let text = first.text else { return .null }
            return .decimal(Self.decimal(text))
        case .decimalOfNumber:
            let digits: String
            switch first {
            case .integer(let number): digits = number.description
            case .real(let number): digits = number.description
            case .text(let text): digits = text
            default: return .null
            }
            return .bytes(OrderedDecimal.bytes(spelled: digits))
        case .decimalOfShortNumber:
            switch first {
            case .integer(let number): return .bytes(OrderedDecimal.bytes(ofShort: Double(number)))
            case .real(let number): return .bytes(OrderedDecimal.bytes(ofShort: number))
            default: return .null
            }
        case .archiveJSON:
            guard case .blob(let bytes) = first, let type = last.text,
                let json = ArchivedJSON.text(of: bytes, as: type)
            else { return .null }
            return .text(json)
        case .wholeText:
            guard let text = first.text else { return .null }
            guard text.utf8.contains(0) else { return first }
            return .text(text.replacing("\0", with: "\u{FFFF}"))
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
