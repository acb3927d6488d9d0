/// The statements of a table of records that wait to be written, in a database of its own: the key
/// and the slots, without types.
struct SpoolSQL: Sendable {
    /// How many slots the records have.
    let slotCount: Int

    private var columns: String { (0..<slotCount).map { "c\($0)" }.joined(separator: ", ") }

    /// What makes the table. Nobody wants it back after a failure.
    var create: String {
        """
        PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; \
        CREATE TABLE "rows" ("_id" INTEGER PRIMARY KEY, \(columns))
        """
    }

    /// Appends the records of `pending`.
    var append: String {
        "INSERT INTO \"rows\" (\"_id\", \(columns)) SELECT key, \(columns) FROM pending"
    }

    /// Reads the records whose keys lie from parameter 1 up to, and not with, parameter 2.
    var read: String {
        "SELECT \"_id\", \(columns) FROM \"rows\" WHERE \"_id\" >= ? AND \"_id\" < ? "
            + "ORDER BY \"_id\""
    }
}
