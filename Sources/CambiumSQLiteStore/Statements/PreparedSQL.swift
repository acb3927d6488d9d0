import CambiumEngine
import CambiumModel
import CambiumRecords
import CambiumSQL

/// What SQLite's statements are made of for one model: worked out once, for all of its stores.
final class PreparedSQL: Sendable {
    /// How the links of a relationship lie in the tables.
    final class Links: Sendable {
        let storage: RelationshipStorage
        /// What selects the rows at the far end, where they are kept there or in pairs.
        let selection: SelectSQL.Selection?
        /// What changes the pairs, this side's key first.
        let pairs: LinkSQL?
        /// The same with the other side's key first.
        let reversedPairs: LinkSQL?
        /// What keeps the order, where one is kept.
        let order: OrderSQL?

        fileprivate init(_ relationship: Relationship, of entity: Entity, in model: Model) {
            storage = model.storage(of: relationship, of: entity)
            order = OrderSQL(relationship, of: entity, in: model)
            let position = model.positionColumn(of: relationship, of: entity)
            switch storage {
            case .inverseKey(let column):
                selection = .referring(column: column, position: position)
                (pairs, reversedPairs) = (nil, nil)
            case .joinTable(let table, let source, let destination):
                selection = .linked(
                    table: table, sourceColumn: source, destinationColumn: destination,
                    position: position)
                pairs = LinkSQL(
                    table: table, sourceColumn: source, destinationColumn: destination)
                reversedPairs = LinkSQL(
                    table: table, sourceColumn: destination, destinationColumn: source)
            case .key, .transient:
                selection = nil
                (pairs, reversedPairs) = (nil, nil)
            }
        }
    }

    /// For each entity, what reads rows.
    let selects: [SelectSQL]
    /// For each entity, the statement that reads one row by its key.
    let keySelects: [String]
    /// For each entity, what saves rows.
    let saves: [SaveSQL]
    /// For each entity, the statement that inserts rows.
    let inserts: [String]
    /// For each entity, the columns of its table that may reference files; nil for most.
    let externalColumns: [ExternalColumns?]
    /// For each relationship, by its identity.
    let links: [Links]
    /// What keeps derived attributes up to date; nil where there are none.
    let derivations: DerivationPlan?
    private let uniqueKeys: [ObjectIdentifier: UniqueSQL]

    init(_ runtime: ModelDescription) throws {
        let (model, entities) = (runtime.model, runtime.entities)
        selects = entities.map { SelectSQL($0.entity, in: model) }
        keySelects = try selects.map { try $0.rows(.key).sql }
        saves = entities.map { SaveSQL($0.entity, layout: $0.layout, in: model) }
        inserts = saves.map { $0.insert() }
        externalColumns = entities.map {
            ExternalColumns(of: entities[$0.rootIndex].entity, in: model)
        }
        var links: [Int: Links] = [:]
        for entity in entities {
            for relationship in entity.relationships where links[relationship.identity] == nil {
                links[relationship.identity] = Links(
                    relationship.relationship, of: entity.entity, in: model)
            }
        }
        self.links = links.keys.sorted().compactMap { links[$0] }
        derivations = DerivationPlan(entities, in: model)
        let holders = runtime.uniqueKeys.map { key in
            let entity = entities[key.declarer]
            let columns = key.slots.compactMap { slot in
                entity.layout.slots[slot].column.map { (slot: slot, name: $0) }
            }
            return (ObjectIdentifier(key), UniqueSQL(columns, of: entity.entity, in: model))
        }
        uniqueKeys = Dictionary(holders, uniquingKeysWith: { first, _ in first })
    }

    /// The queries about the values of a unique key.
    func unique(_ key: UniqueKey) -> UniqueSQL? { uniqueKeys[ObjectIdentifier(key)] }
}

extension ModelDescription {
    /// The same for each store of SQLite's, which keeps it.
    func preparedSQL() throws -> PreparedSQL { try prepared(PreparedSQL.init) }

    /// The tables, laid out for the first store that is opened.
    package var tables: Schema { prepared { Schema(of: $0.model) } }
}

/// The statements of a table of records that wait to be written, in a database of its own: the key
/// and the slots, without types.
struct SpoolSQL: Sendable {
    /// How many slots the records have.
    let slotCount: Int

