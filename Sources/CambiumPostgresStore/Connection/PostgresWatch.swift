import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import Synchronization

/// Notifies a program of the statements that run for its store.
final class PostgresWatch: Sendable {
    private let hook: StatementHook
    private let settings: PostgresSettings
    private let trips = Atomic<Int>(0)
    /// The connection for query plans. The connection of the statement itself may be in a
    /// transaction.
    private let planning = Mutex<PostgresPool.Loan?>(nil)

    init(_ hook: StatementHook, _ settings: PostgresSettings) {
        self.hook = hook
        self.settings = settings
    }

    /// The number of a round trip that begins.
    func nextTrip() -> Int { trips.add(1, ordering: .relaxed).newValue }

    /// Reports the statements that have run, when the connection is no longer waiting.
    func notify(_ trip: WatchedTrip) {
        for (statement, duration, rowCount) in trip.finished {
            let source = PlanSource(
                watch: self, statement: statement, settings: trip.settings)
            hook.receive(
                WatchedStatement(
                    sql: statement.sql,
                    sqlWithValues: hook.includesValues ? statement.textWithValues : nil,
                    duration: duration, rowCount: rowCount, roundTrip: trip.number
                ) { source.plan() })
            source.watch = nil
        }
    }

    /// Returns the plan while the hook runs.
    private final class PlanSource {
        var watch: PostgresWatch?
        private let statement: PostgresStatement
        private let settings: TransactionSettings

        init(watch: PostgresWatch, statement: PostgresStatement, settings: TransactionSettings) {
            self.watch = watch
            self.statement = statement
            self.settings = settings
        }

        func plan() -> [String] { watch?.plan(of: statement, with: settings) ?? [] }
    }

    private static let planned = ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH"]

    private func plan(
        of statement: PostgresStatement, with settings: TransactionSettings
    ) -> [String] {
        guard Self.planned.contains(where: { statement.sql.hasPrefix($0) }) else { return [] }
        return planning.withLock { loan in
            do {
                let connection = try loan?.connection ?? connect()
                loan = connection.isUsable ? PostgresPool.Loan(connection: connection) : nil
                connection.setup.settings = settings
                let rows = try connection.run([
                    PostgresConnection.begin(isReadOnly: true),
                    PostgresStatement("EXPLAIN \(statement.sql)", statement.parameters),
                ])[1]
                defer { _ = try? connection.run("ROLLBACK") }
                return (0..<rows.count).map { rows.text($0, 0) }
            } catch {
                // A table of the transaction alone has no plan elsewhere.
                _ = try? loan?.connection.run("ROLLBACK")
                return []
            }
        }
    }

    private func connect() throws -> PostgresConnection {
        // The transaction itself may hold a lock that the plan would wait for.
        try PostgresConnection(settings, PostgresSetup(lockTimeout: .seconds(1)))
    }
}

/// Statements that were sent to the server together.
final class WatchedTrip {
    let number: Int
    let settings: TransactionSettings
    private let statements: [PostgresStatement]
    private var last = ContinuousClock.now
    private(set) var finished: [(statement: PostgresStatement, duration: Duration, rowCount: Int)] =
        []

    init(_ statements: [PostgresStatement], _ settings: TransactionSettings, number: Int) {
        self.statements = statements
        self.settings = settings
        self.number = number
    }

    /// Notes that the next of them has ended.
    func ended(rowCount: Int) {
        guard finished.count < statements.count else { return }
        let now = ContinuousClock.now
        finished.append((statements[finished.count], now - last, rowCount))
        last = now
    }
}

extension PostgresStatement {
    /// The text with the values in it, without lists of values: the values of saved rows are in
    /// such lists.
    var textWithValues: String {
        var text = ""
        var quote: Character?
        var rest = sql[...]
        while let character = rest.popFirst() {
            text.append(character)
            if let open = quote {
                if character == open { quote = nil }
            } else if character == "'" || character == "\"" {
                quote = character
            } else if character == "$" {
                let digits = rest.prefix { $0.isASCII && $0.isNumber }
                guard let number = Int(digits), number > 0, number <= parameters.count else {
                    continue
                }
                text.removeLast()
                text += parameters.text(number - 1)
                rest = rest.dropFirst(digits.count)
            }
        }
        return text
    }
}

extension PostgresParameters {
    /// A value as SQL writes it.
    fileprivate func text(_ index: Int) -> String {
        guard let place = places[index] else { return "NULL" }
        return bytes[place].withUnsafeBytes { bytes in
            guard let type = PostgresType(oid: types[index]) else {
                return "[\(bytes.count >= 16 ? bytes.number(Int32.self, at: 12) : 0) values]"
            }
            let value = type.value(of: bytes)
            if case (.timestamp, .real(let seconds)) = (type, value) {
                return "to_timestamp(\(seconds + Self.secondsFrom1970To2001))"
            }
            return type.literal(value) ?? "'\(value)'"
        }
    }

    private static let secondsFrom1970To2001 = 978_307_200.0
}

extension PostgresType {
    /// The type of a parameter; nil for an array.
    fileprivate init?(oid: UInt32) {
        let types: [PostgresType] = [
            .boolean, .smallint, .integer, .bigint, .real, .double, .anyDecimal, .text, .timestamp,
            .uuid, .bytea,
        ]
        guard let type = types.first(where: { $0.oid == oid }) else { return nil }
        self = type
    }
}
