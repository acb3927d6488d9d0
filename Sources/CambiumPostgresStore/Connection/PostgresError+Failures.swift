import CambiumEngine

/// The meaning of a server's errors for programs.
extension PostgresError {
    /// The reason why the server rejects the work, or nil if the error is about the content of a
    /// statement.
    var failure: ServerFailure? {
        if let failure = Self.failures[state] { return failure }
        if state.hasPrefix("08") { return .connectionLost }
        if state == Self.cancelled, isOverdue { return .statementTimeout }
        if isStalePlan { return .changedTables }
        // It has no serializable transactions either.
        if state == "0A000", message.contains("hot standby") { return .readOnly }
        if isOfConnecting { return failureOfConnecting }
        return isDisconnection ? .connectionLost : nil
    }

    private static let failures: [String: ServerFailure] = [
        "57P01": .restarting, "57P02": .restarting, "57P03": .restarting, "57P04": .unknownDatabase,
        "57P05": .connectionLost, "25P03": .transactionTimeout, "25P04": .transactionTimeout,
        "53000": .outOfResources, "53100": .outOfResources, "53200": .outOfResources,
        "53300": .tooManyConnections, "53400": .outOfResources, "58000": .outOfResources,
        "58030": .outOfResources, "25006": .readOnly, "28000": .wrongCredentials,
        "28P01": .wrongCredentials, "3D000": .unknownDatabase, "42501": .missingPrivilege,
        "42P01": .changedTables, "42703": .changedTables, "42804": .changedTables,
        "3F000": .changedTables, "55P03": .lockTimeout, "40001": .contention, "40P01": .contention,
    ]

    /// If a server refuses a connection, libpq does not report the code. This property then
    /// searches the server's message. The first match counts.
    private static let refusals: [(words: String, failure: ServerFailure)] = [
        ("the database system is ", .restarting),
        ("terminating connection", .restarting),
        ("too many clients", .tooManyConnections),
        ("too many connections", .tooManyConnections),
        ("connection slots are reserved", .tooManyConnections),
        ("no more connections allowed", .tooManyConnections),
        ("password authentication failed", .wrongCredentials),
        ("no password supplied", .wrongCredentials),
        ("authentication failed for user", .wrongCredentials),
        ("is not permitted to log in", .wrongCredentials),
        (", SSL encryption", .wrongCredentials),
        ("no encryption", .encryption),
        ("no pg_hba.conf entry", .wrongCredentials),
        ("SSL", .encryption),
        ("certificate", .encryption),
        ("permission denied for database", .missingPrivilege),
        ("session is read-only", .readOnly),
        ("session is not read-only", .other),
        ("server is in hot standby mode", .readOnly),
    ]

    private var failureOfConnecting: ServerFailure {
        if let (_, failure) = Self.refusals.first(where: { message.contains($0.words) }) {
            return failure
        }
        guard message.contains("FATAL:") else { return .unreachable }
        guard message.contains("does not exist") else { return .other }
        return message.contains("role \"") ? .wrongCredentials : .unknownDatabase
    }

    /// Whether a table changed after the server prepared the statement. If the statement is
    /// prepared again, it may run.
    var isStalePlan: Bool {
        state == "0A000" && sourceFunction == "RevalidateCachedQuery"
    }

    /// Whether a new connection may succeed, because this one was lost during the work, or because
    /// the server is starting up.
    var isOfLostConnection: Bool {
        guard isDisconnection else { return false }
        return switch failure {
        case .connectionLost, .restarting: true
        default: false
        }
    }

    /// The program's error if the cause is not the data that it reads or writes; nil for others.
    var storeError: StoreError? {
        if !isDisconnection, !settings.isEmpty, sql?.hasPrefix("SELECT set_config(") == true {
            return StoreError(
                code: .invalidRequest,
                message: "The server refuses the transaction settings "
                    + "\(settings.joined(separator: ", ")).",
                remedy: "See that the role exists, and that the user of the store is one of its "
                    + "members.",
                underlying: self, serverFailure: failure)
        }
        guard let failure else { return nil }
        var (code, problem, remedy) = failure.words
        if failure == .lockTimeout, sql?.hasPrefix(PostgresSetup.lock) == true {
            problem =
                "Another program has been migrating the store, or turning its history on or off, "
                + "for longer than busyTimeout"
        }
        if failure == .missingPrivilege, message.contains("temporary tables") {
            remedy =
                "Grant TEMPORARY on the database to the user: objects exchange unique "
                + "values by way of a temporary table."
        }
        // Without an error code of the server, libpq's message is more precise. A message about a
        // privilege names the object; a message about a table names the missing one.
        let tellsMore = state.isEmpty || [.missingPrivilege, .changedTables].contains(failure)
        let ending = tellsMore ? ": \(sentence)" : "."
        return StoreError(
            code: code, message: problem + ending, remedy: remedy, underlying: self,
            serverFailure: failure)
    }

