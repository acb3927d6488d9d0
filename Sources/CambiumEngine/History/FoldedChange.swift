import CambiumModel
import CambiumRecords

/// The changes of one transaction that match a request, one for each row.
package struct GatheredChanges {
    private let request: HistoryRequest
    private let model: ModelDescription
    private let store: StoreIdentifier
    /// The numbers of the requested entities, and of their roots; nil for all.
    private let wanted: Set<Int>?
    package let roots: Set<Int>?
    private let keys: Set<RowIdentity>?
    private var order: [RowIdentity] = []
    private var folded: [RowIdentity: FoldedChange] = [:]

    package init(_ request: HistoryRequest, _ model: ModelDescription, _ store: StoreIdentifier) {
        self.request = request
        self.model = model
        self.store = store
        wanted = request.entityNames.map { names in
            Set(names.compactMap { model[$0]?.index }.flatMap { model.families[$0] })
        }
        roots = wanted.map { Set($0.map { model.entities[$0].rootIndex }) }
        keys = request.objectIDs.map {
            Set($0.map { RowIdentity(root: $0.entity.rootIndex, key: $0.key) })
        }
    }

    /// Adds the next entry of the store's history.
    ///
    /// - Parameters:
    ///   - properties: The names of the changed properties, with spaces between.
    ///   - values: Reads the values, if the change is requested.
    package mutating func add(
        kind: Int64, entity name: String, key: Int64, properties: String,
        values: () throws -> [FoldedChange.ColumnValue]
    ) rethrows {
        // An entity that the model does not have (any more) has no objects.
        guard let kind = HistoryChange.Kind(rawValue: Int(kind)), let entity = model[name],
            roots?.contains(entity.rootIndex) ?? true
        else { return }
        let id = RowIdentity(root: entity.rootIndex, key: key)
        guard keys?.contains(id) ?? true else { return }
        let row = FoldedChange.Row(
            kind: kind, properties: properties.split(separator: " "), values: try values())
        if folded[id] == nil { order.append(id) }
        folded[id, default: FoldedChange(entity: entity)].add(row, entity, in: model)
    }

    /// One change for each row, in the order of their first changes.
    package var changes: [HistoryChange] {
        order.compactMap { id in
            guard let change = folded[id]?.change(id.key, store: store, in: model),
                wanted?.contains(change.objectID.entity.index) ?? true,
                request.kinds?.contains(change.kind) ?? true
            else { return nil }
            return change
        }
    }
}

