import CambiumModel
import CambiumSQL
import CambiumSQLite

/// Finds links that lead nowhere: an optional one becomes nil, and a row that requires one is
/// refused.
struct KeyRepair {
    private let model: Model
    private let connection: Connection
    private var maps: EntityMaps
    private(set) var refused: [AdoptionReport.RefusedRow] = []
    private(set) var lost: [AdoptionReport.LostLink] = []

    init(_ model: Model, _ connection: Connection) {
        self.model = model
        self.connection = connection
        maps = EntityMaps(model, connection)
    }

    mutating func run(over objects: [CoreDataLayout.ObjectSource]) throws(SQLiteError) {
        let checks = objects.flatMap(\.keys).filter { $0.column != nil }.compactMap {
            key -> (sql: KeyCheckSQL, isOneToOne: Bool)? in
            guard let sql = KeyCheckSQL(key.relationship, of: key.entity, in: model) else {
                return nil
            }
            let inverse = model.inverse(of: key.relationship)?.relationship
            return (sql, inverse.map { !$0.isToMany } ?? false)
        }
        let inverses = objects.flatMap(\.keys).compactMap {
            RequiredInverseSQL($0.relationship, of: $0.entity, in: model)
        }
        var isFirst = true
        var rows = -1
        // What was refused may be what other rows lead to.
        while rows != refused.count {
            rows = refused.count
            for check in checks {
                if isFirst, check.isOneToOne {
                    try take(
                        check.sql.rivals, check.sql,
                        reason: "another object leads there, and only one may")
                }
                guard try hasFaults(check.sql) else { continue }
                try take(
                    check.sql.dangling, check.sql,
                    reason: "there is no object of that key in the store")
                if let statement = check.sql.setEntities { try connection.execute(statement) }
            }
            for inverse in inverses where try connection.number(inverse.hasFaults) != 0 {
                try refuse(inverse)
            }
            isFirst = false
        }
    }

    private mutating func refuse(_ inverse: RequiredInverseSQL) throws(SQLiteError) {
        for row in try connection.rows(inverse.missing) {
            guard case .integer(let key) = row[0], case .text(let entity) = row[1] else { continue }
            _ = try connection.rows(inverse.remove, [.integer(key)])
            maps.forget()
            refused.append(
                .init(
                    entity: entity, id: key, property: inverse.relationship.name,
                    reason: "a link is required; the store has no \(inverse.owner.name) that it "
                        + "leads to and that leads back"))
        }
    }

    private mutating func hasFaults(_ check: KeyCheckSQL) throws(SQLiteError) -> Bool {
        if let query = check.hasFaultsByMap, let map = try maps.map(of: check.destinationRoot) {
            return try connection.rows(query, [.blob(map)]).first?.first != .integer(0)
        }
        return try connection.number(check.hasFaults) != 0
    }

    private mutating func take(
        _ query: String, _ sql: KeyCheckSQL, reason: String
    ) throws(SQLiteError) {
        let name = sql.relationship.name
        for row in try connection.rows(query) {
            guard case .integer(let key) = row[0], case .text(let entity) = row[1],
                case .integer(let target) = row[2]
            else { continue }
            if sql.relationship.isOptional {
                _ = try connection.rows(sql.clear, [.integer(key)])
                lost.append(
                    .init(
                        entity: entity, id: key, relationship: name, target: target,
                        reason: reason))
            } else {
                _ = try connection.rows(sql.remove, [.integer(key)])
                maps.forget()
                refused.append(
                    .init(
                        entity: entity, id: key, property: name,
                        reason: "a link is required; \(reason) (\(target))"))
            }
        }
    }
}