    /// The message, with a mark at its end.
    private var sentence: String {
        message.hasSuffix(".") || message.hasSuffix("?") ? message : "\(message)."
    }

    // MARK: Values

    /// The server's message, if it cannot contain a value of a row or of a statement.
    ///
    /// - Parameter function: The function of the server that has reported the error.
    static func withoutValues(
        _ message: String?, state: String, function: String?
    ) -> String {
        // A program of PL/pgSQL chooses the message itself, and may choose any code.
        guard function?.hasPrefix("exec_stmt_") != true else {
            return "A trigger or function of another program has refused the statement."
        }
        let kind = state.prefix(2)
        if Self.kindsWithoutValues.contains(String(kind)), let message { return message }
        return kind == "22"
            ? "A value does not fit its type, or an operation is not defined for it."
            : "The server has refused the statement."
    }

    /// Classes of codes whose messages name only tables, columns, constraints, files and limits.
    private static let kindsWithoutValues: Set<String> = [
        "08", "0A", "23", "25", "26", "28", "3D", "3F", "40", "42", "53", "54", "55", "57", "58",
        "XX",
    ]
}

extension ServerFailure {
    /// The code of the error, the problem as a sentence without its end, and the remedy.
    fileprivate var words: (code: StoreError.Code, problem: String, remedy: String) {
        switch self {
        case .unreachable:
            (
                .inaccessible, "The server cannot be reached",
                "See that the server runs, and that the URL names its host and port. Then try again."
            )
        case .restarting:
            (
                .inaccessible,
                "The server is being stopped or started, or an administrator has ended the connection",
                "Try again when the server runs."
            )
        case .connectionLost:
            (.inaccessible, "The connection to the server was lost", "Try again.")
        case .tooManyConnections:
            (
                .busy, "The server accepts no more connections",
                "Set a smaller poolSize, or raise max_connections of the server."
            )
        case .outOfResources:
            (
                .inaccessible, "The server has no disk space or memory left, or its disk failed",
                "Look into the log of the server, and make room there. Then try again."
            )
        case .readOnly:
            (
                .readOnly, "The server accepts no changes",
                "Name a server in the URL that does, for several hosts with "
                    + "target_session_attrs=read-write, or open the store with isReadOnly."
            )
        case .wrongCredentials:
            (
                .inaccessible, "The server does not accept the user or the password",
                "Correct the user and the password, and see what pg_hba.conf of the server allows."
            )
        case .encryption:
            (
                .inaccessible, "The program and the server do not agree about TLS",
                "Correct sslmode and sslrootcert in the URL, the certificate of the server, or its "
                    + "pg_hba.conf."
            )
        case .unknownDatabase:
            (
                .inaccessible, "The database does not exist",
                "Create it, or name another one in the URL."
            )
        case .missingPrivilege:
            (
                .notPermitted, "The user lacks a privilege, or a policy refuses the row",
                "Grant the privilege to the user or the role of the transaction: "
                    + "cambium sql MODEL --engine postgres --grants USER prints all of them. Or "
                    + "save a row that the policy lets pass."
            )
        case .changedTables:
            (
                .corrupt, "Another program has changed a table of the store",
                "Close the store and open it again: opening reports the differences."
            )
        case .transactionTimeout:
            (
                .busy, "The server has ended a transaction that lasted, or waited, for too long",
                "Do less in a transaction, or raise idle_in_transaction_session_timeout and "
                    + "transaction_timeout of the server."
            )
        case .statementTimeout:
            (
                .busy,
                "The server has ended a statement that took longer than statementTimeout, or than "
                    + "the server allows",
                "Ask for less at a time, or set a longer statementTimeout."
            )
        case .lockTimeout:
            (
                .busy,
                "Another transaction has locked what is to be read or written, for longer than "
                    + "busyTimeout",
                "Try again later, or set a longer busyTimeout."
            )
        case .contention:
            (
                .busy,
                "The server has rolled the transaction back, because it conflicted with "
                    + "others",
                "Try again."
            )
        case .other:
            (
                .inaccessible, "The server has refused the connection",
                "Look into the log of the server."
            )
        }
    }
}
