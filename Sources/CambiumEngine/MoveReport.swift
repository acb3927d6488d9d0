/// The progress of a store's move.
public struct MoveProgress: Sendable, Hashable {
    /// The phase of a move.
    public enum Phase: String, Sendable, Hashable, CaseIterable {
        /// The values are checked, before anything is written.
        case checking
        /// The rows are copied.
        case copying
        /// Indexes are created, and links are checked.
        case indexing
        /// The new store is read, and compared with the old one.
        case comparing
    }

    /// The current phase.
    public let phase: Phase
    /// The name of the table, the index or the link.
    public let name: String
    /// The completed part of the move, from 0 to 1.
    public let fraction: Double
}

/// The result of moving a store to one of another kind.
public struct MoveReport: Sendable, Hashable {
    /// A table that was moved. Its content in both stores was compared.
    public struct Table: Sendable, Hashable {
        /// The name of the root entity, or of the table of a relationship.
        public let name: String
        /// The number of its rows.
        public let rowCount: Int
        /// A checksum of the rows, in 32 hexadecimal digits: the same in both stores.
        public let checksum: String
    }

    /// The name of the large values that stores keep apart from their rows.
    package static let largeValues = "_external"

    /// The tables, in the order of the model. The last one may be `_external`: the large values
    /// that are kept apart from the rows.
    public internal(set) var tables: [Table] = []
    /// The number of dates that were rounded to the precision of the new store: a server keeps
    /// microseconds. They are compared after that.
    public internal(set) var roundedDates = 0

    init() {}

    /// Adds a table.
    ///
    /// - Throws: ``StoreError`` if the contents of the stores differ.
    mutating func note(
        _ name: String, _ source: TableChecksum, _ written: TableChecksum
    ) throws {
        guard source == written else {
            let difference =
                source.count == written.count
                ? "the same number of rows (\(source.count)) with other values"
                : "\(written.count) rows in place of \(source.count)"
            throw StoreError(
                code: .corrupt,
                message: "The new store has \(difference) in the table \(name). Nothing was moved.",
                remedy: "Look for triggers and rules that others have added to it, and check the "
                    + "old store for values that other programs have written.")
        }
        tables.append(
            Table(name: name, rowCount: source.count, checksum: source.text))
    }
}