    private var columns: String { (0..<slotCount).map { "c\($0)" }.joined(separator: ", ") }

    /// What makes the table. It is not restored after a failure.
    var create: String {
        """
        PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; \
        CREATE TABLE "rows" ("_id" INTEGER PRIMARY KEY, \(columns))
        """
    }

    /// Appends the records of `pending`.
    var append: String {
        "INSERT INTO \"rows\" (\"_id\", \(columns)) SELECT key, \(columns) FROM pending"
    }

    /// Reads the records whose keys lie from parameter 1 up to, and not with, parameter 2.
    var read: String {
        "SELECT \"_id\", \(columns) FROM \"rows\" WHERE \"_id\" >= ? AND \"_id\" < ? "
            + "ORDER BY \"_id\""
    }
}

/// What a store does about derived attributes when it saves: which changes concern which of them,
/// and the statements. A model without any has none.
final class DerivationPlan: Sendable {
    /// The attributes that have to be kept up to date, each after those that it looks at.
    let maintained: [Maintained]
    /// For each root entity, what reads its derived columns; nil where it has none.
    let columns: [DerivedColumns?]
    /// For each entity, the slots of the columns of its root's ``columns``; nil where it has not
    /// that column.
    let slots: [[Int?]]
    /// For each entity, the slots of derived attributes that are computed from other derived ones of
    /// their rows: a save may change such a value with each of these.
    let composed: [SlotSet]

    init?(_ entities: [EntityDescription], in model: Model) {
        columns = entities.map { description in
            description.rootIndex == description.index
                ? DerivedColumns(of: description.entity, in: model) : nil
        }
        guard columns.contains(where: { $0 != nil }) else { return nil }
        let columns = columns
        slots = entities.map { description in
            (columns[description.rootIndex]?.columns ?? []).map { column in
                description.layout.slots.firstIndex { $0.column == column }
            }
        }
        composed = entities.map { description in
            var slots = SlotSet()
            for slot in description.derivedSlots.slots {
                guard let attribute = description.attributes[slot],
                    attribute.isComposed(in: description, of: model)
                else { continue }
                slots.insert(slot)
            }
            return slots
        }
        maintained = model.derivations.map { derivation in
            let attribute = MaintainedAttribute(derivation, entities, in: model)
            return Maintained(
                derivation: derivation, attribute: attribute,
                owners: attribute.sources.map { $0.node.owners(in: model) })
        }
    }

    /// A derived attribute with its statements.
    struct Maintained: Sendable {
        let derivation: Derivation
        let attribute: MaintainedAttribute
        /// For each source, the query of the keys of the objects that look at the rows of `pending`.
        let owners: [String]
    }
}

extension Attribute {
    /// Whether it is computed from other derived attributes of its row.
    fileprivate func isComposed(in entity: EntityDescription, of model: Model) -> Bool {
        guard let derivation else { return false }
        let sources = DerivationSources(of: derivation, entity: entity.entity, in: model)
        return sources.nodes[0].properties.contains {
            model.attribute($0, of: entity.entity)?.derivation != nil
        }
    }
}

/// Reads the derived columns of a table, which a save did not write itself.
struct DerivedColumns: Sendable {
    /// The columns, in the order in which the query returns them.
    let columns: [String]
    /// Whether the entity's name comes before them.
    let hasEntity: Bool
    /// The query of the key, the entity's name where rows have one, and the columns of the rows
    /// whose keys are in `pending`.
    let query: String

    /// - Returns: nil where no entity of the root's family has a derived attribute.
    init?(of root: Entity, in model: Model) {
        columns = model.family(of: root).flatMap { entity in
            entity.attributes.filter { $0.derivation != nil && !$0.isTransient }
                .map { model.column(of: $0.name, in: entity) }
        }
        guard !columns.isEmpty else { return nil }
        hasEntity = model.hasSubentities(root)
        let names =
            [SystemColumn.key] + (hasEntity ? [SystemColumn.entity] : []) + columns
        let list = names.map { "t.\(SQLText.identifier($0))" }.joined(separator: ", ")
        query = """
            SELECT \(list) FROM pending AS p CROSS JOIN \(SQLText.identifier(root.name)) AS t \
            WHERE t.\(SQLText.identifier(SystemColumn.key)) = p.key
            """
    }
}
