/// How often compiled statements were used again.
package struct StatementUse: Sendable, Hashable {
    /// How often one was there.
    package var hits = 0
    /// How often one had to be compiled.
    package var misses = 0
    /// How many there are.
    package var count = 0
}

/// The compiled statements of a connection, by their texts: those that were used last, as a program
/// that builds conditions makes ever new texts.
struct StatementCache {
    /// A statement takes some kilobytes; what a program repeats are some dozens.
    static let maximum = 200

    private struct Entry {
        let statement: Statement
        var lastUse: Int
    }

    private var entries: [String: Entry] = [:]
    private var clock = 0
    private(set) var use = StatementUse()

    /// The statement of a text.
    subscript(sql: String) -> Statement? {
        mutating get {
            clock += 1
            guard let index = entries.index(forKey: sql) else {
                use.misses += 1
                return nil
            }
            use.hits += 1
            entries.values[index].lastUse = clock
            return entries.values[index].statement
        }
    }

    /// Keeps a statement; where there are too many, lets go of a quarter of them, which were used
    /// longest ago. One that is running lives until whoever runs it is done.
    mutating func insert(_ statement: Statement, for sql: String) {
        if entries.count >= Self.maximum {
            let uses = entries.values.map(\.lastUse).sorted()
            let oldest = uses[uses.count / 4]
            entries = entries.filter { $0.value.lastUse > oldest }
        }
        entries[sql] = Entry(statement: statement, lastUse: clock)
        use.count = entries.count
    }

    mutating func removeAll() {
        entries.removeAll()
        use.count = 0
    }
}
