/// What a program asks of a store's connections.
package struct ConnectionSettings: Sendable {
    /// How long a statement waits for a lock that another connection holds.
    package var busyTimeoutMilliseconds: Int32 = 10_000
    /// Statements that run when a connection is opened, after our own.
    package var pragmas: [String] = []
    /// What is told of each statement.
    package var observer: StatementObserver?

    /// Whether paths that begin with `file:` are URIs, which say how a file is opened.
    package var allowsURIs = false

    /// The name of the file system that SQLite uses; nil means its own.
    package var fileSystem: String?

    /// Whether the file system of a file was mounted for reading only.
    package var isMountedReadOnly: @Sendable (_ path: String) -> Bool = {
        FilesAtRest.isMountedReadOnly($0)
    }

    package init() {}
}
