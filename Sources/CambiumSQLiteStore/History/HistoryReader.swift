import CambiumEngine
import CambiumModel
import CambiumRecords
import CambiumSQL
import CambiumSQLite

/// Reads a store's history, in a transaction of SQLite that the caller has begun.
struct HistoryReader {
    let connection: Connection
    let model: ModelDescription
    let store: StoreIdentifier
    /// Which history of the store it is.
    let epoch: UUID
    /// Whether changes come with their values, where the history has them.
    var readsValues = true

    /// Where a history begins and ends, as numbers of changes.
    struct Bounds {
        /// The last change.
        let last: Int64
        /// The last one that is in a transaction; those after it are of programs without Cambium.
        let lastRecorded: Int64
        /// The number of the last transaction.
        let lastNumber: Int64
        /// The last one that was removed.
        let floor: Int64
    }

    func bounds() throws -> Bounds {
        let row = try connection.rows(HistorySQL.bounds).first ?? []
        let numbers = row.map { value -> Int64 in
            if case .integer(let number) = value { number } else { 0 }
        }
        guard numbers.count == 4 else {
            return Bounds(last: 0, lastRecorded: 0, lastNumber: 0, floor: 0)
        }
        return Bounds(
            last: numbers[0], lastRecorded: numbers[1], lastNumber: numbers[2], floor: numbers[3])
    }

    /// The transactions that a request asks for.
    ///
    /// - Parameter position: What has been seen; afterwards what has been looked at.
    func transactions(
        _ request: HistoryRequest, after position: inout Int64, _ bounds: Bounds
    ) throws -> [HistoryTransaction] {
        var found: [HistoryTransaction] = []
        let limit = request.limit ?? .max
        // Head by head: how many a limit needs is not known before their changes are.
        let heads = try connection.statement(HistorySQL.transactionsAfter)
        defer { heads.reset() }
        try heads.bind([.integer(position)])
        while found.count < limit, try heads.step() {
            guard let head = Self.head(heads) else { continue }
            if let transaction = try transaction(head, request, after: &position) {
                found.append(transaction)
            }
        }
        if found.count < limit, bounds.last > bounds.lastRecorded, bounds.last > position {
            let unrecorded = Head(
                last: bounds.last, first: bounds.lastRecorded + 1,
                number: bounds.lastNumber &+ 1, date: .now)
            if let transaction = try transaction(unrecorded, request, after: &position) {
                found.append(transaction)
            }
        }
        return found
    }

    /// - Returns: Nil for a transaction that the request passes over.
    private func transaction(
        _ head: Head, _ request: HistoryRequest, after position: inout Int64
    ) throws -> HistoryTransaction? {
        let start = max(position + 1, head.first)
        position = head.last
        guard
            request.wants(author: head.author, contextName: head.contextName, date: head.date)
        else { return nil }
        var transaction = transaction(head)
        if request.includesChanges {
            transaction.changes = try changes(from: start, to: head.last, request)
            if transaction.changes.isEmpty, request.selectsChanges { return nil }
        }
        return transaction
    }

    // MARK: Transactions

    /// What the history says of a transaction itself.
    private struct Head {
        let last: Int64
        let first: Int64
        let number: Int64
        let date: Date
        var author: String?
        var contextName: String?
        var process: String?
        var processIdentifier: Int?
        var writer: String?
    }

    private static func head(_ statement: Statement) -> Head? {
        let row = (0..<statement.columnCount).map(statement.value(at:))
        guard row.count == 9, case .integer(let last) = row[0], case .integer(let first) = row[1],
            case .integer(let number) = row[2], case .real(let date) = row[3]
        else { return nil }
        func text(_ value: StoredValue) -> String? {
            if case .text(let text) = value { text } else { nil }
        }
        var process: Int?
        if case .integer(let identifier) = row[7] { process = Int(identifier) }
        return Head(
            last: last, first: first, number: number,
            date: Date(timeIntervalSinceReferenceDate: date), author: text(row[4]),
            contextName: text(row[5]), process: text(row[6]), processIdentifier: process,
            writer: text(row[8]))
    }

    private func transaction(_ head: Head) -> HistoryTransaction {
        HistoryTransaction(
            number: head.number, date: head.date, author: head.author,
            contextName: head.contextName, processName: head.process,
            processIdentifier: head.processIdentifier, storeIdentifier: store.uuid,
            token: HistoryToken([store.uuid: .init(epoch: epoch, change: head.last)]),
            changes: [], writer: head.writer)
    }

    // MARK: Changes

