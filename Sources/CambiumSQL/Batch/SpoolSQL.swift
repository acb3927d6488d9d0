/// The statements of a table of records that wait to be written, in a database of its own: the key
/// and the slots, without types.
package struct SpoolSQL: Sendable {
    /// How many slots the records have.
    package let slotCount: Int

    package init(slotCount: Int) {
        self.slotCount = slotCount
    }

    private var columns: String { (0..<slotCount).map { "c\($0)" }.joined(separator: ", ") }

    /// What makes the table. Nobody wants it back after a failure.
    package var create: String {
        """
        PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; \
        CREATE TABLE "rows" ("_id" INTEGER PRIMARY KEY, \(columns))
        """
    }

    /// Appends the records of `pending`.
    package var append: String {
        "INSERT INTO \"rows\" (\"_id\", \(columns)) SELECT key, \(columns) FROM pending"
    }

    /// Reads the records whose keys lie from parameter 1 up to, and not with, parameter 2.
    package var read: String {
        "SELECT \"_id\", \(columns) FROM \"rows\" WHERE \"_id\" >= ? AND \"_id\" < ? "
            + "ORDER BY \"_id\""
    }
}
