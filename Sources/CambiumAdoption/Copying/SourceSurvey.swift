import CambiumModel
import CambiumSQL
import CambiumSQLite

/// Counts what a store holds, for a plan; the copy counts by itself.
struct SourceSurvey {
    private let layout: CoreDataLayout
    private let store: CoreDataStore
    private let connection: Connection
    private(set) var entityCounts: [AdoptionReport.EntityCount] = []
    private(set) var relationshipCounts: [AdoptionReport.RelationshipCount] = []
    private(set) var leftOut: [AdoptionReport.LeftOut] = []

    init(_ layout: CoreDataLayout, _ store: CoreDataStore, _ connection: Connection) {
        self.layout = layout
        self.store = store
        self.connection = connection
    }

    mutating func count() throws(SQLiteError) {
        var links = LinkCounts(layout.model)
        let schema = Schema(of: layout.model)
        for object in layout.objects {
            guard let table = schema.table(named: object.root.name) else { continue }
            let counts = try SourceCounts(
                object, connection.rows(ObjectAdoptionSQL(object, in: layout, to: table).counts))
            for (entity, count) in counts.entities {
                entityCounts.append(
                    .init(entity: entity, read: count, written: count, refused: 0))
            }
            for (key, count) in zip(object.keys, counts.keys) {
                links.read(count, of: key.relationship, key.entity)
                links.wrote(count, of: key.relationship, key.entity)
            }
        }
        for link in layout.links {
            guard let sql = LinkAdoptionSQL(link, in: layout.model) else { continue }
            let count = try connection.number(sql.count)
            links.read(count, of: link.relationship, link.entity)
            links.wrote(count, of: link.relationship, link.entity)
        }
        relationshipCounts = links.counts
        leftOut = try LeftOutParts(layout, store, connection).all()
    }
}

/// How many rows and keys a table of Core Data's has.
struct SourceCounts {
    /// How many rows there are.
    let rows: Int
    /// The least and the greatest key.
    let (first, last): (Int64, Int64)
    /// How many there are of each entity.
    let entities: [(entity: String, count: Int)]
    /// How many have a key, for each to-one.
    let keys: [Int]

    /// Reads the row of ``ObjectAdoptionSQL/counts``, or its beginning.
    init(_ object: CoreDataLayout.ObjectSource, _ rows: [[StoredValue]]) {
        let numbers = (rows.first ?? []).map { value -> Int64 in
            if case .integer(let number) = value { number } else { 0 }
        }
        func number(_ index: Int) -> Int64 { index < numbers.count ? numbers[index] : 0 }
        self.rows = Int(number(0))
        (first, last) = (number(1), number(2))
        entities = object.entities.enumerated().map { index, pair in
            (pair.entity.name, Int(number(3 + index)))
        }
        let start = 3 + object.entities.count
        keys = object.keys.indices.map { Int(number(start + $0)) }
    }
}

extension Connection {
    /// The one number that a query gives.
    func number(_ sql: String) throws(SQLiteError) -> Int {
        if case .integer(let number)? = try rows(sql).first?.first { Int(number) } else { 0 }
    }
}
