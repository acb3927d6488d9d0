/// The table of the ids of saves. The transaction of a save inserts a new id, so that a connection
/// can check later whether the save was committed.
///
/// To check, the connection inserts the same id. The insertion waits until the transaction of the
/// save has ended. If the id exists then, the save was committed. Otherwise the save can never be
/// committed: the inserted id prevents it, and answers later checks too.
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
