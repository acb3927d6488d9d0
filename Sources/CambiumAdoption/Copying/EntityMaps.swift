import CambiumModel
import CambiumSQL
import CambiumSQLite

/// Maps of hierarchies' objects, each made when it is needed first.
struct EntityMaps {
    private let model: Model
    private let connection: Connection
    private var maps: [String: Data?] = [:]

    /// How much room there may be in a map for each object: keys that lie far apart are looked up.
    private static let roomPerObject = 16
    /// The size of a map that is worth its memory.
    private static let largest = 32 << 20

    init(model: Model, connection: Connection) {
        self.model = model
        self.connection = connection
    }

    /// Forgets the maps: there are other objects now.
    mutating func forget() { maps = [:] }

    /// The map of a root entity; nil where it would not be worth it.
    mutating func map(of root: Entity) throws(SQLiteError) -> Data? {
        if let known = maps[root.name] { return known }
        let made = try make(root)
        maps[root.name] = .some(made)
        return made
    }

    private func make(_ root: Entity) throws(SQLiteError) -> Data? {
        let sql = EntityMapSQL(root, in: model)
        guard sql.isPossible, let row = try connection.rows(sql.extent).first,
            case .integer(let count) = row[0], case .integer(let last) = row[1],
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
