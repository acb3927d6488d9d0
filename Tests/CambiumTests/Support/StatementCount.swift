import Cambium
import Synchronization

/// Counts the statements of a store whose text has a word in it.
final class StatementCount: Sendable {
    private struct Count {
        var statements = 0
        var rows = 0
    }

    private let word: String
    private let count = Mutex(Count())

    init(of word: String) {
        self.word = word
    }

    /// How many there were.
    var statements: Int { count.withLock { $0.statements } }
    /// How many rows they returned.
    var rows: Int { count.withLock { $0.rows } }

    var hook: StatementHook {
        StatementHook { [self] statement in
            guard statement.sql.contains(word) else { return }
            count.withLock { count in
                count.statements += 1
                count.rows += statement.rowCount
            }
        }
    }
}
