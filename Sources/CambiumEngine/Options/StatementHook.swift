import CambiumMigration

/// Who is notified of a store's SQL statements, for logs, budgets in tests and the search for what
/// is slow.
///
/// ```swift
/// var options = StoreOptions()
/// options.statementHook = StatementHook { statement in
///     if statement.duration > .milliseconds(20) {
///         print(statement, statement.plan().joined(separator: "\n"))
///     }
/// }
/// ```
///
/// Values are no part of it unless they are asked for. A store without a hook runs its statements
/// as if there were none.
public struct StatementHook: Sendable {
    package let includesValues: Bool
    package let receive: @Sendable (WatchedStatement) -> Void

    /// Tells a closure of each statement when it has run.
    ///
    /// The closure is called on the thread that ran the statement, while the statement's connection
    /// is locked: it must be quick, and must not fetch from or save to the same store.
    ///
    /// - Parameters:
    ///   - includesValues: Whether ``WatchedStatement/sqlWithValues`` is included. Values may be
    ///     private: think of where the log goes.
    ///   - receive: Called after each statement.
    public init(
        includesValues: Bool = false, _ receive: @escaping @Sendable (WatchedStatement) -> Void
    ) {
        self.includesValues = includesValues
        self.receive = receive
    }

    /// Writes a line for each statement to the standard error.
    ///
    /// - Parameters:
    ///   - duration: Statements that took no longer than that are left out.
    ///   - includesValues: Whether the line has the values. They may be private.
    ///   - includesPlan: Whether lines follow that say how SQLite found the rows.
    public static func standardError(
        slowerThan duration: Duration = .zero, includesValues: Bool = false,
        includesPlan: Bool = false
    ) -> StatementHook {
        StatementHook(includesValues: includesValues) { statement in
            guard duration == .zero || statement.duration > duration else { return }
            var text = "\(statement)\n"
            if includesPlan {
                for line in statement.plan() { text += "    \(line)\n" }
            }
            StandardError.write(text)
        }
    }
}

/// A statement that has run.
public struct WatchedStatement: CustomStringConvertible {
    /// The text, with `?` for the values.
    public let sql: String
    /// The text with the values in it, where the hook asked for them. Values of rows that are saved
    /// are not bound to statements, and are never included.
    public let sqlWithValues: String?
    /// From its start to its end, what was done with its rows included.
    public let duration: Duration
    /// How many rows it returned, or changed.
    public let rowCount: Int

    private let plans: () -> [String]

    /// - Parameter plans: How the rows are found; nothing after the hook has run.
    package init(
        sql: String, sqlWithValues: String?, duration: Duration, rowCount: Int,
        plans: @escaping () -> [String]
    ) {
        self.sql = sql
        self.sqlWithValues = sqlWithValues
        self.duration = duration
        self.rowCount = rowCount
        self.plans = plans
    }

    /// How SQLite finds the rows: a line for each step, indented by its depth. Asked when it is
    /// called, which may only be while the hook runs; empty afterwards, and for statements that
    /// have no plan.
    public func plan() -> [String] { plans() }

    /// The duration, the number of rows and the text, on one line.
    public var description: String {
        let (seconds, attoseconds) = duration.components
        let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        let text = (sqlWithValues ?? sql).split(whereSeparator: \.isNewline)
            .joined(separator: " ")
        return "\(microseconds) µs, \(rowCount) row\(rowCount == 1 ? "" : "s"): \(text)"
    }
}

/// The stream for what is no result.
package enum StandardError {
    /// Tells the people who look after a program something, in a line.
    package static func note(_ sentence: String) {
        write("Cambium: \(sentence).\n")
    }

    /// Writes a text at once, so that lines of several threads do not mix.
    package static func write(_ text: String) {
        // A log that cannot be written is no reason to stop.
        try? SystemFile.standardError.append(Array(text.utf8))
    }
}
