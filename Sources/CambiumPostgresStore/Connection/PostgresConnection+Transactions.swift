import CambiumRecords

// Statements in transactions.
extension PostgresConnection {
    /// Runs a body whose statements all see the same state.
    ///
    /// - Parameter last: The statements that read at the end, after the body.
    func snapshot<Result>(
        last: (Result) throws -> [PostgresStatement], _ interruption: Interruption?,
        _ body: () throws -> Result
    ) throws -> (Result, [PostgresRows]) {
        beginning = Self.begin(isReadOnly: true)
        defer { beginning = nil }
        do {
            let result = try body()
            let statements = try last(result)
            // Without any statement there is no transaction.
            if beginning != nil, statements.isEmpty { return (result, []) }
            let ending = statements + [PostgresStatement("COMMIT")]
            return (result, try run(ending, interruption: interruption).dropLast())
        } catch {
            if beginning == nil { _ = try? run("ROLLBACK") }
            throw error
        }
    }

    /// Runs a body in a transaction, which is rolled back if the body throws.
    ///
    /// - Parameter ending: The statements sent with the commit, after the body.
    func transaction<Result>(
        ending: () -> [PostgresStatement] = { [] }, _ body: () throws -> Result
    ) throws -> Result {
        _ = try run([Self.begin(isReadOnly: false)])
        do {
            let result = try body()
            _ = try run(ending() + [PostgresStatement("COMMIT")])
            return result
        } catch {
            // A connection that is lost has no transaction any more.
            _ = try? run("ROLLBACK")
            throw error
        }
    }

    /// Runs a statement that is a transaction of its own. There no limit for locks counts: the
    /// statement takes no longer than a lock is waited for.
    func runAlone(
        _ sql: String, _ parameters: PostgresParameters
    ) throws(PostgresError) -> PostgresRows {
        let former = setup
        defer { setup = former }
        setup.statementTimeout = [setup.statementTimeout, setup.lockTimeout].compactMap(\.self)
            .min()
        return try run(sql, parameters)
    }

    /// Runs statements that read, all of them the same state, in one round trip.
    func readTogether(
        _ statements: [PostgresStatement], interruption: Interruption? = nil
    ) throws(PostgresError) -> [PostgresRows] {
        do {
            let rows = try run(
                [Self.begin(isReadOnly: true)] + statements + [PostgresStatement("COMMIT")],
                interruption: interruption)
            return Array(rows.dropFirst().dropLast())
        } catch {
            _ = try? run("ROLLBACK")
            throw error
        }
    }

    /// The isolation level of a transaction, in SQL.
    enum Isolation: String {
        // If the server's administrator requires read-only transactions, these are read-only too.
        case readCommitted = "READ COMMITTED"
        case repeatableRead = "REPEATABLE READ"
        case serializable = "SERIALIZABLE"
        /// For reading one state.
        case readOnly = "REPEATABLE READ READ ONLY"
    }

    static func begin(isReadOnly: Bool) -> PostgresStatement {
        begin(isReadOnly ? .readOnly : .readCommitted)
    }

    static func begin(_ isolation: Isolation) -> PostgresStatement {
        var statement = PostgresStatement("BEGIN ISOLATION LEVEL \(isolation.rawValue)")
        statement.beginsTransaction = true
        return statement
    }
}
