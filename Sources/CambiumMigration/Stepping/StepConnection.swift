import CambiumModel
import CambiumSQL
import CambiumSQLite
import Synchronization

/// What a step of the program reads and writes a store with, in the transaction of its migration.
package protocol StepConnection: AnyObject {
    /// Large values that rows reference; nil where there are none.
    var largeValues: LargeValues? { get }

    /// Whether the store has a table now, of the old version or of those that the migration makes.
    func hasTable(_ name: String) -> Bool

    /// Runs a statement to its end.
    func rows(_ statement: StepStatement, _ values: [StoredValue]) throws -> [[StoredValue]]

    /// Whether a column has room for a value.
    func keeps(_ value: StoredValue, in column: String, of table: String) -> Bool

    /// What a migration ends with that was cancelled, or whose connection was lost; nil where an error
    /// is the step's own.
    func ending(_ error: any Error) -> (any Error)?
}

extension StepConnection {
    func rows(_ statement: StepStatement) throws -> [[StoredValue]] { try rows(statement, []) }

    /// The number that a query gives; 0 where it gives none.
    func number(_ statement: StepStatement) throws -> Int {
        Int(try rows(statement).first?.first?.integer ?? 0)
    }
}

/// The large values that the rows of a step reference. A row cannot throw: what cannot be read is
/// remembered, and the step fails at its end.
package final class LargeValues: Sendable {
    private let read: @Sendable (_ name: String) throws -> Data?
    private let firstFailure = Mutex<(any Error)?>(nil)

    /// - Parameter read: Reads the value of a name; answers nil where it is missing.
    package init(_ read: @escaping @Sendable (_ name: String) throws -> Data?) {
        self.read = read
    }

    /// What could not be read, although it is there.
    var failure: (any Error)? { firstFailure.withLock { $0 } }

    /// The value of a name; nil where it is missing.
    func value(_ name: String) -> Data? {
        do {
            return try read(name)
        } catch {
            firstFailure.withLock { $0 = $0 ?? error }
            return nil
        }
    }
}

/// A store in SQLite, for a step.
final class SQLiteStepConnection: StepConnection {
    private let connection: Connection
    private let meter: MigrationMeter
    private let tables: Set<String>
    let largeValues: LargeValues?

    /// - Parameter files: The files of large values.
    init(
        _ connection: Connection, files: ExternalFiles?, _ meter: MigrationMeter
    ) throws(SQLiteError) {
        self.connection = connection
        self.meter = meter
        largeValues = files.map { files in
            LargeValues { name in
                do throws(FileError) {
                    return try files.read(name)
                } catch {
                    if error.isMissing { return nil }
                    throw error
                }
            }
        }
        let names = try connection.rows(Self.tableNames)
        tables = Set(names.compactMap { $0.first?.text })
    }

    /// The names of all tables.
    private static let tableNames =
        "SELECT \"name\" FROM \"sqlite_schema\" WHERE \"type\" = 'table'"

    func hasTable(_ name: String) -> Bool { tables.contains(name) }

    func rows(_ statement: StepStatement, _ values: [StoredValue]) throws -> [[StoredValue]] {
        try connection.rows(statement.sqliteText, values)
    }

    func keeps(_ value: StoredValue, in column: String, of table: String) -> Bool { true }

    func ending(_ error: any Error) -> (any Error)? {
        guard let error = error as? SQLiteError, meter.isCancellation(error) else { return nil }
        return MigrationError.cancelled
    }
}
