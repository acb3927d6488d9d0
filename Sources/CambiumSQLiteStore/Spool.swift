import CambiumEngine
import CambiumRecords
import CambiumSQL
import CambiumSQLite

/// A queue of values. A few of them are in memory. If there are more, they are in a temporary
/// database. The database is deleted with the spool.
package final class Spool<Form: SpoolForm> {
    private let form: Form
    private let sql: SpoolSQL
    private let reader: RowReader
    /// The values that were added last.
    private var waiting: [Form.Element] = []
    private var connection: Connection?
    /// The number of values in the database, and how many of them were read.
    private var stored = 0
    private var position = 0
    private let capacity: Int

    /// - Parameter capacity: The maximum number of values in memory.
    package init(_ form: Form, capacity: Int = 4096) {
        self.form = form
        self.capacity = capacity
        let slots = form.shape.kinds.indices
        sql = SpoolSQL(slotCount: slots.count)
        reader = RowReader(
            shape: form.shape, columns: slots.map { $0 + 1 }, columnNames: slots.map { "c\($0)" })
    }

    /// The number of values that were not read yet.
    package var count: Int { stored - position + waiting.count }

    /// Adds a value. Call it before the first value is read.
    package func append(_ element: Form.Element) throws {
        waiting.append(element)
        if waiting.count >= capacity { try flush() }
    }

    /// Returns the next values, up to a limit; empty at the end.
    package func next(_ limit: Int) throws -> [Form.Element] {
        guard let connection, position < stored else {
            let next = Array(waiting.prefix(limit))
            waiting.removeFirst(next.count)
            return next
        }
        let end = min(stored, position + limit)
        let statement = try connection.statement(sql.read)
        defer { statement.reset() }
        try statement.bind([.integer(Int64(position)), .integer(Int64(end))])
        let writer = RecordWriter()
        var elements: [Form.Element] = []
        while try statement.step() {
            let placed = try reader.read(
                statement.row, key: statement.integer(at: 0), version: 0, into: writer)
            try withExtendedLifetime(placed) {
                elements.append(try form.element(of: placed.record, by: writer))
            }
        }
        position = end
        return elements
    }

    private func flush() throws {
        let connection = try self.connection ?? makeConnection()
        self.connection = connection
        let writer = RecordWriter()
        let records = try waiting.enumerated().map { index, element in
            let placed = try form.record(of: element, by: writer)
            placed.record.key = Int64(stored + index)
            return placed
        }
        try withExtendedLifetime(records) {
            _ = try connection.runPending(
                sql.append, over: records.map(\.record), shape: form.shape)
        }
        stored += waiting.count
        waiting = []
    }

    private func makeConnection() throws -> Connection {
        // A database without a name is a temporary file of SQLite.
        let connection = try Connection(path: "")
        try connection.execute(sql.create)
        return connection
    }
}
