import CambiumRecords

/// Updates stored rows with the rows of a batch insertion that have their unique values.
struct BatchUpsert {
    /// A stored row that gets values.
    private struct Target {
        let entity: EntityDescription
        var placed: PlacedRecord
        var slots = SlotSet()
        /// The key of the last row that was written over it.
        var source: Int64
    }

    private let entity: EntityDescription
    private let policy: MergePolicy
    private let transaction: any BatchTransaction
    private let refusesOtherEntities: Bool
    private let writer = RecordWriter()
    private var targets = [Int64: Target]()
    /// The stored rows in the order of the input.
    private var order: [Int64] = []

    /// - Parameter keys: The stored rows.
    init(
        _ keys: Set<Int64>, _ entity: EntityDescription, _ policy: MergePolicy,
        _ transaction: any BatchTransaction, refusesOtherEntities: Bool
    ) throws {
        self.entity = entity
        self.policy = policy
        self.transaction = transaction
        self.refusesOtherEntities = refusesOtherEntities
        for (owner, placed) in try transaction.lookup.rows(keys, root: entity.rootIndex) {
            targets[placed.record.key] = Target(
                entity: owner, placed: placed, source: placed.record.key)
        }
    }

    /// Merges a row into a stored row.
    mutating func merge(_ row: BatchRow, _ met: [(row: Int64, key: UniqueKey)]) throws {
        let record = row.placed.record
        guard let first = met.first, var target = targets[first.row] else { return }
        guard met.allSatisfy({ $0.row == first.row }) else {
            throw RefusedRow(
                entity: entity, key: record.key,
                underlying: ValidationError(
                    code: .notUnique, entityName: entity.name, objectID: nil, property: nil,
                    message: "Several objects have unique values of the row: "
                        + met.map { $0.key.properties.joined(separator: ", ") }
                        .joined(separator: "; ") + "."))
        }
        if refusesOtherEntities, target.entity !== entity {
            let properties = first.key.properties
            throw RefusedRow(
                entity: entity, key: record.key,
                underlying: ValidationError(
                    code: .notUnique, entityName: entity.name, objectID: nil,
                    property: properties.count == 1 ? properties[0] : nil,
                    message: "An object of \(target.entity.name) has the same "
                        + "\(properties.joined(separator: ", ")), and the entity of an object "
                        + "never changes. Give the row the entity \(target.entity.name), or "
                        + "delete that object first."))
        }
        // If the object is from another branch of the hierarchy, only the common properties.
        let common = transaction.model.commonSlots(entity, target.entity, first.key.declarer)
        let wanted = (policy == .overwrite ? entity.storedSlots : row.slots)
            .intersection(common).subtracting(target.entity.derivedSlots)
        wanted.forEach { slot in
            let kind = target.entity.shape.kinds[slot]
            guard !record.isEqual(slot, kind, to: target.placed.record) else { return }
            writer.copySlot(slot, from: record, to: &target.placed, target.entity.shape)
            target.slots.insert(slot)
        }
        target.source = record.key
        targets[first.row] = target
        order.append(first.row)
    }

    /// Writes the rows that got other values.
    func write(_ resultType: BatchResultType) throws {
        var groups = [Group: [PlacedRecord]]()
        for (_, target) in Array(targets).sorted(byKey: { $0.key }) where !target.slots.isEmpty {
            groups[Group(entity: target.entity.index, slots: target.slots), default: []]
                .append(target.placed)
        }
        for (group, placed) in groups.ordered(by: { $0.key.entity < $1.key.entity }) {
            let owner = transaction.model.entities[group.entity]
            var request = SaveRequest()
            request.updates = [
                .init(entity: owner, slots: group.slots, records: placed.map { $0.record })
            ]
            do {
                try transaction.write(request, from: .batch)
            } catch let refused as RefusedRow {
                // The error is in the row of the input.
                throw RefusedRow(
                    entity: entity, key: targets[refused.key]?.source ?? refused.key,
                    underlying: refused.underlying, isOfUniqueValues: refused.isOfUniqueValues)
            }
            for row in placed { row.record.version += 1 }
            transaction.changes.update(placed, group.slots, owner)
        }
        transaction.changes.count += order.count
        guard resultType == .objectIDs else { return }
        transaction.changes.objectIDs += order.compactMap { key in
            targets[key].map {
                ObjectID($0.entity, key: key, store: transaction.identifier)
            }
        }
    }

    private struct Group: Hashable {
        let entity: Int
        let slots: SlotSet
    }
}
