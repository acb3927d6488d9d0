import CPostgres
import CambiumEngine
import CambiumModel

/// An error that the server or libpq reports.
package struct PostgresError: Error, Sendable, CustomStringConvertible {
    /// PostgreSQL's error code of five characters; empty if libpq itself failed.
    package let state: String
    /// The message, without values.
    package private(set) var message: String
    /// The violated constraint, if the server names it.
    package let constraint: String?
    package let table: String?
    package let column: String?
    /// The statement, if there was one.
    package let sql: String?
    /// Whether the connection is lost.
    package let isDisconnection: Bool
    /// Whether the error occurred before the connection was established.
    let isOfConnecting: Bool
    /// The function of the server that reported the error.
    let sourceFunction: String?
    /// Whether the server cancelled the statement without a request of the program.
    var isOverdue = false
    /// The names of the transaction's settings.
    var settings: [String] = []

    init(
        state: String = "", message: String, constraint: String? = nil, table: String? = nil,
        column: String? = nil, sql: String? = nil, isDisconnection: Bool = false,
        isOfConnecting: Bool = false, sourceFunction: String? = nil
    ) {
        self.state = state
        self.message = message
        self.constraint = constraint
        self.table = table
        self.column = column
        self.sql = sql
        self.isDisconnection = isDisconnection
        self.isOfConnecting = isOfConnecting
        self.sourceFunction = sourceFunction
    }

    /// Creates an error from a result. It has no details, no context, and no message that may
    /// contain values.
    init(_ result: OpaquePointer?, sql: String?) {
        func field(_ code: Int32) -> String? {
            // Safety: a string of the result, or nil.
            PQresultErrorField(result, code).map { String(cString: $0) }
        }
        let state = field(cambium_diag_sqlstate()) ?? ""
        let function = field(cambium_diag_source_function())
        self.init(
            state: state,
            message: Self.withoutValues(
                field(cambium_diag_message()), state: state, function: function),
            constraint: field(cambium_diag_constraint()), table: field(cambium_diag_table()),
            column: field(cambium_diag_column()), sql: sql,
            isDisconnection: Self.disconnections.contains(state), sourceFunction: function)
    }

    /// Creates an error from a message of libpq, which ends with a newline.
    init(
        ofLibrary message: UnsafeMutablePointer<CChar>?, sql: String? = nil, isDisconnection: Bool,
        isOfConnecting: Bool = false
    ) {
        // Safety: a string of the connection, or nil.
        let text = message.map { String(cString: $0) } ?? "libpq gave no reason."
        // If there are several hosts, each has a line, and some have a hint in a second line.
        let lines = text.split(whereSeparator: \.isNewline)
            .map { $0.drop(while: \.isWhitespace) }
        self.init(
            message: lines.filter { !$0.isEmpty }.joined(separator: "; "), sql: sql,
            isDisconnection: isDisconnection, isOfConnecting: isOfConnecting)
    }

    /// Returns the error without the values of settings. A policy of the server may have put them
    /// into the message.
    func hiding(_ settings: TransactionSettings) -> PostgresError {
        if settings.isEmpty { return self }
        var error = self
        error.message = settings.removingValues(from: message)
        error.settings = settings.names
        return error
    }

    /// The states of a server that shuts down or ends a connection.
    private static let disconnections: Set<String> = [
        "57P01", "57P02", "57P03", "57P04", "57P05", "25P03", "25P04", "08000", "08003", "08006",
    ]

    /// The states that have a meaning for a save.
    static let uniqueViolation = "23505"
    static let foreignKeyViolation = "23503"
    static let checkViolation = "23514"
    static let notNullViolation = "23502"
    static let insufficientPrivilege = "42501"
    /// For example, an index entry is too long.
    static let limitExceeded = "54000"
    static let outOfRange = "22003"
    static let cancelled = "57014"
    static let lockTimeout = "55P03"
    static let dependency = "2BP01"
    /// A function in PL/pgSQL raised an exception.
    static let raisedException = "P0001"

    /// Whether the program requested the cancellation of the statement.
    var isCancellation: Bool { state == Self.cancelled && !isOverdue }

    /// Whether the written values violate a constraint.
    var isOfConstraint: Bool { state.hasPrefix("23") }

    /// Whether values are the cause, because they violate a constraint or are invalid.
    var isOfData: Bool { isOfConstraint || state.hasPrefix("22") }

    /// Whether an object that the statement creates exists already.
    var isOfTakenName: Bool { ["42P07", "42P06", "42710"].contains(state) }

    /// Whether the same work may succeed if it is repeated from its beginning, because two
    /// transactions conflicted.
    var isTransient: Bool { state == "40001" || state == "40P01" }
    /// Whether the error is transient, or another program has changed a table of a prepared
    /// statement.
    var isOfOthers: Bool { isTransient || isStalePlan }

    package var description: String {
        // Without a state, the message is one of libpq, which describes the failed action.
        state.isEmpty ? message : "PostgreSQL error \(state): \(message)"
    }
}

extension PostgresError: EngineError {
    package var openingFailure: StoreError.Code { .cannotOpen }

    package func openingProblem(_ path: String) -> StoreError? { nil }
}

extension PostgresError: LocalizedError {
    /// PostgreSQL's message and code. It contains no value of a row.
    package var errorDescription: String? { description }
    /// The statement, if there was one.
    package var failureReason: String? {
        sql.map { "In the statement: \($0.prefix(2_000))" } ?? "libpq has refused a call."
    }
    /// A suggestion for the solution.
    package var recoverySuggestion: String? {
        if let storeError { return storeError.remedy }
        if state == "26000" || state == "42P05" {
            return "A pooler between does not know the names of prepared statements: set "
                + "preparesStatements to false."
        }
        return switch state.prefix(2) {
        case "": "See that the server runs, and that the URL names it."
        case "42": "See that the user may read and write the tables of the store."
        default: "Look up the code in PostgreSQL's documentation, appendix A."
        }
    }
}
