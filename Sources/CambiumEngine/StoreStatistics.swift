import CambiumModel
import CambiumRecords

/// What a store holds, and how much room that takes.
package struct StoreStatistics: Sendable {
    /// The engine with its version, such as `SQLite 3.45.1`.
    package let engine: String
    /// How many bytes all of it has: files with logs, or tables with indexes.
    package let bytes: Int
    /// How many of those are in a log that is not yet written into the file; nil where there is none.
    package var logBytes: Int?
    /// The tables of objects, in the order of the model.
    package let tables: [TableSize]
    /// Nil where the store has no history.
    package let history: HistorySize?
    /// Large values beside the rows; nil where no attribute has any.
    package let external: ExternalSize?
    /// Nil where the engine cannot tell.
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
        /// How many rows there are, and of which entity; of one that is large on a server an estimate
        /// of all.
        package let rows: Int
        package let isEstimate: Bool
        /// By the name of the entity, without those that have none; empty where that is not known.
        package let rowsByEntity: [String: Int]
        /// With indexes and the pairs of its relationships; nil where the engine cannot tell.
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
        /// What is kept of a change: `properties` or `values`.
        package let content: String
        package let transactions: Int
        package let bytes: Int?
        package let oldest: Date?
        package let newest: Date?
        /// Whether what other programs write is in it.
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
        /// What the server's lists call the program.
        package let program: String

        package init(seconds: Int, program: String) {
            self.seconds = seconds
            self.program = program
        }
    }
}
