/// The form of a file of objects, for imports and exports. The text is UTF-8.
public enum ExchangeFormat: Sendable, Hashable {
    /// JSON: an array of objects, or a single one.
    case json
    /// A JSON object in each line. Empty lines are passed over.
    case jsonLines
    /// Comma-separated values (RFC 4180) with the names of the columns in the first line.
    ///
    /// A field in quotes may hold separators, line ends and quotes, which are doubled. Lines end
    /// with CR LF, LF or CR; exports write CR LF, as the RFC does. A list, for a to-many
    /// relationship, is a field that holds a line of such values itself, separated by semicolons
    /// (by commas, where semicolons separate the columns).
    ///
    /// - Parameter separator: What separates the columns: one ASCII character, no quote and no
    ///   line end.
    case csv(separator: Character = ",")
}

extension ExchangeFormat {
    /// What separates columns.
    var separatorByte: UInt8 {
        get throws {
            guard case .csv(let separator) = self else { return ASCII.comma }
            guard let byte = separator.asciiValue, byte != 0, byte != ASCII.quote,
                // One character, that is two bytes.
                byte != ASCII.lineFeed, byte != ASCII.carriageReturn
            else {
                throw StoreError(
                    code: .invalidRequest,
                    message: "The separator of the CSV format is not an ASCII character, or is a "
                        + "quote or a line end.",
                    remedy: "Use another one, such as a comma, a semicolon or a tab.")
            }
            return byte
        }
    }

    /// What separates the keys of a list within a column.
    static func listSeparator(_ separator: UInt8) -> UInt8 {
        separator == UInt8(ascii: ";") ? ASCII.comma : UInt8(ascii: ";")
    }
}

/// How files write dates.
public struct ExchangeDateFormat: Sendable {
    enum Kind: Sendable {
        case iso8601
        case seconds(since: Double)
        case custom(
            parse: @Sendable (String) -> Date?, format: @Sendable (Date) -> String)
    }

    let kind: Kind
    /// How the store keeps dates that are imported; nil where it keeps each to the bit.
    var kept: KeptDates?

    /// ISO 8601, such as `2026-11-22T09:30:00.25Z`. Without a time it is midnight, without a time
    /// zone UTC. Exports write UTC, with as many places of a second as bring the very date back.
    public static let iso8601 = ExchangeDateFormat(kind: .iso8601)
    /// A number of seconds since 2001-01-01 UTC, which is what stores hold: brings the very date
    /// back.
    public static let secondsSinceReferenceDate = ExchangeDateFormat(kind: .seconds(since: 0))
    /// A number of seconds since 1970-01-01 UTC. Of a date with places of a second, the last ones
    /// may be lost on the way.
    public static let secondsSince1970 = ExchangeDateFormat(
        kind: .seconds(since: -Date.timeIntervalBetween1970AndReferenceDate))

    /// A format of the program's own.
    ///
    /// - Parameters:
    ///   - parse: Reads a text; nil where it is no date, which is an error of its line. Called on
    ///     the thread that reads ahead.
    ///   - format: Writes a date.
    public static func custom(
        parse: @escaping @Sendable (String) -> Date?, format: @escaping @Sendable (Date) -> String
    ) -> ExchangeDateFormat {
        ExchangeDateFormat(kind: .custom(parse: parse, format: format))
    }
}

/// The field of a file that says which entity of a hierarchy each object is of: a column in CSV, a
/// member in JSON.
///
/// ```swift
/// var source = ImportSource(Party.self, from: .file("parties.csv"), as: .csv())
/// source.entityField = "type"
/// ```
///
/// The field has the names of entities unless ``words`` has others for them:
///
/// ```swift
/// var source = ImportSource(Party.self, from: .file("parties.csv"), as: .csv())
/// source.entityField = ExchangeEntityField(
///     "kind", words: ["p": "Person", "c": "Company"], defaultEntity: "Person")
/// ```
///
/// See ``ImportSource/entityField`` and ``ExportRequest/entityField``.
public struct ExchangeEntityField: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The name of the field. No property may have the same one.
    public var name: String
    /// What the file calls entities, where that is not their names: the name of the entity by the
    /// file's word. Upper and lower case differ.
    ///
    /// Several words may mean one entity. An export then writes the first one in alphabetic order,
    /// and an import reads all of them, but not the entity's name. An entity without a word here
    /// goes by its name.
    public var words: [String: String]
    /// The name of the entity of a row that has no word: the field is missing, empty or null. Nil,
    /// the default: that is an error of the row. An export ignores it.
    public var defaultEntity: String?

    /// The field of a name.
    ///
    /// - Parameters:
    ///   - name: The name of the field.
    ///   - words: What the file calls entities; see ``words``.
    ///   - defaultEntity: The entity of a row without a word; see ``defaultEntity``.
    public init(
        _ name: String, words: [String: String] = [:], defaultEntity: String? = nil
    ) {
        self.name = name
        self.words = words
        self.defaultEntity = defaultEntity
    }

    /// The field of a name, with the names of entities.
    public init(stringLiteral name: String) {
        self.init(name)
    }
}
