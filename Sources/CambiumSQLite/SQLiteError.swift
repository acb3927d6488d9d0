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
        self.message = message
        self.sql = sql
    }

    /// The code without its extension, such as 19 (`SQLITE_CONSTRAINT`).
    public var primaryCode: Int32 { code & 0xff }
}

extension SQLiteError: CustomStringConvertible {
    /// The message, the code and the statement.
    public var description: String {
        let place = sql.map { " in: \($0)" } ?? ""
        return "SQLite error \(code): \(message)\(place)"
    }
}
