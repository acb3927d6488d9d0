import CambiumRecords
import CambiumSQL
import CambiumSQLite

extension SQLiteEngine {
    func members(
        of owners: [Int64], _ relationship: RelationshipDescription
    ) throws -> [Int64: [LinkSet.Member]]? {
        try withReader { try members(of: owners, relationship, on: $0) }
    }

    func members(
        of owners: [Int64], _ relationship: RelationshipDescription, on connection: Connection
    ) throws -> [Int64: [LinkSet.Member]]? {
        let destination = model.entities[relationship.destination]
        guard let selection = prepared.links[relationship.identity].selection,
            let sql = prepared.selects[relationship.destination].members(selection)
        else { return nil }
        let shape = RecordShape(kinds: [])
        let writer = RecordWriter()
        let pending = owners.sorted().map { key in
            let placed = writer.makeRecord(shape)
            placed.record.key = key
            return placed
        }
        var members: [Int64: [LinkSet.Member]] = [:]
        try withExtendedLifetime(pending) {
            try connection.queryPending(sql, over: pending.map(\.record), shape: shape) {
                statement throws(SQLiteError) in
                let entity =
                    destination.hasEntityColumn ? model[statement.text(at: 2)] : destination
                members[statement.integer(at: 0), default: []].append(
                    LinkSet.Member(
                        key: statement.integer(at: 1), entity: (entity ?? destination).index))
            }
        }
        return members
    }
}
