import CambiumRecords

/// What several transactions come to, for contexts that know some of them already.
package struct NetChanges {
    private struct Row {
        package var entity: EntityDescription
        /// Whether contexts have the row, by what they know.
        package var isKnown: Bool
        /// Whether the store has it.
        package var isThere: Bool
        /// Whether there is something to report.
        package var isNews = false
        /// Whether all its values may be other ones.
        package var isAnything = false
        package var properties: Set<String> = []
    }

    private let model: ModelDescription
    private var order: [RowIdentity] = []
    private var rows: [RowIdentity: Row] = [:]

    package init(_ model: ModelDescription) {
        self.model = model
    }

    /// - Parameter isKnown: Whether the contexts have heard of it.
    package mutating func add(_ transaction: HistoryTransaction, isKnown: Bool) {
        for change in transaction.changes {
            guard let entity = model[change.objectID.entityName] else { continue }
            add(change, entity, isKnown: isKnown)
        }
    }

    private mutating func add(
        _ change: HistoryChange, _ entity: EntityDescription, isKnown: Bool
    ) {
        let id = RowIdentity(root: entity.rootIndex, key: change.objectID.key)
        let wasThere = change.kind != .insert
        if rows[id] == nil { order.append(id) }
        var row = rows[id] ?? Row(entity: entity, isKnown: wasThere, isThere: wasThere)
        if model.families[row.entity.index].contains(entity.index) { row.entity = entity }
        row.isThere = change.kind != .delete
        if isKnown {
            row.isKnown = row.isThere
        } else {
            row.isNews = true
            switch change.kind {
            case .update where !change.updatedProperties.isEmpty:
                row.properties.formUnion(change.updatedProperties)
            case .insert, .update, .delete:
                row.isAnything = true
            }
        }
        rows[id] = row
    }

    /// How many objects there is something to report about.
    package var count: Int { rows.values.count { $0.isNews && ($0.isKnown || $0.isThere) } }

    /// The rows that it concerns.
    package var ids: [RowIdentity] { order.filter { rows[$0]?.isNews ?? false } }

    /// What is to be reported, in the order of the entities.
    package var entities: [EntityChanges] {
        var byEntity: [EntityChanges?] = Array(repeating: nil, count: model.entities.count)
        for id in order {
            guard let row = rows[id], row.isNews, row.isKnown || row.isThere else { continue }
            let index = row.entity.index
            if byEntity[index] == nil { byEntity[index] = EntityChanges(entity: row.entity) }
            switch (row.isKnown, row.isThere) {
            case (false, _):
                byEntity[index]?.inserted.append(.init(key: id.key, placed: nil))
            case (true, true):
                byEntity[index]?.updated.append(
                    row.isAnything
                        ? .anything(of: row.entity, id.key)
                        : .init(of: row.entity, id.key, properties: row.properties))
            case (true, false):
                byEntity[index]?.deleted.append(id.key)
            }
        }
        return byEntity.compactMap(\.self)
    }
}

extension EntityChanges.UpdatedRow {
    /// A row whose properties of these names are other now.
    fileprivate init(of entity: EntityDescription, _ key: Int64, properties: Set<String>) {
        var slots = SlotSet()
        for (slot, place) in entity.layout.slots.enumerated()
        where place.isStored && properties.contains(place.property) {
            slots.insert(slot)
        }
        let links = entity.relationships.filter { $0.slot == nil && !$0.isTransient }
            .map(\.relationship.name).filter(properties.contains)
        self.init(key: key, slots: slots, links: links, placed: nil)
    }
}
