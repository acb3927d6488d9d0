import CambiumEngine
import CambiumModel
import CambiumRecords
import CambiumSQL

/// Where the objects of a model are in a schema: tables, columns and their types.
final class PostgresLayout: Sendable {
    let model: ModelDescription
    /// The name of the schema, in quotes; empty where the connection looks for tables in it anyway.
    let schema: String
    /// The name as it is.
    let schemaName: String
    /// For each entity, how its rows are read.
    let tables: [PostgresTable]

    convenience init(_ model: ModelDescription, schema: String) {
        self.init(model, schemaInSQL: SQLText.identifier(schema), schemaName: schema)
    }

    /// - Parameter prefix: The name of the schema as SQL has it.
    init(_ model: ModelDescription, schemaInSQL prefix: String, schemaName: String = "") {
        self.model = model
        self.schemaName = schemaName
        schema = prefix
        tables = model.entities.map { PostgresTable($0, model, Self.prefix(prefix)) }
    }

    /// What makes the schema.
    var schemaStatement: String { "CREATE SCHEMA \(schema)" }

    /// A table or index with the schema before it.
    func qualified(_ name: String) -> String { prefix + PostgresName.identifier(name) }

    private var prefix: String { Self.prefix(schema) }

    private static func prefix(_ schema: String) -> String { schema.isEmpty ? "" : "\(schema)." }

    /// The table of the rows of an entity.
    func table(of entity: Entity) -> String { qualified(model.model.root(of: entity).name) }

    var keys: String { qualified("_keys") }
    var metadata: String { qualified("_metadata") }
    var commits: PostgresCommits { PostgresCommits(table: qualified(PostgresCommits.name)) }
    var external: PostgresExternal { PostgresExternal(table: qualified("_external")) }
}

/// How the rows of an entity and its sub-entities are read.
final class PostgresTable: Sendable {
    /// A column of a row that a statement returns, and the slot that it goes to.
    private struct Field: Sendable {
        let slot: Int
        let column: Int32
        let type: PostgresType
    }

    let entity: EntityDescription
    /// With the schema.
    let name: String
    /// All columns of the family, in the order in which they are read, after the system columns.
    let columns: [(name: String, type: PostgresType)]
    /// By the number of an entity, its slots; nil for one that is none of the family.
    private let fields: [[Field]?]
    /// Of the rows of the table those of the family, or of the entity alone; nil for all.
    let ofFamily: String?
    let ofEntity: String?
    /// What selects the row of a key, of a root entity: kept, as faults ask for it so often.
    let rowOfKey: String

    /// The name of the table in statements.
    static let alias = "t"

    /// - Parameter prefix: What stands before the name of a table.
    init(_ entity: EntityDescription, _ model: ModelDescription, _ prefix: String) {
        self.entity = entity
        let root = model.entities[entity.rootIndex]
        name = prefix + PostgresName.identifier(root.name)
        var columns: [(name: String, type: PostgresType)] = []
        var places: [String: Int] = [:]
        var fields = [[Field]?](repeating: nil, count: model.entities.count)
        let first = entity.hasEntityColumn ? 3 : 2
        let family = model.families[entity.index].map { model.entities[$0] }
        for member in family {
            fields[member.index] = member.layout.slots.enumerated().compactMap { slot, place in
                guard let column = place.column else { return nil }
                let type = Self.type(ofSlot: slot, of: member)
                if places[column] == nil {
                    places[column] = columns.count
                    columns.append((column, type))
                }
                return Field(slot: slot, column: Int32(first + (places[column] ?? 0)), type: type)
            }
        }
        self.columns = columns
        self.fields = fields
        func condition(_ entities: [EntityDescription]) -> String {
            let names = SQLText.literals(entities.filter { !$0.isAbstract }.map(\.name))
            return "\(Self.column(SystemColumn.entity)) IN (\(names.isEmpty ? "NULL" : names))"
        }
        ofFamily = entity.index == root.index ? nil : condition(family)
        ofEntity = entity.hasEntityColumn ? condition([entity]) : nil
        rowOfKey =
            "SELECT \(Self.list(entity, columns.map(\.name))) FROM \(Self.source(name)) "
            + "WHERE \(Self.column(SystemColumn.key)) = $1"
    }

    static func type(ofSlot slot: Int, of entity: EntityDescription) -> PostgresType {
        if let attribute = entity.attributes[slot] {
            return .column(of: attribute, in: entity.model)
        }
        return entity.layout.slots[slot].isEntityOfKey ? .text : .bigint
    }

    /// - Parameter alias: The name of the table; empty for none.
    static func column(_ name: String, of alias: String = alias) -> String {
        "\(alias)\(alias.isEmpty ? "" : ".")\(PostgresName.identifier(name))"
    }

    /// What comes first in each row: the key, the version, the entity where the table has it.
    var systemColumns: [String] { Self.systemColumns(of: entity) }

    private static func systemColumns(of entity: EntityDescription) -> [String] {
        [SystemColumn.key, SystemColumn.version]
            + (entity.hasEntityColumn ? [SystemColumn.entity] : [])
    }

    /// All that is read of a row.
    var list: String { Self.list(entity, columns.map(\.name)) }

    private static func list(_ entity: EntityDescription, _ columns: [String]) -> String {
        (systemColumns(of: entity) + columns).map { column($0) }.joined(separator: ", ")
    }

    /// What follows FROM.
    var source: String { Self.source(name) }

    private static func source(_ name: String) -> String { "\(name) AS \(alias)" }

    /// The number of the entity of a row.
    func entity(of rows: PostgresRows, _ row: Int, in model: ModelDescription) -> Int {
        guard entity.hasEntityColumn else { return entity.index }
        return model.index(named: rows.text(row, 2)) ?? entity.index
    }

    /// Reads the values of a row.
    ///
    /// - Parameter number: The number of the row's own entity.
    /// - Throws: ``StoreError`` where that is none of the family.
    func read(
        _ rows: PostgresRows, _ row: Int, entity number: Int, in model: ModelDescription,
        into writer: RecordWriter, firstColumn: Int = 0
    ) throws -> PlacedRecord {
        guard let fields = fields[number] else {
            throw StoreError(
                code: .corrupt,
                message: "Another program has changed the entity of row \(rows.integer(row, 0)) to "
                    + "one that the request does not include.",
                remedy: "Restore a backup.")
        }
        let (row, first) = (Int32(row), Int32(firstColumn))
        // Safety: the model keeps its entities, and they keep their shapes.
        return uncounted(model.entities[number]).use { entity in
            uncounted(entity.shape).use { shape in
                var placed = writer.makeRecord(shape)
                placed.record.key = rows.value(row, first)?.wholeNumber ?? 0
                placed.record.version = rows.value(row, first + 1)?.wholeNumber ?? 0
                // By address: each element of an array would be checked to be inside.
                fields.withUnsafeBufferPointer { fields in
                    for field in fields {
                        guard let value = rows.value(row, first + field.column) else { continue }
                        field.type.read(value, into: &placed, field.slot, writer, shape)
                    }
                }
                return placed
            }
        }
    }
}
