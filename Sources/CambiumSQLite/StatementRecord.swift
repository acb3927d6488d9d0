/// What is told of a statement that has run.
package struct StatementRecord {
    /// The text, with `?` for the values.
    package let sql: String
    /// The text with the values in it, where they were asked for.
    package let expandedSQL: String?
    /// From the first step to the end.
    package let duration: Duration
    /// How many rows it returned, or changed.
    package let rowCount: Int
    /// The connection, idle; valid during the call that hands the record over.
    package let connection: Connection
}

/// Who is told of statements, and how much.
package struct StatementObserver: Sendable {
    /// Whether values are told too.
    package let includesValues: Bool
    /// Called after each statement, while nobody else can use the connection.
    package let receive: @Sendable (StatementRecord) -> Void

    package init(includesValues: Bool, receive: @escaping @Sendable (StatementRecord) -> Void) {
        self.includesValues = includesValues
        self.receive = receive
    }
}
