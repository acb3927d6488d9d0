/// The reason why a server did not execute a request of a store: ``StoreError/serverFailure``.
///
/// ## Topics
///
/// ### Connections
///
/// - ``unreachable``
/// - ``connectionLost``
/// - ``restarting``
/// - ``tooManyConnections``
/// - ``encryption``
///
/// ### Users and databases
///
/// - ``wrongCredentials``
/// - ``unknownDatabase``
/// - ``missingPrivilege``
///
/// ### Transactions
///
/// - ``contention``
/// - ``lockTimeout``
/// - ``statementTimeout``
/// - ``transactionTimeout``
///
/// ### Database
///
/// - ``readOnly``
/// - ``outOfResources``
/// - ``changedTables``
///
/// ### Other failures
///
/// - ``other``
public enum ServerFailure: Sendable, Hashable, CaseIterable {
    /// No server answers: it is stopped, or its host cannot be reached.
    case unreachable
    /// The server is being stopped or started, or an administrator has ended the connection.
    case restarting
    /// The connection ended in the middle of the work, for an unknown reason.
    case connectionLost
    /// The server, the database or the user has as many connections as it may have.
    case tooManyConnections
    /// The server has no disk space or no memory left, or its disk failed.
    case outOfResources
    /// The server accepts no changes: it is a standby, or `default_transaction_read_only` is on.
    case readOnly
    /// The server does not accept the user, the password or the certificate of the program.
    case wrongCredentials
    /// The program and the server do not agree about TLS.
    case encryption
    /// The database does not exist.
    case unknownDatabase
    /// The user lacks a privilege.
    case missingPrivilege
    /// Another program has changed a table of the store while it was open.
    case changedTables
    /// The server ended a transaction that lasted, or waited for the program, for too long.
    case transactionTimeout
    /// The server ended a statement that took too long.
    case statementTimeout
    /// Another transaction had locked the rows for too long.
    case lockTimeout
    /// The server rolled back the transaction, because the transaction conflicted with other
    /// transactions (a serialization failure or a deadlock).
    case contention
    /// Any other refusal.
    case other
}
