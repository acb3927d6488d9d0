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

/// How files write dates.
public struct ExchangeDateFormat: Sendable {
    enum Kind: Sendable {
        case iso8601
        case seconds(since: Double)
        case custom(
            parse: @Sendable (String) -> Date?, format: @Sendable (Date) -> String)
    }

    let kind: Kind

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
