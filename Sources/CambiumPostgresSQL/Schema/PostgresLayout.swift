import CambiumModel
import CambiumRecords
import CambiumSQL

/// The tables, columns and types of the objects of a model in a schema.
package final class PostgresLayout: Sendable {
    package let model: ModelDescription
    /// The name of the schema, in quotes; empty if the connection's search path finds the tables
    /// anyway.
    package let schema: String
    /// The name as it is.
    package let schemaName: String
    /// The layout for reading the rows of each entity.
    package let tables: [PostgresTable]

    package convenience init(_ model: ModelDescription, schema: String) {
        self.init(model, schemaInSQL: SQLText.identifier(schema), schemaName: schema)
    }

    /// - Parameter prefix: The name of the schema as SQL has it.
    package init(_ model: ModelDescription, schemaInSQL prefix: String, schemaName: String = "") {
        self.model = model
        self.schemaName = schemaName
        schema = prefix
        tables = model.entities.map { PostgresTable($0, model, Self.prefix(prefix)) }
    }

    /// The statement that creates the schema.
    package var schemaStatement: String { "CREATE SCHEMA \(schema)" }

    /// A table or index with the schema before it.
    package func qualified(_ name: String) -> String { prefix + PostgresName.identifier(name) }

    private var prefix: String { Self.prefix(schema) }

    private static func prefix(_ schema: String) -> String { schema.isEmpty ? "" : "\(schema)." }

    /// The table of the rows of an entity.
    package func table(of entity: Entity) -> String { qualified(model.model.root(of: entity).name) }

    package var keys: String { qualified("_keys") }
    package var metadata: String { qualified("_metadata") }
    package var commits: PostgresCommits { PostgresCommits(table: qualified(PostgresCommits.name)) }
    package var external: PostgresExternal {
        PostgresExternal(table: qualified(PostgresExternal.name))
    }
}

extension ModelDescription {
    /// A model without known classes, as in the build and in tools.
    package static func withoutClasses(_ model: Model) -> ModelDescription {
        ModelDescription(model, types: [:], common: PostgresLayout.self)
    }
}

/// The layout for reading the rows of an entity and its sub-entities.
package final class PostgresTable: Sendable {
    /// A column of a row of a statement, and its slot.
    package struct Field: Sendable {
        package let slot: Int
        package let column: Int32
        package let type: PostgresType
    }

    package let entity: EntityDescription
    /// The name with the schema.
    package let name: String
    /// All columns of the family in reading order, after the system columns.
    package let columns: [(name: String, type: PostgresType)]
    /// The slots of each entity, by its index; nil for entities outside of the family.
    package let fields: [[Field]?]
    /// A condition for the rows of the table that belong to the family, or to the entity alone; nil
    /// if all do.
    package let ofFamily: String?
    package let ofEntity: String?
    /// The statement that selects the row of a key, of a root entity. It is kept, because faults
    /// use it often.
    package let rowOfKey: String

    /// The name of the table in statements.
    package static let alias = "t"

    /// - Parameter prefix: The text before the name of a table.
    package init(_ entity: EntityDescription, _ model: ModelDescription, _ prefix: String) {
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

    package static func type(ofSlot slot: Int, of entity: EntityDescription) -> PostgresType {
        if let attribute = entity.attributes[slot] {
            return .column(of: attribute, in: entity.model)
        }
        return entity.layout.slots[slot].isEntityOfKey ? .text : .bigint
    }

    /// - Parameter alias: The name of the table; empty for none.
    package static func column(_ name: String, of alias: String = alias) -> String {
        "\(alias)\(alias.isEmpty ? "" : ".")\(PostgresName.identifier(name))"
    }

    /// The first columns of each row: the key, the version, and the entity if the table has it.
    package var systemColumns: [String] { Self.systemColumns(of: entity) }

    private static func systemColumns(of entity: EntityDescription) -> [String] {
        [SystemColumn.key, SystemColumn.version]
            + (entity.hasEntityColumn ? [SystemColumn.entity] : [])
    }

    /// The list of all columns that are read.
    package var list: String { Self.list(entity, columns.map(\.name)) }

    private static func list(_ entity: EntityDescription, _ columns: [String]) -> String {
        (systemColumns(of: entity) + columns).map { column($0) }.joined(separator: ", ")
    }

    /// The text after FROM.
    package var source: String { Self.source(name) }

    private static func source(_ name: String) -> String { "\(name) AS \(alias)" }
}