    private func changes(
        from first: Int64, to last: Int64, _ request: HistoryRequest
    ) throws -> [HistoryChange] {
        let wanted = request.entityNames.map { names in
            Set(names.compactMap { model[$0]?.index }.flatMap { model.families[$0] })
        }
        let roots = wanted.map { Set($0.map { model.entities[$0].rootIndex }) }
        let keys = request.objectIDs.map {
            Set($0.map { RowIdentity(root: $0.entity.rootIndex, key: $0.key) })
        }
        var order: [RowIdentity] = []
        var folded: [RowIdentity: FoldedChange] = [:]
        let statement = try connection.statement(HistorySQL.changesBetween)
        defer { statement.reset() }
        try statement.bind([.integer(first), .integer(last)])
        let values = try connection.statement(HistorySQL.valuesBetween)
        while try statement.step() {
            // An entity that the model does not have (any more) has no objects.
            guard let kind = HistoryChange.Kind(rawValue: Int(statement.integer(at: 1))),
                let entity = model[statement.text(at: 2)],
                roots?.contains(entity.rootIndex) ?? true
            else { continue }
            let id = RowIdentity(root: entity.rootIndex, key: statement.integer(at: 3))
            guard keys?.contains(id) ?? true else { continue }
            let row = FoldedChange.Row(
                kind: kind, properties: statement.text(at: 4).split(separator: " "),
                values: try readsValues ? Self.values(of: statement.integer(at: 0), values) : [])
            if folded[id] == nil { order.append(id) }
            folded[id, default: FoldedChange(entity: entity)].add(row, entity, in: model)
        }
        return order.compactMap { id in
            guard let change = folded[id]?.change(id.key, store: store, in: model),
                wanted?.contains(change.objectID.entity.index) ?? true,
                request.kinds?.contains(change.kind) ?? true
            else { return nil }
            return change
        }
    }

    /// The values of one change.
    private static func values(
        of change: Int64, _ statement: Statement
    ) throws -> [FoldedChange.ColumnValue] {
        var values: [FoldedChange.ColumnValue] = []
        defer { statement.reset() }
        try statement.bind(.integer(change), at: 1)
        try statement.bind(.integer(change), at: 2)
        while try statement.step() {
            values.append(
                .init(
                    column: statement.text(at: 1), old: statement.value(at: 2),
                    new: statement.value(at: 3)))
        }
        return values
    }
}

/// All that one transaction did to one row, as one change. A save may touch a row several times: it
/// writes derived values after the others, and takes a row out and puts it back whose unique values
/// another one gets.
struct FoldedChange {
    /// What the history's triggers note.
    struct Row {
        let kind: HistoryChange.Kind
        let properties: [Substring]
        let values: [ColumnValue]
    }

    /// The value of a column before and after.
    struct ColumnValue {
        let column: String
        let old: StoredValue
        let new: StoredValue
    }

    /// The row's own entity, as far as it is known.
    private(set) var entity: EntityDescription
    private var wasThere = true
    private var isThere = true
    /// Whether the row was put back.
    private var isReplaced = false
    /// Whether the values are known that it was put back with.
    private var hasReplacement = false
    private(set) var properties: Set<String> = []
    /// By column.
    private(set) var old: [String: StoredValue] = [:]
    private(set) var new: [String: StoredValue] = [:]

    init(entity: EntityDescription) {
        self.entity = entity
    }

    mutating func add(_ row: Row, _ entity: EntityDescription, in model: ModelDescription) {
        // Who changes a link may know the entity that the link references, and no more.
        if model.families[self.entity.index].contains(entity.index) { self.entity = entity }
        switch row.kind {
        case .insert:
            // Its links may have been written before it was.
            if isThere { wasThere = false }
            isReplaced = wasThere
            hasReplacement = !row.values.isEmpty
            isThere = true
            new = [:]
            for value in row.values { new[value.column] = value.new }
        case .update:
            // The owner of a key may be reported after it was deleted.
            if isThere {
                properties.formUnion(row.properties.lazy.map(String.init))
                for value in row.values {
                    if old[value.column] == nil { old[value.column] = value.old }
                    new[value.column] = value.new
                }
            }
        case .delete:
            isThere = false
            for value in row.values where old[value.column] == nil {
                old[value.column] = value.old
            }
        }
    }

    /// What it comes to; nil for a row that came and went.
    var kind: HistoryChange.Kind? {
        switch (wasThere, isThere) {
        case (false, true): .insert
        case (true, true): .update
        case (true, false): .delete
        case (false, false): nil
        }
    }

    /// The same, without what is not said of its kind.
    var settled: FoldedChange {
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
        case .update? where isReplaced:
            change.settleReplacement()
        case .update?, nil:
            break
        }
        return change
    }

    /// What differs between the row that was taken out and the one that was put in.
    private mutating func settleReplacement() {
        let (former, present) = (old, new)
        old = [:]
        new = [:]
        guard hasReplacement else {
            // A program that replaces rows without saying what differs may have changed all.
            if properties.isEmpty { properties = entity.propertyNames(where: { _ in true }) }
            return
        }
        for column in Set(former.keys).union(present.keys)
        where (former[column] ?? .null) != (present[column] ?? .null) {
            old[column] = former[column] ?? .null
            new[column] = present[column] ?? .null
        }
        let differing = new
        properties.formUnion(entity.propertyNames { differing[$0] != nil })
    }

    /// The change as a program sees it.
    ///
    /// - Returns: Nil for a row that came and went.
    func change(_ key: Int64, store: StoreIdentifier, in model: ModelDescription) -> HistoryChange?
    {
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
    /// The names of the properties that have columns which meet a condition.
    fileprivate func propertyNames(where isMeant: (_ column: String) -> Bool) -> Set<String> {
        Set(layout.slots.filter { $0.column.map(isMeant) ?? false }.map(\.property))
    }

    /// The values of properties from those of columns.
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
