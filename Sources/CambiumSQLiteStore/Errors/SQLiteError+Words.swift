import CambiumEngine
import CambiumModel
import CambiumSQLite

extension SQLiteError: EngineError {
    package var openingFailure: StoreError.Code {
        switch primaryCode {
        case 5, 6: .busy
        case 11, 26: .corrupt
        default: .cannotOpen
        }
    }

    package func troubleOpening(_ path: String) -> StoreError? {
        StoreError(self, in: .opening, path)
    }
}

extension SQLiteError: LocalizedError {
    /// SQLite's message and code. No value is in it.
    public var errorDescription: String? { "SQLite error \(code): \(message)" }
    /// The statement, where there was one.
    public var failureReason: String? {
        sql.map { "In the statement: \($0.excerpt(2_000))" } ?? "SQLite has refused a call."
    }
    /// What to do about it.
    public var recoverySuggestion: String? {
        switch primaryCode {
        case 5, 6: "Close the other program, or try again later."
        case 8, 14, 23: "See that the program may read and write the file and its folder."
        case 9: "Run the operation again."
        case 10: "See that the disk is available and works, and try again."
        case 11, 26: "Restore a backup of the file."
        case 13: "Make room on the disk, and try again."
        case 19: "Correct the values that violate the constraint."
        default: "Look up the code at https://sqlite.org/rescode.html."
        }
    }
}
