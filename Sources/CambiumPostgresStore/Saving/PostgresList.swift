import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL

/// The table and columns of the order of a to-many relationship.
struct PostgresList {
    let table: String
    let owner: String
    let member: String
    let position: String

    init?(_ relationship: RelationshipDescription, _ layout: PostgresLayout) {
        let model = layout.model.model
        guard
            let entity = layout.model.owner(of: relationship),
            let position = model.positionColumn(
                of: relationship.relationship, of: entity.entity)
        else { return nil }
        self.position = PostgresName.identifier(position)
        switch model.storage(of: relationship.relationship, of: entity.entity) {
        case .inverseKey(let column):
            guard let destination = model.entity(named: relationship.relationship.destination)
            else { return nil }
            table = layout.table(of: destination)
            owner = PostgresName.identifier(column)
            member = "\"_id\""
        case .joinTable(let name, let source, let destination):
            table = layout.qualified(name)
            owner = PostgresName.identifier(source)
            member = PostgresName.identifier(destination)
        case .key, .transient: return nil
        }
    }

    // MARK: Statements

    /// The statement that reads the lists that are to be ordered.
    func read(_ order: SaveRequest.Order) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT m.\(owner), m.\(member), m.\(position) FROM \(table) AS m \
            WHERE m.\(owner) = ANY($1) ORDER BY 1, 3 NULLS LAST, 2
            """, PendingArrays(keys: order.lists.map(\.owner)).parameters)
    }

    /// The statements that order lists.
    ///
    /// - Parameters:
    ///   - rows: The current members of the lists.
    ///   - recorder: Records the changes in the history, if the store has one.
    func write(
        _ order: SaveRequest.Order, _ rows: PostgresRows, _ recorder: PostgresRecorder?
    ) -> [PostgresStatement] {
        var statements: [PostgresStatement] = []
        var members: [Int64: [(key: Int64, place: Int64?)]] = [:]
        for row in 0..<rows.count {
            members[rows.integer(row, 0), default: []].append(
                (rows.integer(row, 1), rows.isNull(row, 2) ? nil : rows.integer(row, 2)))
        }
        var places: [(owner: Int64, member: Int64, place: Int64)] = []
        for changed in order.lists {
            let known = members[changed.owner] ?? []
            let newcomers = Set(changed.order.appended)
            let present = Set(known.map(\.key))
            let stored = known.filter { $0.place != nil || !newcomers.contains($0.key) }
            let wanted = changed.order.applied(to: stored.map(\.key)).filter(present.contains)
            let former = Dictionary(
                known.compactMap { member in member.place.map { (member.key, $0) } },
                uniquingKeysWith: { one, _ in one })
            places += ListPlaces.changes(for: wanted, from: former)
                .map { (changed.owner, $0.member, $0.place) }
        }
        guard !places.isEmpty else { return [] }
        if let recorder {
            let owner = recorder.layout.model.entities[order.ownerRoot]
            statements.append(
                recorder.ordering(Set(places.map(\.owner)), order.relationship, of: owner))
        }
        statements.append(write(places))
        return statements
    }

    /// The statement that gives members their positions.
    func write(_ places: [(owner: Int64, member: Int64, place: Int64)]) -> PostgresStatement {
        var parameters = PostgresParameters()
        parameters.appendArray(of: places.map(\.owner))
        parameters.appendArray(of: places.map(\.member))
        parameters.appendArray(of: places.map(\.place))
        return PostgresStatement(
            """
            UPDATE \(table) AS m SET \(position) = p.place \
            FROM unnest($1, $2, $3) AS p("owner", member, place) \
            WHERE m.\(owner) = p."owner" AND m.\(member) = p.member
            """, parameters)
    }
}
