import CambiumModel
import CambiumRecords

/// A derived attribute that an engine has to keep up to date, and the changes of rows that affect
/// it.
package final class MaintainedAttribute: Sendable {
    /// Rows that the values are computed from.
    package struct Source: Sendable {
        package let node: DerivationSources.Node
        /// Whether the rows are the attribute's own rows.
        package var isOwnRow: Bool { node.path.isEmpty }
        /// For each entity, the slots that affect the attribute when they change; nil if rows of
        /// the entity do not affect it.
        package let slots: [SlotSet?]
        /// For each entity, the slots among them that are inverse keys along the path. A change of
        /// such a slot also affects the object that it referenced before.
        package let backSlots: [SlotSet]
        private let isAffectedByInsertions: Bool
        private let learnsOfDeletions: Bool

        fileprivate init(
            _ node: DerivationSources.Node, _ entities: [EntityDescription], usesNow: Bool,
            in model: Model
        ) {
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
            self.node = node
            self.slots = entities.map { description in
                guard isOfNode(description) else { return nil }
                // Each save has another time, so every change of the row counts.
                return node.path.isEmpty && usesNow
                    ? description.storedSlots : slots(node.properties, of: description)
            }
            backSlots = entities.map {
                isOfNode($0) ? slots(node.backLinks, of: $0) : SlotSet()
            }
            isAffectedByInsertions = node.isAffectedByInsertions(in: model)
            learnsOfDeletions = node.learnsOfDeletions(in: model)
        }

        /// Returns the keys of rows that an object of the attribute can reach now, but perhaps not
        /// after the save. It is called before anything is written.
        package func keysBefore(_ request: SaveRequest, in model: ModelDescription) -> [Int64] {
            if isOwnRow { return [] }
            var keys: [Int64] = []
            for update in request.updates
            where !update.slots.intersection(backSlots[update.entity.index]).isEmpty {
                keys += update.records.map(\.key)
            }
            for deletion in request.deletions
            where learnsOfDeletions && slots[deletion.entity.index] != nil {
                keys += deletion.records.map(\.key)
            }
            return keys + linkedKeys(request, in: model)
        }

        /// Returns the keys of rows that may have changed the value of objects that can reach them.
        /// It is called after everything was written.
        package func keysAfter(_ request: SaveRequest, in model: ModelDescription) -> [Int64] {
            var keys: [Int64] = []
            for insertion in request.insertions
            where isAffectedByInsertions && slots[insertion.entity.index] != nil {
                keys += insertion.records.map(\.key)
            }
            for update in request.updates {
                guard let slots = slots[update.entity.index],
                    !update.slots.intersection(slots).isEmpty
                else { continue }
                keys += update.records.map(\.key)
            }
            return keys + linkedKeys(request, in: model)
        }

        /// The rows on this side of the pairs that were added or removed.
        private func linkedKeys(_ request: SaveRequest, in model: ModelDescription) -> [Int64] {
            guard !node.joinTables.isEmpty else { return [] }
            return request.links.flatMap { links -> [Int64] in
                guard let isSource = isSource(of: links, in: model) else { return [] }
                return (links.added + links.removed).map { isSource ? $0.source : $0.destination }
            }
        }

        /// Whether the rows are the sources of pairs; nil if they are at neither end.
        package func isSource(of links: SaveRequest.Links, in model: ModelDescription) -> Bool? {
            guard !node.joinTables.isEmpty,
                let owner = model.owner(of: links.relationship),
                case .joinTable(let table, let sourceColumn, _) = model.model.storage(
                    of: links.relationship.relationship, of: owner.entity),
                let column = node.joinTables[table]
            else { return nil }
            return column == sourceColumn
        }
    }

    package let attribute: Attribute
    package let entity: Entity
    package let rootIndex: Int
    package let sources: [Source]

    package init(
        _ derived: some DerivedValue, _ entities: [EntityDescription], in model: Model
    ) {
        attribute = derived.attribute
        entity = derived.entity
        let root = model.root(of: derived.entity)
        rootIndex = entities.firstIndex { $0.name == root.name } ?? 0
        let usesNow = derived.sources.usesNow
        sources = derived.sources.nodes.map {
            Source($0, entities, usesNow: usesNow, in: model)
        }
    }

    /// Whether a source of another attribute uses this attribute's value.
    package func isLookedAt(by source: Source, in model: ModelDescription) -> Bool {
        model.families[rootIndex].contains { entity in
            guard let slot = model.entities[entity].layout.slot(of: attribute.name) else {
                return false
            }
            return source.slots[entity]?.slots.contains(slot) == true
        }
    }
}
