import CPostgres
import CambiumEngine
import CambiumModel

/// The server, the database, and the use of its connections. Stores with the same settings share
/// their connections.
package struct PostgresSettings: Sendable, Hashable {
    /// The URL, or keys and values, as libpq takes them.
    package let connectionText: String
    /// The password, if it is not in the text.
    package var password: String?
    /// The program's name in the server's lists; nil for the name of its process.
    package var applicationName: String?
    /// Whether statements are prepared under names. A pooler between may not support that.
    package var preparesStatements = true
    /// The maximum number of connections.
    package var poolSize = 10
    /// The time after which an unused connection is closed, or nil if it stays open.
    package var idleLimit: Duration?
    /// The age at which an unused connection is closed; nil for any age.
    package var connectionLifetime: Duration?

    package init(_ connectionText: String) {
        self.connectionText = connectionText
    }

    /// The options for libpq, in this order: later values take precedence, and the values of the
    /// text are in between.
    ///
    /// - Throws: ``PostgresError`` if libpq would reject the text. Its own message may show a part
    ///   of the password.
    func connectionOptions(
        _ setup: PostgresSetup
    ) throws(PostgresError) -> [(keyword: String, value: String)] {
        try check()
        var options: [(keyword: String, value: String)] = []
        if let limit = setup.lockTimeout {
            // Seconds; libpq takes no fewer than two.
            options.append(("connect_timeout", "\(max(2, (limit.milliseconds + 999) / 1_000))"))
        }
        // Without these, it would take hours, and not half a minute, to detect that a server has
        // disappeared.
        options += [
            ("keepalives_idle", "30"), ("keepalives_interval", "10"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "30000"),
        ]
        options.append(
            ("fallback_application_name", ProcessInfo.processInfo.processName))
        options.append(("dbname", connectionText))
        if let password { options.append(("password", password)) }
        if let applicationName { options.append(("application_name", applicationName)) }
        options.append(("client_encoding", "UTF8"))
        return options
    }

    private func check() throws(PostgresError) {
        let isURL = ["postgresql://", "postgres://"].contains { connectionText.hasPrefix($0) }
        guard isURL || connectionText.contains("=") else {
            // The name of a database alone, or nothing: all is in the environment.
            return
        }
        if isURL { try checkSlashes() }
        guard let options = PQconninfoParse(connectionText, nil) else {
            throw PostgresError(
                message: isURL
                    ? "The URL of the server cannot be read. In its user name and its password "
                        + "the characters % : / ? # [ ] @ are written as their codes, such as %40 "
                        + "for @; options follow a question mark, such as ?sslmode=verify-full."
                    : "The keys and values of the connection cannot be read. Each is key=value; a "
                        + "value with spaces or quotes is in single quotes.")
        }
        defer { PQconninfoFree(options) }
        var option = options
        // Safety: the list ends with one that has no keyword.
        while let keyword = option.pointee.keyword {
            if String(cString: keyword) == "host", let value = option.pointee.val {
                // The name of an abstract socket begins with an @.
                let host = String(cString: value)
                if host.dropFirst().contains("@") {
                    throw PostgresError(
                        message: "The user name or the password in the URL has the character @. "
                            + "Write it as %40.")
                }
            }
            option += 1
        }
    }

    /// libpq ends the host at the first slash. If the password has a slash, libpq takes the text
    /// before it for the port, and its error would show that text.
    private func checkSlashes() throws(PostgresError) {
        let rest = connectionText.utf8.drop { $0 != UInt8(ascii: ":") }.dropFirst(3)
            .prefix { $0 != UInt8(ascii: "?") }
        guard let slash = rest.firstIndex(of: UInt8(ascii: "/")),
            !rest[..<slash].contains(UInt8(ascii: "@")),
            rest[slash...].contains(UInt8(ascii: "@"))
        else { return }
        throw PostgresError(
            message: "In the URL of the server an @ follows a slash. In its user name and its "
                + "password write %2F for a slash, and in the name of the database %40 for an @.")
    }
}

