import CambiumModel
import CambiumSQL

/// The structure of a database that Core Data wrote: its entities, tables and columns.
struct CoreDataCatalogue: Sendable {
    /// An entity, as `Z_PRIMARYKEY` has it.
    struct Entity: Sendable, Hashable {
        /// The number that rows hold in `Z_ENT`.
        let number: Int64
        /// The name.
        fileprivate(set) var name: String
        /// The number of the parent entity; 0 if there is none.
        let parent: Int64
        /// The last key that was given; of a root entity.
        let lastKey: Int64
    }

    /// A column, and its type as the table declares it.
    struct Column: Sendable, Hashable {
        /// The name.
        let name: String
        /// The type in capital letters, such as `VARCHAR`.
        let type: String
    }

    /// The program's entities, by their numbers.
    private(set) var entities: [Entity]
    /// The columns of each table, in order.
    let tables: [String: [Column]]
    /// The virtual tables, and whether each is but an index.
    let virtualTables: [(name: String, isIndex: Bool)]
    /// The names of the entities of the version that wrote the store, if its metadata contains
    /// them.
    private let writtenEntities: Set<String>

    /// The lowest number of Core Data's own entities: for its history and for CloudKit.
    static let firstSystemNumber: Int64 = 16_000
    /// The tables of Core Data's own entities, such as `ACHANGE`.
    private let systemTables: Set<String>

    /// Whether a table belongs to Core Data itself, as the table of one of its entities or of their
    /// links.
    func isSystemTable(_ name: String) -> Bool {
        systemTables.contains(name)
            || CoreDataName.Numbered(joined: name).map { $0.number >= Self.firstSystemNumber }
                == true
    }

    /// The encoding of texts.
    static let encodingQuery = "PRAGMA encoding"

    /// Lists table, column and type of all tables, except the internal tables of virtual tables.
    /// Takes time that grows with the number of tables.
    static let columnsQuery = """
        WITH "kept" AS (SELECT v."name" || s."column1" AS "name" FROM "sqlite_schema" AS v, \
        (VALUES ('_node'), ('_parent'), ('_rowid'), ('_data'), ('_idx'), ('_content'), \
        ('_docsize'), ('_config'), ('_segments'), ('_segdir'), ('_stat')) AS s \
        WHERE v."type" = 'table' AND v."sql" LIKE 'CREATE VIRTUAL TABLE%') \
        SELECT m."name", p."name", p."type" FROM "sqlite_schema" AS m, \
        pragma_table_info(m."name") AS p \
        WHERE m."type" = 'table' AND m."sql" LIKE 'CREATE TABLE%' AND m."name" NOT LIKE 'sqlite\\_%' \
        ESCAPE '\\' AND m."name" NOT IN "kept" ORDER BY m."name", p."cid"
        """
    /// Lists the virtual tables, and whether each is but an index.
    static let virtualTablesQuery = """
        SELECT "name", "sql" LIKE '%USING rtree%' FROM "sqlite_schema" \
        WHERE "type" = 'table' AND "sql" LIKE 'CREATE VIRTUAL TABLE%' ORDER BY "name"
        """
    /// Lists number, name, parent and last key of all entities.
    static let entitiesQuery = """
        SELECT "Z_ENT", "Z_NAME", "Z_SUPER", "Z_MAX" FROM "Z_PRIMARYKEY" ORDER BY "Z_ENT"
        """
    /// The UUID and the property list of the store, in the first row.
    static let metadataQuery = """
        SELECT "Z_UUID", "Z_PLIST" FROM "Z_METADATA" ORDER BY "Z_VERSION"
        """
    /// The tables that every database of Core Data has.
    static let requiredTables = ["Z_METADATA", "Z_PRIMARYKEY"]

    private static let requiredColumns: Set<[StoredValue]> = [
        [.text("Z_METADATA"), .text("Z_VERSION")], [.text("Z_METADATA"), .text("Z_UUID")],
        [.text("Z_METADATA"), .text("Z_PLIST")], [.text("Z_PRIMARYKEY"), .text("Z_ENT")],
        [.text("Z_PRIMARYKEY"), .text("Z_NAME")], [.text("Z_PRIMARYKEY"), .text("Z_SUPER")],
        [.text("Z_PRIMARYKEY"), .text("Z_MAX")],
    ]

    /// Whether the columns exist that the other queries read.
    ///
    /// - Parameter columns: The rows of ``columnsQuery``.
    static func hasRequiredColumns(_ columns: [[StoredValue]]) -> Bool {
        requiredColumns.isSubset(of: columns.map { Array($0.prefix(2)) })
    }

    /// Reads the rows of the queries.
    ///
    /// - Parameter writtenEntities: The names of the entities in the store's metadata.
    init(
        columns: [[StoredValue]], entities: [[StoredValue]], virtualTables: [[StoredValue]] = [],
        writtenEntities: Set<String> = []
    ) {
        self.virtualTables = virtualTables.compactMap { row in
            guard let name = row.first?.text else { return nil }
            return (name, row.last == .integer(1))
        }
        self.writtenEntities = writtenEntities
        var tables: [String: [Column]] = [:]
        for case let row in columns where row.count == 3 {
            guard let table = row[0].text, let name = row[1].text else { continue }
            let type = row[2].text?.uppercased() ?? ""
            tables[table, default: []].append(Column(name: name, type: type))
        }
        self.tables = tables
        systemTables = Set(
            entities.compactMap { row in
                guard row.count == 4, case .integer(Self.firstSystemNumber...) = row[0],
                    let name = row[1].text
                else { return nil }
                return "A" + name.uppercased()
            })
        self.entities = entities.compactMap { row in
            guard row.count == 4, let number = row[0].integer,
                let name = row[1].text, number < Self.firstSystemNumber
            else { return nil }
            return Entity(
                number: number, name: name, parent: row[2].integer ?? 0,
                lastKey: row[3].integer ?? 0)
        }
    }

    /// The catalogue with the names of a version. If Core Data migrated a store in place,
    /// `Z_PRIMARYKEY` has entities under their former names, and the metadata says so.
    ///
    /// - Returns: Also the former names that the metadata does not mention.
    func renamed(as model: Model) -> (catalogue: CoreDataCatalogue, formerNames: [String]) {
        var result = self
        var formerNames: [String] = []
        for entity in model.entities {
            guard let former = entity.renamedFrom, self.entity(named: entity.name) == nil,
                model.entity(named: former) == nil,
                let index = entities.firstIndex(where: { $0.name == former })
            else { continue }
            result.entities[index].name = entity.name
            if !writtenEntities.contains(entity.name) || writtenEntities.contains(former) {
                formerNames.append(
                    "the store has the entity \(entity.name) under its former name \(former)")
            }
        }
        return (result, formerNames)
    }

    /// The entity of that name, or nil.
    func entity(named name: String) -> Entity? {
        entities.first { $0.name == name }
    }

    /// The name of the entity that another one inherits from, or nil.
    func parent(of entity: Entity) -> String? {
        entities.first { $0.number == entity.parent }?.name
    }

    /// Whether a column exists.
    func has(_ column: String, in table: String) -> Bool {
        tables[table]?.contains { $0.name == column } == true
    }
}
