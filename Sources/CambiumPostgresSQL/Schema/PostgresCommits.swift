/// The table of the ids of saves. The transaction of a save writes a new id, so that somebody can ask
/// later whether it was committed.
///
/// Who asks inserts the same id. That waits until the transaction of the save has ended. Where the id is
/// there then, the save was committed. Otherwise the save never can be: the id of who asks stands in its
/// way, and says so to whoever asks next.
package struct PostgresCommits: Sendable {
    package static let name = "_commits"

    /// The table, with the schema.
    package let table: String

    package var statement: String {
        """
        CREATE TABLE \(table) ("id" uuid PRIMARY KEY, \
        "written" timestamptz NOT NULL DEFAULT now(), "isCommitted" boolean NOT NULL DEFAULT true)
        """
    }
}