extension PostgresSettings: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The description contains no secrets.
    package var description: String { "the settings of a PostgreSQL server" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The setup of a store's connections: the time limits and settings of each transaction, the lock
/// against migrations, and the receiver of statements.
struct PostgresSetup: Sendable {
    /// The maximum time that a transaction waits for a lock, and that a new connection waits for
    /// the server.
    var lockTimeout: Duration?
    /// The maximum time of a statement.
    var statementTimeout: Duration?
    /// The maximum time that a transaction may be open without a statement.
    var idleTimeout: Duration?
    /// The table with its schema, or nil if no store is open yet. A lock on the table prevents
    /// migrations of the store until the transaction ends.
    var metadata: String?
    /// The receiver of statements.
    var watch: PostgresWatch?
    /// Further settings at the beginning of each transaction. With settings, no statement runs
    /// outside of a transaction.
    var settings = TransactionSettings.none

    /// The statements that set the limits and the settings until the end of a transaction. No
    /// setting lasts longer: behind a pooler, another program may get the connection next.
    ///
    /// The lock comes before the first query, because the first query takes the transaction's
    /// snapshot. A transaction that waits for a migration sees its result. Only the statement for
    /// the settings is a query.
    var beginning: [PostgresStatement] {
        let limits = [
            ("lock_timeout", lockTimeout), ("statement_timeout", statementTimeout),
            ("idle_in_transaction_session_timeout", idleTimeout),
        ].compactMap { name, limit in
            limit.map { PostgresStatement("SET LOCAL \(name) = \($0.milliseconds)") }
        }
        let lock = metadata.map { PostgresStatement("\(Self.lock) \($0) IN ACCESS SHARE MODE") }
        return limits + [lock, own].compactMap { $0 }
    }

    /// The beginning of the statement that waits for migrations.
    static let lock = "LOCK TABLE"

    /// The statement that sets the settings. The values are parameters and appear in no text.
    private var own: PostgresStatement? {
        var parameters = PostgresParameters()
        let calls = settings.names.map { name in
            parameters.append(.text(settings[name] ?? ""), as: .text)
            return "set_config('\(name)', $\(parameters.count), true)"
        }
        if calls.isEmpty { return nil }
        return PostgresStatement("SELECT \(calls.joined(separator: ", "))", parameters)
    }
}

extension TransactionSettings {
    /// Checks that the server accepts the names, and that they change nothing on which a store
    /// relies.
    ///
    /// - Throws: ``StoreError`` that names a setting that is not allowed.
    func requireNames() throws {
        for name in names where name != "role" && !Self.isOfProgram(name) {
            throw StoreError.invalidRequest(
                "The transaction setting \(name.excerpt()) is not allowed.",
                remedy: "Name a setting of the program's own, such as app.tenant: letters of "
                    + "ASCII, digits and underscores, with a dot between. What begins with "
                    + "cambium. is Cambium's own. Or set role.")
        }
        for name in names where values[name]?.utf8.contains(0) == true {
            throw StoreError.invalidRequest(
                "The value of the transaction setting \(name) has a character 0.",
                remedy: "Set a value without it.")
        }
    }

    /// Whether the name is free for a setting of the program, because neither the server nor
    /// Cambium uses it.
    private static func isOfProgram(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        // The server ignores the case.
        return name.utf8.count <= 63 && parts.count > 1 && !name.lowercased().hasPrefix("cambium.")
            && parts.allSatisfy { part in
                part.first.map { !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0) } == true
                    && part.allSatisfy(isWordCharacter)
            }
    }

    fileprivate static func isWordCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// A text without the values, for errors: a policy may compute from the values, and fail with
    /// one.
    func removingValues(from text: String) -> String {
        var text = text
        // A value may be a part of another one.
        for value in values.values.sorted(by: { $0.count > $1.count }) where !value.isEmpty {
            text = text.replacingWords(value, with: "…")
        }
        return text
    }
}

extension String {
    /// Replaces a text wherever it is not a part of a longer word.
    fileprivate func replacingWords(_ word: String, with other: String) -> String {
        let (own, word) = (Array(utf8), Array(word.utf8))
        guard let first = word.first, let last = word.last else { return self }
        func isCut(_ inside: UInt8, _ index: Int) -> Bool {
            own.indices.contains(index) && TransactionSettings.isWordCharacter(inside)
                && TransactionSettings.isWordCharacter(own[index])
        }
        var result: [UInt8] = []
        var index = 0
        while index < own.count {
            let end = index + word.count
            if end <= own.count, own[index..<end].elementsEqual(word), !isCut(first, index - 1),
                !isCut(last, end)
            {
                result += other.utf8
                index = end
            } else {
                result.append(own[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

extension Duration {
    /// The duration in milliseconds, in the server's form of a limit: at least 1, because 0 means
    /// none.
    var milliseconds: Int {
        let (seconds, attoseconds) = components
        guard seconds < Int64(Int32.max) / 1_000 else { return Int(Int32.max) }
        return max(1, Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000))
    }
}
