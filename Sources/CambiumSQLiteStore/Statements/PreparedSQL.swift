import CambiumEngine
import CambiumModel
import CambiumRecords
import CambiumSQL

/// The prepared SQL texts for one model, shared by all of its stores.
final class PreparedSQL: Sendable {
    /// The storage of a relationship's links in the tables.
    final class Links: Sendable {
        let storage: RelationshipStorage
        /// Selects the rows at the other end, if the keys are stored there or in a join table.
        let selection: SelectSQL.Selection?
        /// Changes the pairs, with this side's key first.
        let pairs: LinkSQL?
        /// The statements for the pairs with the other side's key first.
        let reversedPairs: LinkSQL?
        /// Writes the order, if the relationship is ordered.
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

    /// The statements that read rows, for each entity.
    let selects: [SelectSQL]
    /// The statement that reads one row by its key, for each entity.
    let keySelects: [String]
    /// The statements that save rows, for each entity.
    let saves: [SaveSQL]
    /// The statement that inserts rows, for each entity.
    let inserts: [String]
    /// For each entity, the columns of its table that may reference files; nil for most.
    let externalColumns: [ExternalColumns?]
    /// The statements of each relationship, by its identity.
    let links: [Links]
    /// The plan for updating derived attributes; nil if there are none.
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
    /// Returns the prepared SQL, shared by all SQLite stores of the model.
    func preparedSQL() throws -> PreparedSQL { try prepared(PreparedSQL.init) }

    /// The tables, computed for the first store that is opened.
    package var tables: Schema { prepared { Schema(of: $0.model) } }
}

/// The statements for a table of waiting records, in a separate database: the key and the slots,
/// without types.
struct SpoolSQL: Sendable {
    /// The number of slots in the records.
    let slotCount: Int

    private var columns: String { (0..<slotCount).map { "c\($0)" }.joined(separator: ", ") }

    /// The statements that create the table. It is not restored after a failure.
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

    /// Reads the records with keys from parameter 1 up to, but not including, parameter 2.
    var read: String {
        "SELECT \"_id\", \(columns) FROM \"rows\" WHERE \"_id\" >= ? AND \"_id\" < ? "
            + "ORDER BY \"_id\""
    }
}

/// The plan for updating derived attributes in a save: the changes that affect them, and the
/// statements. A model without derived attributes has none.
final class DerivationPlan: Sendable {
    /// The attributes that must be updated, in the order of their dependencies.
    let maintained: [Maintained]
    /// For each root entity, the query of its derived columns; nil if it has none.
    let columns: [DerivedColumns?]
    /// For each entity, the slots of the columns in its root's ``columns``; nil if it does not have
    /// that column.
    let slots: [[Int?]]
    /// For each entity, the slots of derived attributes that are computed from other derived ones
    /// in their rows. A save may change such a value with each of its sources.
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
        /// For each source, the query of the keys of the objects that depend on the rows of
        /// `pending`.
        let owners: [String]
    }
}

extension Attribute {
    /// Returns whether the attribute is computed from other derived attributes of its row.
    fileprivate func isComposed(in entity: EntityDescription, of model: Model) -> Bool {
        guard let derivation else { return false }
        let sources = DerivationSources(of: derivation, entity: entity.entity, in: model)
        return sources.nodes[0].properties.contains {
            model.attribute($0, of: entity.entity)?.derivation != nil
        }
    }
}

/// The query of a table's derived columns, because a save does not write them itself.
struct DerivedColumns: Sendable {
    /// The columns, in the order of the query's results.
    let columns: [String]
    /// Whether the entity's name comes before the columns.
    let hasEntity: Bool
    /// The query of the key, the entity's name if rows have one, and the columns, for rows with
    /// keys in `pending`.
    let query: String

    /// - Returns: Nil if no entity of the root's family has a derived attribute.
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
