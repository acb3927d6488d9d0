import CSQLite
import CambiumModel

extension Connection {
    /// Registers ``TextCheck``. The bytes are looked at where SQLite has them: as values they would
    /// be mended and copied.
    func registerTextCheck() throws(SQLiteError) {
        let code = sqlite3_create_function_v2(
            handle, TextCheck.name, 1,
            SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, nil,
            { context, _, values in
                guard let context, let value = values?[0] else { return }
                guard sqlite3_value_type(value) == SQLITE_TEXT else {
                    return sqlite3_result_int(context, 0)
                }
                // Safety: SQLite holds the bytes until the function returns.
                let start = sqlite3_value_text(value)
                let count = Int(sqlite3_value_bytes(value))
                let isSound = TextCheck.isSound(UnsafeRawBufferPointer(start: start, count: count))
                sqlite3_result_int(context, isSound ? 0 : 1)
            }, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code, sql: nil) }
    }
}
