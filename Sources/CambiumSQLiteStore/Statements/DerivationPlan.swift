import CambiumModel
import CambiumRecords
import CambiumSQL

/// What a store does about derived attributes when it saves: which changes concern which of them,
/// and the statements. A model without any has none.
final class DerivationPlan: Sendable {
    /// The attributes that have to be kept up to date, each after those that it looks at.
    let maintained: [MaintainedAttribute]
    /// For each root entity, what reads its derived columns; nil where it has none.
    let columns: [DerivedColumns?]
    /// For each entity, the slots of the columns of its root's ``columns``; nil where it has not
    /// that column.
    let slots: [[Int?]]

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
        maintained = model.derivations.map {
            MaintainedAttribute($0, entities, in: model)
        }
    }
}

/// A derived attribute that has to be kept up to date.
final class MaintainedAttribute: Sendable {
    /// Rows that the values are computed from.
    struct Source: Sendable {
        /// Whether they are the attribute's own rows.
        let isOwnRow: Bool
        /// The query of the keys of the objects that look at the rows of `pending`.
        let owners: String
        /// For each entity, the slots whose change concerns the attribute; nil where rows of the
        /// entity do not.
        let slots: [SlotSet?]
        /// For each entity, those among them that referenced another object before.
        let backSlots: [SlotSet]
        let learnsOfInsertions: Bool
        let learnsOfDeletions: Bool
        /// The join tables that the path goes on through, by the column of this side.
        let joinTables: [String: String]
    }

    let derivation: Derivation
    let rootIndex: Int
    let sources: [Source]

    init(_ derivation: Derivation, _ entities: [EntityDescription], in model: Model) {
        self.derivation = derivation
        let root = model.root(of: derivation.entity)
        rootIndex = entities.firstIndex { $0.name == root.name } ?? 0
        let usesNow = derivation.sources.usesNow
        sources = derivation.sources.nodes.map { node in
            func slots(_ names: Set<String>, of description: EntityDescription) -> SlotSet {
                var slots = SlotSet()
                for (slot, place) in description.layout.slots.enumerated()
                where names.contains(place.property) {
                    slots.insert(slot)
                }
                return slots
            }
            func isOfNode(_ description: EntityDescription) -> Bool {
                model.entity(description.entity, isKindOf: node.entity)
            }
            return Source(
                isOwnRow: node.path.isEmpty, owners: node.owners(in: model),
                slots: entities.map { description in
                    guard isOfNode(description) else { return nil }
                    // The moment of a save is another one at each.
                    return node.path.isEmpty && usesNow
                        ? description.storedSlots : slots(node.properties, of: description)
                },
                backSlots: entities.map {
                    isOfNode($0) ? slots(node.backLinks, of: $0) : SlotSet()
                },
                learnsOfInsertions: node.learnsOfInsertions(in: model),
                learnsOfDeletions: node.learnsOfDeletions(in: model),
                joinTables: node.joinTables)
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
