/// The pragmas that a program sets, and pragmas for a whole file.
package enum PragmaSQL {
    /// The pragmas that a store relies on. No option changes them.
    private static let reserved: Set<String> = [
        "application_id", "defer_foreign_keys", "encoding", "foreign_keys",
        "ignore_check_constraints",
        "journal_mode", "legacy_alter_table", "locking_mode", "query_only", "recursive_triggers",
        "schema_version", "trusted_schema", "user_version", "wal_autocheckpoint",
        "writable_schema",
    ]

    /// Returns the statement that sets a pragma; nil if the name or the value is not allowed.
    package static func set(_ name: String, to value: String) -> String? {
        guard isWord(name, besides: "_"), !reserved.contains(name.lowercased()),
            isWord(value.hasPrefix("-") ? String(value.dropFirst()) : value, besides: "_.")
        else { return nil }
        return "PRAGMA \(name) = \(value)"
    }

    /// A number that another connection's commit changes.
    package static let dataVersion = "PRAGMA data_version"
    /// Makes a connection read-only.
    package static let onlyReading = "PRAGMA query_only = ON"
    /// The cache of a reading connection. There may be several, and the system caches the pages
    /// too.
    package static let readerCache = "PRAGMA cache_size = -12288"
    /// The cache of a connection that reads rows one by one from anywhere in the file. With a
    /// smaller cache, pages would be read again and again.
    package static let largeReaderCache = "PRAGMA cache_size = -32768"
    /// The additional settings of a migration's connection: a cache for the tables that it copies,
    /// a second thread for sorting, and no zeros written over deleted data.
    package static let ofMigration = [
        "PRAGMA cache_size = -65536", "PRAGMA threads = 2", "PRAGMA secure_delete = FAST",
    ]
    /// Moves the contents of the write-ahead log into the file, and removes the log. It works only
    /// if the file has a single connection.
    package static let rollbackJournal = "PRAGMA journal_mode = DELETE"
    /// Keeps the lock of the next transaction that writes until the connection is closed.
    package static let exclusiveLocking = "PRAGMA locking_mode = EXCLUSIVE"
    /// Gathers statistics that help SQLite to choose among indexes.
    package static let analyze = "ANALYZE"
    /// Rewrites the file, without holes.
    package static let vacuum = "VACUUM"

    /// Checks the whole file; a line for each fault.
    package static func integrityCheck(atMost limit: Int) -> String {
        "PRAGMA integrity_check(\(limit))"
    }

    private static func isWord(_ text: String, besides others: String) -> Bool {
        !text.isEmpty
            && text.unicodeScalars.allSatisfy { scalar in
                scalar.isASCII
                    && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                        || others.unicodeScalars.contains(scalar))
            }
    }
}
