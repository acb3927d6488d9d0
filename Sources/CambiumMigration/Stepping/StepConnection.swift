import CambiumModel
import CambiumSQL
import CambiumSQLite
import Synchronization

/// The access of a custom step to a store, in the transaction of its migration.
package protocol StepConnection: AnyObject {
    /// The large values that rows reference; nil if there are none.
    var largeValues: LargeValues? { get }

    /// Returns whether the store has a table now. It may belong to the old version, or be created
    /// by the migration.
    func hasTable(_ name: String) -> Bool

    /// Runs a statement to its end.
    func rows(_ statement: StepStatement, _ values: [StoredValue]) throws -> [[StoredValue]]

    /// Returns whether a column can store a value.
    func keeps(_ value: StoredValue, in column: String, of table: String) -> Bool

    /// Returns the error of the migration if it was cancelled, or if its connection was lost; nil
    /// if the error is the step's own.
    func ending(_ error: any Error) -> (any Error)?
}

extension StepConnection {
    func rows(_ statement: StepStatement) throws -> [[StoredValue]] { try rows(statement, []) }

    /// Returns the number that a query finds, or 0 if it finds none.
    func number(_ statement: StepStatement) throws -> Int {
        Int(try rows(statement).first?.first?.integer ?? 0)
    }
}

/// The large values that the rows of a step reference. A row cannot throw. Therefore an error is
/// kept here, and the step fails at its end.
package final class LargeValues: Sendable {
    private let read: @Sendable (_ name: String) throws -> Data?
    private let firstFailure = Mutex<(any Error)?>(nil)

    /// - Parameter read: Reads the value with a name; returns nil if it does not exist.
    package init(_ read: @escaping @Sendable (_ name: String) throws -> Data?) {
        self.read = read
    }

    /// The error of the first existing value that could not be read.
    var failure: (any Error)? { firstFailure.withLock { $0 } }

    /// Returns the value with a name; nil if it does not exist or cannot be read.
    func value(_ name: String) -> Data? {
        do {
            return try read(name)
        } catch {
            firstFailure.withLock { $0 = $0 ?? error }
            return nil
        }
    }
}

/// The access of a custom step to an SQLite store.
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
