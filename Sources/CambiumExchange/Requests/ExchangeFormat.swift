/// The form of a file of objects, for imports and exports. The text is UTF-8.
public enum ExchangeFormat: Sendable, Hashable {
    /// JSON: an array of objects, or a single one.
    case json
    /// A JSON object in each line. Empty lines are passed over.
    case jsonLines
    /// Comma-separated values (RFC 4180) with the names of the columns in the first line.
    ///
    /// A field in quotes may contain separators, line ends and quotes, which are doubled. Lines end
    /// with CR LF, LF or CR; exports write CR LF, as the RFC does. A to-many relationship is a
    /// list: a field that is itself a line of such values, separated by semicolons. If semicolons
    /// separate the columns, commas separate the list.
    ///
    /// - Parameter separator: The separator of the columns: one ASCII character that is neither a
    ///   quote nor a line end.
    case csv(separator: Character = ",")
}

extension ExchangeFormat {
    /// The byte that separates columns.
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

    /// The separator of the keys in a list within a column.
    static func listSeparator(_ separator: UInt8) -> UInt8 {
        separator == UInt8(ascii: ";") ? ASCII.comma : UInt8(ascii: ";")
    }
}

/// The format of dates in files.
public struct ExchangeDateFormat: Sendable {
    enum Kind: Sendable {
        case iso8601
        case seconds(since: Double)
        case custom(
            parse: @Sendable (String) -> Date?, format: @Sendable (Date) -> String)
    }

    let kind: Kind
    /// The form in which the store keeps imported dates; nil if it keeps each date exactly.
    var kept: StoredDatePrecision?

    /// ISO 8601, such as `2026-11-22T09:30:00.25Z`. The default time is midnight, and the default
    /// time zone is UTC. Exports write UTC, with as many decimal places of a second as preserve the
    /// date exactly.
    public static let iso8601 = ExchangeDateFormat(kind: .iso8601)
    /// A number of seconds since 2001-01-01 UTC, as in stores. Dates are preserved exactly.
    public static let secondsSinceReferenceDate = ExchangeDateFormat(kind: .seconds(since: 0))
    /// A number of seconds since 1970-01-01 UTC. If a date has a fraction of a second, its last
    /// digits may be lost.
    public static let secondsSince1970 = ExchangeDateFormat(
        kind: .seconds(since: -Date.timeIntervalBetween1970AndReferenceDate))

    /// A custom format.
    ///
    /// - Parameters:
    ///   - parse: Returns the date of a string, or nil if the string is not a date; this is an
    ///     error of its line. Called on the thread that reads ahead.
    ///   - format: Returns the string of a date.
    public static func custom(
        parse: @escaping @Sendable (String) -> Date?, format: @escaping @Sendable (Date) -> String
    ) -> ExchangeDateFormat {
        ExchangeDateFormat(kind: .custom(parse: parse, format: format))
    }
}

/// The field of a file that names the entity of each object in a hierarchy: a column in CSV, a
/// member in JSON.
///
/// ```swift
/// var source = ImportSource(Party.self, from: .file("parties.csv"), as: .csv())
/// source.entityField = "type"
/// ```
///
/// The field contains the names of entities, unless ``words`` defines others:
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
    /// The entity names by the words that the file uses instead. Case-sensitive.
    ///
    /// Several words may mean one entity. An export then writes the first one in alphabetic order.
    /// An import reads all of them, but not the entity's name. For an entity without a word here,
    /// the file uses its name.
    public var words: [String: String]
    /// The name of the entity of a row that has no word: the field is missing, empty or null. Nil,
    /// the default: that is an error of the row. An export ignores it.
    public var defaultEntity: String?

    /// Creates an entity field with a name.
    ///
    /// - Parameters:
    ///   - name: The name of the field.
    ///   - words: The file's words for entities; see ``words``.
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
