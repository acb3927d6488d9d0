import CambiumModel
import CambiumSQL
import CambiumSQLite

/// Finds dangling references: an optional one becomes nil, and a row that requires one is refused.
struct KeyRepair {
    private let model: Model
    private let connection: Connection
    private var maps: EntityMaps
    private(set) var refused: [CoreDataImportReport.RefusedRow] = []
    private(set) var lost: [CoreDataImportReport.LostLink] = []

    /// The keys of the rows that were refused, by the root of their hierarchy.
    private var refusedKeys: [String: Set<Int64>]

    /// - Parameter refused: The rows that were refused before.
    init(_ model: Model, _ connection: Connection, refused: [CoreDataImportReport.RefusedRow]) {
        self.model = model
        self.connection = connection
        refusedKeys = refused.keysByRoot(in: model)
        maps = EntityMaps(model: model, connection: connection)
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
        // Other rows may reference refused ones.
        while rows != refused.count {
            rows = refused.count
            for check in checks {
                if isFirst, check.sql.isSymmetric {
                    try balance(check.sql)
                } else if isFirst, check.isOneToOne {
                    for row in try connection.rows(check.sql.duplicates) {
                        try drop(row, check.sql, reason: Self.isLinkedAlready)
                    }
                }
                guard try hasFaults(check.sql) else { continue }
                try dropDangling(check.sql)
                if let statement = check.sql.setEntities { try connection.execute(statement) }
            }
            for inverse in inverses where try connection.number(inverse.hasFaults) != 0 {
                try refuse(inverse)
            }
            isFirst = false
        }
    }

    /// Makes both sides of a one-to-one relationship that is its own inverse consistent. A side
    /// without a link gets the first object that references it.
    private mutating func balance(_ check: KeyCheckSQL) throws(SQLiteError) {
        var completed: Set<Int64> = []
        for row in try connection.rows(check.oneSided) {
            guard let key = row[0].integer, let target = row[2].integer else { continue }
            if row[3] == .null, completed.insert(target).inserted {
                _ = try connection.rows(check.set, [.integer(target), .integer(key)])
            } else {
                try drop(
                    row, check,
                    reason: row[3] == .null
                        ? Self.isLinkedAlready
                        : "the object that it references does not reference it")
            }
        }
    }

    private static let isLinkedAlready = "another object references the same one, and only one may"

    private mutating func refuse(_ inverse: RequiredInverseSQL) throws(SQLiteError) {
        for row in try connection.rows(inverse.missing) {
            guard let key = row[0].integer, let entity = row[1].text else { continue }
            _ = try connection.rows(inverse.remove, [.integer(key)])
            note(
                .init(
                    entity: entity, id: key, property: inverse.relationship.name,
                    reason: "a link is required; the store has no \(inverse.owner.name) that it "
                        + "references and that references it"))
        }
    }

    private mutating func hasFaults(_ check: KeyCheckSQL) throws(SQLiteError) -> Bool {
        if let query = check.hasFaultsByMap, let map = try maps.map(of: check.destinationRoot) {
            return try connection.rows(query, [.blob(map)]).first?.first != .integer(0)
        }
        return try connection.number(check.hasFaults) != 0
    }

    private mutating func dropDangling(_ sql: KeyCheckSQL) throws(SQLiteError) {
        let root = sql.destinationRoot.name
        for row in try connection.rows(sql.dangling) {
            var reason = "there is no object of that key in the store"
            if let target = row[2].integer, refusedKeys[root]?.contains(target) == true {
                reason = "the object of that key was refused"
            } else if let entity = try connection.rows(sql.entityOfObject, [row[2]]).first?.first?
                .text
            {
                reason =
                    "the object of that key is of \(entity), which is not a "
                    + sql.relationship.destination
            }
            try drop(row, sql, reason: reason)
        }
    }

    /// Records a row that is removed.
    private mutating func note(_ row: CoreDataImportReport.RefusedRow) {
        maps.forget()
        refused.append(row)
        for (root, keys) in [row].keysByRoot(in: model) {
            refusedKeys[root, default: []].formUnion(keys)
        }
    }

    /// Removes a link, or the row if the link is required.
    ///
    /// - Parameter row: Key, entity and target.
    private mutating func drop(
        _ row: [StoredValue], _ sql: KeyCheckSQL, reason: String
    ) throws(SQLiteError) {
        guard let key = row[0].integer, let entity = row[1].text,
            let target = row[2].integer
        else { return }
        let name = sql.relationship.name
        if sql.relationship.isOptional {
            _ = try connection.rows(sql.clear, [.integer(key)])
            lost.append(
                .init(entity: entity, id: key, relationship: name, target: target, reason: reason))
        } else {
            _ = try connection.rows(sql.remove, [.integer(key)])
            note(
                .init(
                    entity: entity, id: key, property: name,
                    reason: "a link is required; \(reason) (\(target))"))
        }
    }
}

extension [CoreDataImportReport.RefusedRow] {
    /// The keys of the rows, by the root of their hierarchy.
    func keysByRoot(in model: Model) -> [String: Set<Int64>] {
        reduce(into: [:]) { keys, row in
            guard let entity = model.entity(named: row.entity) else { return }
            keys[model.root(of: entity).name, default: []].insert(row.id)
        }
    }
}

/// Maps of hierarchies' objects, each made on first use.
struct EntityMaps {
    private let model: Model
    private let connection: Connection
    private var maps: [String: Data?] = [:]

    /// The maximum bytes of a map for each object. If the keys are too far apart, the objects are
    /// looked up instead.
    private static let roomPerObject = 16
    /// The size of a map that is worth its memory.
    private static let largest = 32 << 20

    init(model: Model, connection: Connection) {
        self.model = model
        self.connection = connection
    }

    /// Forgets the maps, as the objects have changed.
    mutating func forget() { maps = [:] }

    /// The map of a root entity; nil if it would take too much memory.
    mutating func map(of root: Entity) throws(SQLiteError) -> Data? {
        if let known = maps[root.name] { return known }
        let made = try make(root)
        maps[root.name] = .some(made)
        return made
    }

    private func make(_ root: Entity) throws(SQLiteError) -> Data? {
        let sql = EntityMapSQL(root, in: model)
        guard sql.isPossible, let row = try connection.rows(sql.extent).first,
            let count = row[0].integer, let last = row[1].integer,
            last <= Self.largest, last <= Int(count) * Self.roomPerObject
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(last))
        let statement = try connection.statement(sql.bytes)
        defer { statement.reset() }
        while try statement.step() {
            let key = Int(statement.integer(at: 0))
            if bytes.indices.contains(key - 1) {
                bytes[key - 1] = UInt8(truncatingIfNeeded: statement.integer(at: 1))
            }
        }
        return Data(bytes)
    }
}