/// All changes of one transaction to one row, as one change. A save may change a row several times:
/// it writes derived values after the others. If another row gets its unique values, the row is
/// deleted and inserted again.
package struct FoldedChange {
    /// An entry of a store's history: one change of a row.
    package struct Row {
        package let kind: HistoryChange.Kind
        package let properties: [Substring]
        package let values: [ColumnValue]

        package init(
            kind: HistoryChange.Kind, properties: [Substring], values: [ColumnValue]
        ) {
            self.kind = kind
            self.properties = properties
            self.values = values
        }
    }

    /// The value of a column before and after.
    package struct ColumnValue {
        package let column: String
        package let old: StoredValue
        package let new: StoredValue

        package init(column: String, old: StoredValue, new: StoredValue) {
            self.column = column
            self.old = old
            self.new = new
        }
    }

    /// The row's own entity, as far as it is known.
    package private(set) var entity: EntityDescription
    private var existed = true
    private var exists = true
    /// Whether the row was inserted again.
    private var isReplaced = false
    /// Whether the values with which it was inserted again are known.
    private var hasReplacement = false
    package private(set) var properties: Set<String> = []
    /// By column.
    package private(set) var old: [String: StoredValue] = [:]
    package private(set) var new: [String: StoredValue] = [:]

    package init(entity: EntityDescription) {
        self.entity = entity
    }

    package mutating func add(_ row: Row, _ entity: EntityDescription, in model: ModelDescription) {
        // A change of a link may only contain the entity of the relationship's destination.
        if model.families[self.entity.index].contains(entity.index) { self.entity = entity }
        switch row.kind {
        case .insert:
            // Its links may have been written before it was.
            if exists { existed = false }
            isReplaced = existed
            hasReplacement = !row.values.isEmpty
            exists = true
            new = [:]
            for value in row.values { new[value.column] = value.new }
        case .update:
            // Links to the row may be written after it was removed: they are not reported unless it
            // is inserted again.
            properties.formUnion(row.properties.lazy.map(String.init))
            for value in row.values {
                if old[value.column] == nil { old[value.column] = value.old }
                new[value.column] = value.new
            }
        case .delete:
            exists = false
            for value in row.values where old[value.column] == nil {
                old[value.column] = value.old
            }
        }
    }

    /// The combined kind; nil for a row that was inserted and deleted again.
    package var kind: HistoryChange.Kind? {
        switch (existed, exists) {
        case (false, true): .insert
        case (true, true): .update
        case (true, false): .delete
        case (false, false): nil
        }
    }

    /// The change without values that its kind does not have.
    package var settled: FoldedChange {
        var change = self
        switch kind {
        case .insert?:
            change.properties = []
            change.old = [:]
            change.new = new.filter { $0.value != .null }
        case .delete?:
            change.properties = []
            change.new = [:]
            change.old = old.filter { $0.value != .null }
        case .update?:
            let unchanged = unchangedColumns
            if isReplaced { change.settleReplacement() }
            change.forget(unchanged)
        case nil:
            break
        }
        return change
    }

    /// The columns of derived attributes that have their former values again: an attribute that is
    /// computed from several others may change with each of them.
    private var unchangedColumns: Set<String> {
        let columns = Set(entity.derivedSlots.slots.compactMap { entity.layout.slots[$0].column })
        return columns.filter { column in
            (old[column] != nil || new[column] != nil)
                && (old[column] ?? .null) == (new[column] ?? .null)
        }
    }

    private mutating func forget(_ columns: Set<String>) {
        guard !columns.isEmpty else { return }
        properties.subtract(entity.propertyNames(where: columns.contains))
        for column in columns { (old[column], new[column]) = (nil, nil) }
    }

    /// The differences between the deleted row and the one that was inserted again.
    private mutating func settleReplacement() {
        let (former, present) = (old, new)
        old = [:]
        new = [:]
        guard hasReplacement else {
            // If a program replaces rows without recording the differences, all their values may
            // have changed. Other entries say that other rows reference this one.
            let own = entity.propertyNames(where: { _ in true })
            if properties.isDisjoint(with: own) { properties.formUnion(own) }
            return
        }
        var columns = Set(former.keys).union(present.keys)
            .filter { (former[$0] ?? .null) != (present[$0] ?? .null) }
        for pair in entity.keyColumns where !columns.isDisjoint(with: pair) {
            columns.formUnion(pair)
        }
        for column in columns {
            old[column] = former[column] ?? .null
            new[column] = present[column] ?? .null
        }
        let differing = new
        properties.formUnion(entity.propertyNames { differing[$0] != nil })
    }

    /// The change as a program sees it.
    ///
    /// - Returns: Nil for a row that was inserted and deleted again.
    package func change(
        _ key: Int64, store: StoreIdentifier, in model: ModelDescription
    ) -> HistoryChange? {
        guard let kind else { return nil }
        let settled = settled
        return HistoryChange(
            objectID: ObjectID(entity, key: key, store: store), kind: kind,
            updatedProperties: settled.properties,
            oldValues: entity.propertyValues(settled.old, store: store, in: model),
            newValues: entity.propertyValues(settled.new, store: store, in: model),
            tombstone: kind == .delete ? entity.tombstone(settled.old) : nil)
    }
}

extension EntityDescription {
    /// The columns of each key with a column for its entity. These change together.
    fileprivate var keyColumns: [[String]] {
        relationships.filter { $0.entitySlot != nil }.map { relationship in
            layout.slots.filter { $0.property == relationship.relationship.name }
                .compactMap(\.column)
        }
    }

    /// The names of the properties with columns that match a condition.
    fileprivate func propertyNames(where isMeant: (_ column: String) -> Bool) -> Set<String> {
        Set(layout.slots.filter { $0.column.map(isMeant) ?? false }.map(\.property))
    }

    /// Converts values of columns to values of properties.
    fileprivate func propertyValues(
        _ columns: [String: StoredValue], store: StoreIdentifier, in model: ModelDescription
    ) -> [String: PropertyValue] {
        if columns.isEmpty { return [:] }
        var values: [String: PropertyValue] = [:]
        for (slot, place) in layout.slots.enumerated() where !place.isEntityOfKey {
            guard let column = place.column, let stored = columns[column] else { continue }
            if let attribute = attributes[slot] {
                values[place.property] = .value(
                    self.model.value(stored, as: attribute.type) ?? .null)
            } else if case .integer(let key) = stored {
                let relationship = relationship(named: place.property)
                let entityColumn = relationship?.entitySlot.flatMap { layout.slots[$0].column }
                var destination = relationship.map { model.entities[$0.destination] }
                if let entityColumn, case .text(let name)? = columns[entityColumn] {
                    destination = model[name] ?? destination
                }
                values[place.property] = .toOne(
                    destination.map { ObjectID($0, key: key, store: store) })
            } else {
                values[place.property] = .toOne(nil)
            }
        }
        return values
    }

    /// The values of the attributes that are preserved.
    fileprivate func tombstone(_ columns: [String: StoredValue]) -> [String: Value] {
        var values: [String: Value] = [:]
        for (slot, attribute) in attributes.enumerated() {
            guard let attribute, attribute.isPreservedAfterDeletion, !attribute.usesExternalForm,
                let column = layout.slots[slot].column
            else { continue }
            values[attribute.name] =
                columns[column].flatMap { model.value($0, as: attribute.type) } ?? .null
        }
        return values
    }
}
