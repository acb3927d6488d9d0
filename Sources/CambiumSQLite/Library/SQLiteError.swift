import CambiumModel

/// What SQLite answered when it could not do what was asked.
public struct SQLiteError: Error, Sendable, Hashable {
    /// SQLite's extended result code, such as 2067 (`SQLITE_CONSTRAINT_UNIQUE`).
    public let code: Int32
    /// SQLite's own words.
    public let message: String
    /// The statement, where there was one. Values are parameters and so never part of it.
    public let sql: String?

    package init(code: Int32, message: String, sql: String? = nil) {
        self.code = code
        // SQLite's words quote names and texts of the database.
        self.message = message.excerpt(1_000)
        self.sql = sql
    }

    /// The code without its extension, such as 19 (`SQLITE_CONSTRAINT`).
    public var primaryCode: Int32 { code & 0xff }

    /// Whether a statement, or a copy, was ended because somebody asked for it.
    package var isInterruption: Bool { primaryCode == 9 }
}

extension SQLiteError: CustomStringConvertible {
    /// The message, the code and the statement.
    public var description: String {
        let place = sql.map { " in: \($0.excerpt(2_000))" } ?? ""
        return "SQLite error \(code): \(message)\(place)"
    }
}
