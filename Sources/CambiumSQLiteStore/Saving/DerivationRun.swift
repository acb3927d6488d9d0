import CambiumEngine
import CambiumModel
import CambiumRecords
import CambiumSQLite

/// Brings derived attributes up to date in the transaction of a save, for exactly the objects whose
/// sources it touched: O(affected rows × log rows).
///
/// Whose sources they were is asked before anything is written, whose they are is asked after it.
struct DerivationRun {
    private let plan: DerivationPlan
    private let links: [PreparedSQL.Links]
    private let model: ModelDescription
    private let connection: Connection
    /// For each maintained attribute, the keys of the objects whose value may be another one.
    private var owners: [Set<Int64>]

    /// - Returns: Nil where the model has no derived attributes.
    init?(_ prepared: PreparedSQL, _ model: ModelDescription, _ connection: Connection) {
        guard let plan = prepared.derivations else { return nil }
        self.plan = plan
        links = prepared.links
        self.model = model
        self.connection = connection
        owners = Array(repeating: [], count: plan.maintained.count)
    }

    /// Looks for the objects that lose what their values were computed from.
    mutating func prepare(for request: SaveRequest) throws {
        for (index, attribute) in plan.maintained.enumerated() {
            for source in attribute.sources where !source.isOwnRow {
                var keys: [Int64] = []
                for update in request.updates
                where !update.slots.intersection(source.backSlots[update.entity.index]).isEmpty {
                    keys += update.records.map(\.key)
                }
                for deletion in request.deletions
                where source.learnsOfDeletions && source.slots[deletion.entity.index] != nil {
                    keys += deletion.records.map(\.key)
                }
                try note(keys + linked(request, source), of: source, for: index)
            }
        }
    }

    /// Writes the values, and reads those that the save could not know.
    mutating func finish(_ request: SaveRequest, now: Date) throws -> [DerivedRow] {
        for (index, attribute) in plan.maintained.enumerated() {
            for source in attribute.sources {
                var keys: [Int64] = []
                for insertion in request.insertions
                where source.learnsOfInsertions && source.slots[insertion.entity.index] != nil {
                    keys += insertion.records.map(\.key)
                }
                for update in request.updates {
                    guard let slots = source.slots[update.entity.index],
                        !update.slots.intersection(slots).isEmpty
                    else { continue }
                    keys += update.records.map(\.key)
                }
                try note(keys + linked(request, source), of: source, for: index)
            }
        }
        var touched = writtenKeys(request)
        for (index, attribute) in plan.maintained.enumerated() {
            let changed = try update(attribute, owners[index], now)
            guard !changed.isEmpty else { continue }
            touched[attribute.rootIndex].formUnion(changed)
            try passOn(changed, of: attribute, after: index)
        }
        return try touched.enumerated().flatMap { try read($1, root: $0) }
    }

    /// The objects on this side of the pairs that were added or removed.
    private func linked(
        _ request: SaveRequest, _ source: MaintainedAttribute.Source
    ) -> [Int64] {
        guard !source.joinTables.isEmpty else { return [] }
        return request.links.flatMap { links -> [Int64] in
            guard
                case .joinTable(let table, let sourceColumn, _) =
                    self.links[links.relationship.identity].storage,
                let column = source.joinTables[table]
            else { return [] }
            let isSource = column == sourceColumn
            return (links.added + links.removed).map { isSource ? $0.source : $0.destination }
        }
    }

    private mutating func note(
        _ keys: [Int64], of source: MaintainedAttribute.Source, for index: Int
    ) throws {
        guard !keys.isEmpty else { return }
        if source.isOwnRow {
            owners[index].formUnion(keys)
            return
        }
        var found: [Int64] = []
        try connection.query(source.owners, over: keys) { statement in
            found.append(statement.integer(at: 0))
        }
        owners[index].formUnion(found)
    }

    private func update(
        _ attribute: MaintainedAttribute, _ keys: Set<Int64>, _ now: Date
    ) throws -> [Int64] {
        guard !keys.isEmpty else { return [] }
        let (sql, parameters) = try attribute.derivation.update(now: now)
        var changed: [Int64] = []
        try connection.query(sql, over: Array(keys), parameters) {
            changed.append($0.integer(at: 0))
        }
        return changed
    }

    /// Attributes that look at this one have other values too.
    private mutating func passOn(
        _ keys: [Int64], of attribute: MaintainedAttribute, after index: Int
    ) throws {
        let name = attribute.derivation.attribute.name
        for later in plan.maintained.indices.dropFirst(index + 1) {
            for source in plan.maintained[later].sources {
                let isLookedAt = model.families[attribute.rootIndex].contains { entity in
                    guard let slot = model.entities[entity].layout.slot(of: name) else {
                        return false
                    }
                    return source.slots[entity]?.slots.contains(slot) == true
                }
                if isLookedAt { try note(keys, of: source, for: later) }
            }
        }
    }

    // MARK: Reading back

    /// The keys of the rows that the save wrote and that have derived columns, by root.
    private func writtenKeys(_ request: SaveRequest) -> [Set<Int64>] {
        var keys = [Set<Int64>](repeating: [], count: model.entities.count)
        func add(_ entity: EntityDescription, _ new: some Sequence<Int64>) {
            if plan.slots[entity.index].contains(where: { $0 != nil }) {
                keys[entity.rootIndex].formUnion(new)
            }
        }
        for insertion in request.insertions { add(insertion.entity, insertion.records.map(\.key)) }
        for update in request.updates { add(update.entity, update.records.map(\.key)) }
        return keys
    }

    private func read(_ keys: Set<Int64>, root: Int) throws -> [DerivedRow] {
        guard !keys.isEmpty, let columns = plan.columns[root] else { return [] }
        var rows: [DerivedRow] = []
        let first = columns.hasEntity ? 2 : 1
        try connection.query(columns.query, over: keys.sorted()) { statement in
            let values = statement.values()
            var entity = root
            if columns.hasEntity, case .text(let name) = values[1] {
                entity = model[name]?.index ?? root
            }
            var row = DerivedRow(entity: entity, key: statement.integer(at: 0), values: [])
            for (index, slot) in plan.slots[entity].enumerated() {
                if let slot { row.values.append((slot, values[first + index])) }
            }
            rows.append(row)
        }
        return rows
    }
}
