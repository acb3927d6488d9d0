import CambiumRecords
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
        var members: [Int64: [LinkSet.Member]] = [:]
        try connection.query(sql, over: owners.sorted()) { statement in
            let entity = destination.hasEntityColumn ? model[statement.text(at: 2)] : destination
            members[statement.integer(at: 0), default: []].append(
                LinkSet.Member(
                    key: statement.integer(at: 1), entity: (entity ?? destination).index))
        }
        return members
    }
}
