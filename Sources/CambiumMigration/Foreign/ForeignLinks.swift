import CambiumSQL
import CambiumSQLite

/// The links from tables of other programs. They need not all lead somewhere, but a migration must
/// not break any: foreign keys are off meanwhile, so that nothing is nullified or deleted with what
/// they lead to.
struct ForeignLinks {
    /// The tables, each with the number of its links that lead nowhere already.
    private let tables: [(object: StoreObject, broken: Int)]

    /// Counts them, before anything is done. Costs nothing where there are no such tables.
    init(
        in connection: Connection, _ chain: MigrationChain, _ schema: Schema
    ) throws(SQLiteError) {
        var ours = Set(schema.tables.map { $0.name.lowercased() })
        for case .dropTable(let table) in chain.operations { ours.insert(table.lowercased()) }
        tables = try connection.rows(StoreObject.query).compactMap(StoreObject.init)
            .filter { object in
                object.isOrdinaryTable && !object.isOfHistory
                    && !ours.contains(object.name.lowercased())
            }
            .compactMap { object in
                // One whose keys SQLite cannot follow does not work, before or afterwards.
                Self.count(of: object, connection).map { (object, $0) }
            }
    }

    private static func count(of object: StoreObject, _ connection: Connection) -> Int? {
        try? connection.rows(MigrationSQL.foreignKeyCheck(of: object.name)).count
    }

    /// - Throws: ``MigrationError/foreignObjectsInTheWay(_:)`` where more lead nowhere now.
    func verify(in connection: Connection) throws(MigrationError) {
        let objects = tables.compactMap { object, broken -> ForeignObject? in
            guard let count = Self.count(of: object, connection), count > broken else { return nil }
            return ForeignObject(object, .wouldLoseLinks(count - broken))
        }
        guard objects.isEmpty else { throw .foreignObjectsInTheWay(objects) }
    }
}
