/// The pragmas: those that a program asks for, and those about a whole file.
package enum PragmaSQL {
    /// What a store relies on, and no option changes.
    private static let reserved: Set<String> = [
        "application_id", "defer_foreign_keys", "encoding", "foreign_keys",
        "ignore_check_constraints",
        "journal_mode", "legacy_alter_table", "locking_mode", "query_only", "recursive_triggers",
        "schema_version", "trusted_schema", "user_version", "wal_autocheckpoint",
        "writable_schema",
    ]

    /// The statement that sets a pragma; nil where the name or the value is none that may be set.
    package static func set(_ name: String, to value: String) -> String? {
        guard isWord(name, besides: "_"), !reserved.contains(name.lowercased()),
            isWord(value.hasPrefix("-") ? String(value.dropFirst()) : value, besides: "_.")
        else { return nil }
        return "PRAGMA \(name) = \(value)"
    }

    /// A number that another connection's commit changes.
    package static let dataVersion = "PRAGMA data_version"
    /// Lets a connection read and nothing else.
    package static let onlyReading = "PRAGMA query_only = ON"
    /// What a connection has that reads, as there may be several, and the system has the pages too.
    package static let readerCache = "PRAGMA cache_size = -12288"
    /// What one has that reads rows one by one, which lie anywhere in the file: pages that had to go
    /// would be read again and again.
    package static let largeReaderCache = "PRAGMA cache_size = -32768"
    /// What the connection of a migration has beyond others: room for the tables that it copies, a
    /// second thread to sort with, and no zeros written over what is dropped.
    package static let ofMigration = [
        "PRAGMA cache_size = -65536", "PRAGMA threads = 2", "PRAGMA secure_delete = FAST",
    ]
    /// Puts what the write-ahead log has into the file, and removes it. Only the one connection that a
    /// file has can do so.
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
