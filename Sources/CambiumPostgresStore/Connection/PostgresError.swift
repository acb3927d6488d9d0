import CPostgres
import CambiumEngine
import CambiumModel

/// An error that the server or libpq reports.
package struct PostgresError: Error, Sendable, CustomStringConvertible {
    /// PostgreSQL's code of five characters; empty where libpq itself has failed.
    package let state: String
    /// The message, in which are no values.
    package private(set) var message: String
    /// What is violated, where the server says it.
    package let constraint: String?
    package let table: String?
    package let column: String?
    /// The statement, where there was one.
    package let sql: String?
    /// Whether the connection is lost.
    package let isDisconnection: Bool
    /// Whether there was no connection yet.
    let isOfConnecting: Bool
    /// The function of the server's that has reported it.
    let sourceFunction: String?
    /// Whether the server has ended a statement that the program did not want to be ended.
    var isOverdue = false
    /// The names of what the transaction began with.
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

    /// What a result says that is an error. The details and the context are left out, and messages that
    /// may have values in them.
    init(_ result: OpaquePointer?, sql: String?) {
        func field(_ code: Int32) -> String? {
            // Safety: a text of the result's, or nil.
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

    /// What libpq itself says, which ends with a new line.
    init(
        ofLibrary message: UnsafeMutablePointer<CChar>?, sql: String? = nil, isDisconnection: Bool,
        isOfConnecting: Bool = false
    ) {
        // Safety: a text of the connection's, or nil.
        let text = message.map { String(cString: $0) } ?? "libpq gave no reason."
        // Of several hosts each has a line, and some have a hint in a line of its own.
        let lines = text.split(whereSeparator: \.isNewline)
            .map { $0.drop(while: \.isWhitespace) }
        self.init(
            message: lines.filter { !$0.isEmpty }.joined(separator: "; "), sql: sql,
            isDisconnection: isDisconnection, isOfConnecting: isOfConnecting)
    }

    /// The same error without the values of settings, which a policy of the server's may have used.
    func hiding(_ settings: TransactionSettings) -> PostgresError {
        if settings.isEmpty { return self }
        var error = self
        error.message = settings.removingValues(from: message)
        error.settings = settings.names
        return error
    }

    /// A server that is shut down, or that ends a connection.
    private static let disconnections: Set<String> = [
        "57P01", "57P02", "57P03", "57P04", "57P05", "25P03", "25P04", "08000", "08003", "08006",
    ]

    /// The states that have a meaning for a save.
    static let uniqueViolation = "23505"
    static let foreignKeyViolation = "23503"
    static let checkViolation = "23514"
    static let notNullViolation = "23502"
    /// An entry of an index that is too long, among other things.
    static let insufficientPrivilege = "42501"
    static let limitExceeded = "54000"
    static let outOfRange = "22003"
    static let cancelled = "57014"
    static let lockTimeout = "55P03"
    static let dependency = "2BP01"
    /// What a function of PL/pgSQL throws.
    static let raisedException = "P0001"

    /// Whether the program wanted the statement to end early.
    var isCancellation: Bool { state == Self.cancelled && !isOverdue }

    /// Whether what was to be written breaks a constraint.
    var isOfConstraint: Bool { state.hasPrefix("23") }

    /// Whether it is the fault of values: they break a constraint, or have no such form.
    var isOfData: Bool { isOfConstraint || state.hasPrefix("22") }

    /// Whether something exists already that was to be made.
    var isOfTakenName: Bool { ["42P07", "42P06", "42710"].contains(state) }

    /// Whether the same work may succeed when it is done again from its beginning: two transactions
    /// stood in each other's way.
    var isTransient: Bool { state == "40001" || state == "40P01" }
    /// The same, or somebody has changed a table of a statement that was prepared.
    var isOfOthers: Bool { isTransient || isStalePlan }

    package var description: String {
        // Without a state it is libpq's, which says what it was doing.
        state.isEmpty ? message : "PostgreSQL error \(state): \(message)"
    }
}

extension PostgresError: EngineError {
    package var openingFailure: StoreError.Code { .cannotOpen }

    package func openingProblem(_ path: String) -> StoreError? { nil }
}

extension PostgresError: LocalizedError {
    /// PostgreSQL's message and code. No value of a row is in it.
    package var errorDescription: String? { description }
    /// The statement, where there was one.
    package var failureReason: String? {
        sql.map { "In the statement: \($0.prefix(2_000))" } ?? "libpq has refused a call."
    }
    /// What to do about it.
    package var recoverySuggestion: String? {
        if let trouble { return trouble.remedy }
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
