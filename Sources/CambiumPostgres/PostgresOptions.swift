import CambiumEngine

/// The options for the use of a PostgreSQL server.
///
/// ```swift
/// var options = PostgresOptions()
/// options.poolSize = 20
/// options.statementTimeout = .seconds(30)
/// let location = StoreLocation.postgres(
///     "postgresql://shop@db1,db2/shop?target_session_attrs=read-write&sslmode=verify-full",
///     options: options)
/// ```
///
/// Hosts, ports, TLS and all other settings of libpq are parts of the URL.
/// ``StoreOptions/busyTimeout`` limits how long a save waits for a lock, and a connection for its
/// server. Limits are set in each transaction, and nothing is set outside of a transaction.
/// Therefore the program can connect through a pooler such as PgBouncer.
///
/// ## Topics
///
/// ### Creating
///
/// - ``init()``
///
/// ### Access
///
/// - ``password``
/// - ``applicationName``
///
/// ### Connections
///
/// - ``poolSize``
/// - ``poolTimeout``
/// - ``idleLimit``
/// - ``connectionLifetime``
///
/// ### Time limits
///
/// - ``statementTimeout``
/// - ``idleInTransactionTimeout``
/// - ``retryTimeout``
///
/// ### Statements and triggers
///
/// - ``preparesStatements``
/// - ``historyTriggers``
public struct PostgresOptions: Sendable, Hashable {
    /// The password, if it is neither in the URL nor in `PGPASSWORD` nor in libpq's password file.
    /// No error and no description contains it, or a password in the URL.
    public var password: String?
    /// The name of the program in the server's lists. Default (nil): the name in the URL or in
    /// `PGAPPNAME`, or that of the process.
    public var applicationName: String?
    /// The maximum number of connections. Stores with the same URL and options share them, such as
    /// the stores of many tenants with a schema each. A query generation holds a connection while
    /// it is used. Default: 10.
    public var poolSize = 10
    /// The time that a fetch or a save waits if all connections are in use, before it throws
    /// ``StoreError`` with `busy`. Default: 30 seconds.
    public var poolTimeout = Duration.seconds(30)
    /// The time after which an unused connection is closed. Default: five minutes. If it is nil,
    /// connections are kept while the store is open. If a connection was unused for 30 seconds, it
    /// is tested before it is used.
    public var idleLimit: Duration? = .seconds(300)
    /// The age at which an unused connection is closed. This way, a server that was added to the
    /// hosts of a name also gets connections. Default: an hour; nil for any age.
    public var connectionLifetime: Duration? = .seconds(3_600)
    /// The maximum time of a statement, after which it throws ``StoreError`` with `busy`. Default
    /// (nil): the limit of the server.
    public var statementTimeout: Duration?
    /// The time for which a save is repeated if its connection is lost before the commit. It is
    /// repeated at most 20 times. If the connection is lost during the commit, the save tries for
    /// the same time to find out whether it was committed. It then throws ``StoreError`` with
    /// `commitOutcomeUnknown`. Default: 30 seconds.
    public var retryTimeout = Duration.seconds(30)
    /// The maximum time that a transaction may stay open while the program sends no statement: in
    /// the closure of ``PersistentContainer/performTransaction(isolation:_:)``, in a merge policy,
    /// or in the closure that returns the objects of a batch insertion. Then the server rolls the
    /// transaction back, so that other programs do not wait for a stopped one. Default: five
    /// minutes; nil for the server's own limit. A query generation has a limit of its own.
    public var idleInTransactionTimeout: Duration? = .seconds(300)
    /// Whether statements are prepared with names. Then frequent statements are faster. A pooler
    /// that gives a connection to another program after each transaction may not support the names:
    /// PgBouncer before version 1.21 does not. Default: true.
    public var preparesStatements = true
    /// Whether triggers on the server record the writes of other programs, if the store has a
    /// history (``StoreOptions/history``). Default (nil): the setting of the store; a new store has
    /// no triggers.
    ///
    /// The triggers belong to the store, like its history. Only the owner of the tables can create
    /// or remove them, by opening the store for writing. With triggers, each statement of another
    /// program that writes to a recorded table also writes to the history. Saves always record
    /// their changes themselves.
    public var historyTriggers: Bool?

    /// Creates options with the default values.
    public init() {}
}

extension PostgresOptions: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The description, without the password.
    public var description: String {
        "pool of \(poolSize), \(preparesStatements ? "prepared" : "unprepared") statements"
    }

    /// The description, without the password.
    public var debugDescription: String { description }

    /// An empty mirror, so that no log contains the password.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
