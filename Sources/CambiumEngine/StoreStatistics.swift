import CambiumModel
import CambiumRecords

/// The content of a store and its size on disk.
package struct StoreStatistics: Sendable {
    /// The engine with its version, such as `SQLite 3.45.1`.
    package let engine: String
    /// The size in bytes: files with logs, or tables with indexes.
    package let bytes: Int
    /// The bytes in a log that is not yet written into the file; nil if there is no log.
    package var logBytes: Int?
    /// The tables of objects, in the order of the model.
    package let tables: [TableSize]
    /// The history; nil if the store has none.
    package let history: HistorySize?
    /// The large values beside the rows; nil if no attribute has any.
    package let external: ExternalSize?
    /// The oldest open transaction; nil if the engine cannot tell.
    package var oldestTransaction: OldestTransaction?

    package init(
        engine: String, bytes: Int, tables: [TableSize], history: HistorySize?,
        external: ExternalSize?
    ) {
        self.engine = engine
        self.bytes = bytes
        self.tables = tables
        self.history = history
        self.external = external
    }

    /// The table of a root entity and its sub-entities.
    package struct TableSize: Sendable {
        package let entity: String
        /// The number of rows. For a large table of a server it is an estimate.
        package let rows: Int
        package let isEstimate: Bool
        /// The number of rows by the name of the entity, without entities that have none. Empty if
        /// it is not known.
        package let rowsByEntity: [String: Int]
        /// The size with indexes and the pairs of its relationships; nil if the engine cannot tell.
        package let bytes: Int?

        package init(
            entity: String, rows: Int, isEstimate: Bool = false, rowsByEntity: [String: Int],
            bytes: Int?
        ) {
            self.entity = entity
            self.rows = rows
            self.isEstimate = isEstimate
            self.rowsByEntity = rowsByEntity
            self.bytes = bytes
        }
    }

    package struct HistorySize: Sendable {
        /// The recorded part of a change: `properties` or `values`.
        package let content: String
        package let transactions: Int
        package let bytes: Int?
        package let oldest: Date?
        package let newest: Date?
        /// Whether the history contains the writes of other programs.
        package let recordsOthers: Bool

        package init(
            content: String, transactions: Int, bytes: Int?, oldest: Date?, newest: Date?,
            recordsOthers: Bool
        ) {
            self.content = content
            self.transactions = transactions
            self.bytes = bytes
            self.oldest = oldest
            self.newest = newest
            self.recordsOthers = recordsOthers
        }
    }

    package struct ExternalSize: Sendable {
        package let count: Int
        package let bytes: Int

        package init(count: Int, bytes: Int) {
            self.count = count
            self.bytes = bytes
        }
    }

    /// The oldest transaction on a server that keeps old versions of rows from being removed.
    package struct OldestTransaction: Sendable {
        package let seconds: Int
        /// The name of the program in the server's list of connections.
        package let program: String

        package init(seconds: Int, program: String) {
            self.seconds = seconds
            self.program = program
        }
    }
}
