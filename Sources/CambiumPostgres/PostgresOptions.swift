import CambiumEngine

/// How a program uses a PostgreSQL server.
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
/// Hosts, ports, TLS and all else that libpq knows are in the URL. How long a save waits for a lock,
/// and a connection for its server, is ``StoreOptions/busyTimeout``. Limits are set in each
/// transaction, and nothing is set outside of one, so that a pooler such as PgBouncer may stand
/// between.
public struct PostgresOptions: Sendable, Hashable {
    /// The password, where it is in no other place: the URL, `PGPASSWORD` or libpq's password file.
    /// No error and no description shows it, nor one in the URL.
    public var password: String?
    /// What the server's lists call the program. Default (nil): the name in the URL or in
    /// `PGAPPNAME`, or that of the process.
    public var applicationName: String?
    /// How many connections there are at most. Stores with the same URL and options share theirs,
    /// such as those of many tenants with a schema each. A query generation holds one as long as it
    /// is in use. Default: 10.
    public var poolSize = 10
    /// How long a fetch or a save waits where all connections are in use, before it throws
    /// ``StoreError`` with `busy`. Default: 30 seconds.
    public var poolTimeout = Duration.seconds(30)
    /// How long a connection may be unused before it is closed. Default: five minutes; nil keeps it
    /// as long as the store is open. One that was unused for 30 seconds is asked for an answer before it is used.
    public var idleLimit: Duration? = .seconds(300)
    /// How old a connection gets before it is closed, when nobody uses it. A server that was added
    /// behind a name gets its share of connections so. Default: an hour; nil for any age.
    public var connectionLifetime: Duration? = .seconds(3_600)
    /// How long a statement may take, before it throws ``StoreError`` with `busy`. Default (nil): as
    /// long as the server allows.
    public var statementTimeout: Duration?
    /// How long a save is tried again whose connection was lost before its commit: at most 20 times. It is
    /// also how long a save whose commit nobody has answered asks whether it was committed, before it
    /// throws ``StoreError`` with `commitOutcomeUnknown`. Default: 30 seconds.
    public var retryTimeout = Duration.seconds(30)
    /// How long a transaction may stay open while the program asks the server for nothing: in the
    /// closure of ``PersistentContainer/performTransaction(isolation:_:)``, in a merge policy, in what
    /// delivers the objects of a batch insertion. The server takes the transaction back then, so that a
    /// program that was stopped keeps nobody waiting. Default: five minutes; nil leaves it to the
    /// server. A query generation has a limit of its own.
    public var idleInTransactionTimeout: Duration? = .seconds(300)
    /// Whether statements are prepared under names, which makes those that run often faster. A pooler
    /// that gives a connection to another program after each transaction may not know the names:
    /// PgBouncer before version 1.21 does not. Default: true.
    public var preparesStatements = true
    /// Whether triggers on the server record the writes of other programs, in the history of a store that
    /// has one (``StoreOptions/history``). Default (nil): as the store has it; a new store has none.
    ///
    /// The triggers belong to the store, as its history does. Only the owner of the tables can make or
    /// remove them, by opening the store for writing. Each statement of another program that writes a
    /// recorded table then writes to the history, too. Saves do that themselves, with or without them.
    public var historyTriggers: Bool?

    /// The defaults.
    public init() {}
}

extension PostgresOptions: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// Without the password.
    public var description: String {
        "pool of \(poolSize), \(preparesStatements ? "prepared" : "unprepared") statements"
    }

    /// The same.
    public var debugDescription: String { description }

    /// Nothing, so that no log shows the password.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
