import CambiumModel
import CambiumPostgresSQL
import CambiumRecords

extension PostgresCommits {
    /// The time in seconds for which ids are kept. It is longer than any save is repeated.
    private static let age = 86_400
    /// The age from which an answer about an id is not reliable: the id may be removed at any time.
    private static let greatestAgeOfAnswers = 82_800
    private static let removedAtOnce = 10_000

    /// A new id: of version 7, so that ids sort by their time.
    ///
    /// - Throws: An error if no random numbers are available.
    static func newID() throws -> UUID {
        var id = try UUID.random().uuid
        let milliseconds = UInt64(max(0, Date().timeIntervalSince1970) * 1_000)
        withUnsafeMutableBytes(of: &id) { bytes in
            for place in 0..<6 {
                bytes[place] = UInt8(truncatingIfNeeded: milliseconds >> (40 - 8 * UInt64(place)))
            }
            bytes[6] = 0x70 | bytes[6] & 0x0f
        }
        return UUID(uuid: id)
    }

    /// Notes the id of a save, in its transaction.
    func insertion(of id: UUID) -> PostgresStatement {
        PostgresStatement("INSERT INTO \(table) (\"id\") VALUES ($1)", parameters(id))
    }

    /// Queries the outcome of a save, in a transaction of its own: whether it was committed; no row
    /// if the id is too old.
    ///
    /// - Parameter isRecent: Whether the id is certainly not too old.
    func questions(about id: UUID, isRecent: Bool) -> [PostgresStatement] {
        let condition = isRecent ? "" : " WHERE $1 > \(Self.id(before: Self.greatestAgeOfAnswers))"
        return [
            PostgresStatement(
                """
                INSERT INTO \(table) ("id", "isCommitted") SELECT $1, false\(condition) \
                ON CONFLICT ("id") DO NOTHING
                """, parameters(id)),
            PostgresStatement(
                "SELECT \"isCommitted\" FROM \(table) WHERE \"id\" = $1", parameters(id)),
        ]
    }

    /// Removes some of the ids that are too old.
    var removal: PostgresStatement {
        PostgresStatement(
            """
            DELETE FROM \(table) WHERE "id" IN (SELECT "id" FROM \(table) \
            WHERE "id" < \(Self.id(before: Self.age)) \
            AND "written" < now() - interval '\(Self.age) s' \
            ORDER BY "id" LIMIT \(Self.removedAtOnce) FOR UPDATE SKIP LOCKED)
            """)
    }

    /// The least id from this number of seconds ago, by the server's clock.
    private static func id(before seconds: Int) -> String {
        """
        (lpad(to_hex(((extract(epoch FROM now()) - \(seconds)) * 1000)::bigint), 12, '0') \
        || repeat('0', 20))::uuid
        """
    }

    private func parameters(_ id: UUID) -> PostgresParameters {
        var parameters = PostgresParameters()
        let bytes = withUnsafeBytes(of: id.uuid) { Data($0) }
        parameters.append(.blob(bytes), as: .uuid)
        return parameters
    }
}
