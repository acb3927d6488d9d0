import CSQLite
import CambiumModel

/// The SQLite library of this process.
public enum SQLiteLibrary {
    /// The oldest supported version, in SQLite's numbering: 3.40.0.
    public static let minimumVersionNumber: Int32 = 3_040_000

    /// The library's version, such as `3.40.1`.
    public static var version: String { String(cString: sqlite3_libversion()) }

    /// The library's version as a number, such as 3040001.
    public static var versionNumber: Int32 { sqlite3_libversion_number() }

    /// The build of the library: its source and its compile-time options. It distinguishes builds
    /// of one version.
    package static var build: String {
        var words = [String(cString: sqlite3_sourceid())]
        while let option = sqlite3_compileoption_get(Int32(words.count - 1)) {
            words.append(String(cString: option))
        }
        return words.joined(separator: " ")
    }

    /// Checks that the library is recent enough.
    ///
    /// - Throws: ``SQLiteError`` with both versions and the remedy.
    public static func requireMinimumVersion() throws(SQLiteError) {
        try requireMinimumVersion(versionNumber, named: version)
    }

    /// Checks a version, so that a test can pass one that is too old.
    package static func requireMinimumVersion(
        _ number: Int32, named name: String
    ) throws(SQLiteError) {
        guard number < minimumVersionNumber else { return }
        throw SQLiteError(
            code: SQLITE_ERROR,
            message: "This program runs on SQLite \(name), but Cambium needs 3.40.0 or later. "
                + "Install a newer libsqlite3 (Debian 12 and Ubuntu 23.04 have one).")
    }
}

/// An error of SQLite.
public struct SQLiteError: Error, Sendable, Hashable {
    /// SQLite's extended result code, such as 2067 (`SQLITE_CONSTRAINT_UNIQUE`).
    public let code: Int32
    /// SQLite's message.
    public let message: String
    /// The statement, if there was one. Values are parameters, and so never part of it.
    public let sql: String?

    package init(code: Int32, message: String, sql: String? = nil) {
        self.code = code
        // SQLite's messages quote names and texts of the database.
        self.message = message.excerpt(1_000)
        self.sql = sql
    }

    /// The code without its extension, such as 19 (`SQLITE_CONSTRAINT`).
    public var primaryCode: Int32 { code & 0xff }

    /// Whether a statement, or a copy, was interrupted on request.
    package var isInterruption: Bool { primaryCode == 9 }
}

extension SQLiteError: CustomStringConvertible {
    /// The message, the code and the statement.
    public var description: String {
        let place = sql.map { " in: \($0.excerpt(2_000))" } ?? ""
        return "SQLite error \(code): \(message)\(place)"
    }
}
