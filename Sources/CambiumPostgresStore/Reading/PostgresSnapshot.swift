import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords

/// The rows of one transaction, for evaluation in memory. Rows are read when they are needed, and
/// kept. If rows were read together, a value that one of them needs is read for all of them. The
/// snapshot belongs to one thread.
final class PostgresSnapshot {
    let layout: PostgresLayout
    private let connection: PostgresConnection
    private let writer = RecordWriter()
    private var known: [RowIdentity: PostgresSubject?] = [:]
    /// The far ends of relationships that the rows themselves do not hold.
    private var ends: [End: [PostgresSubject]] = [:]
    /// The rows that were read together.
    private var groups: [[PostgresSubject]] = []
    /// The error that prevented rows from being read in a function that cannot throw.
    private(set) var failure: (any Error)?

    private struct End: Hashable {
        let owner: RowIdentity
        let name: String
    }

    init(_ layout: PostgresLayout, _ connection: PostgresConnection) {
        self.layout = layout
        self.connection = connection
    }

    /// The rows that a request finds, in its order and in its window.
    func subjects(_ request: RowRequest) throws -> [PostgresSubject] {
        let select = try PostgresSelect(request, layout, isFirstPart: true)
        if !select.isComplete { try request.allowInMemoryFiltering(layout) }
        let rows = try connection.run([select.statement], interruption: request.interruption)[0]
        var found = try met(by: request, select, rows)
        let wanted = request.offset + (request.limit ?? 0)
        if select.isPartial, found.count < wanted,
            rows.count == PostgresSelect.firstRows(of: request)
        {
            // A window has no results that need the related objects of its rows.
            found = []
            try PostgresPages(request: request, layout: layout, connection: connection)
                .read(PostgresSelect(request, layout)) { subject in
                    found.append(subject)
                    return found.count < wanted
                }
        }
        if select.sortsInMemory { found = try sorted(found, request) }
        if let failure { throw failure }
        if select.isComplete { return found }
        let rest = found.dropFirst(request.offset)
        return Array(request.limit.map { rest.prefix($0) } ?? rest)
    }

    /// Counts the rows that meet the condition, or those of them that are in doubt.
    func count(_ request: RowRequest, isInDoubt: Bool) throws -> Int {
        try request.allowInMemoryFiltering(layout)
        var request = request
        request.isUnordered = true
        let select = try PostgresSelect(request, layout, isInDoubt ? .rowsInDoubt : .rows)
        var count = 0
        try PostgresPages(request: request, layout: layout, connection: connection)
            .read(select) { _ in
                count += 1
                return true
            }
        return count
    }

    /// The rows of a statement's result that meet the condition.
    func met(
        by request: RowRequest, _ select: PostgresSelect, _ rows: PostgresRows
    ) throws -> [PostgresSubject] {
        let subjects = try subjects(rows, request.entity)
        guard select.filtersInMemory,
            case .matching(let condition?, let arguments) = request.selection
        else { return subjects }
        let evaluator = try ExpressionEvaluator(
            condition: condition, entity: request.entity.entity, model: layout.model.model,
            parameters: arguments)
        var found: [PostgresSubject] = []
        for (row, subject) in subjects.enumerated() {
            let isSure = select.doubtColumn.map { !rows.boolean(row, $0) } ?? false
            if try isSure || evaluator.isTrue(subject) { found.append(subject) }
        }
        return found
    }

    private func sorted(
        _ subjects: [PostgresSubject], _ request: RowRequest
    ) throws -> [PostgresSubject] {
        let evaluators = try request.sort.map {
            try ExpressionEvaluator(
                value: $0.value, entity: request.entity.entity, model: layout.model.model)
        }
        let keys = try subjects.map { subject in
            try zip(request.sort, evaluators).map { $0.texts.key(of: try $1.evaluate(subject)) }
        }
        let order = subjects.indices.sorted { one, other in
            for (level, term) in request.sort.enumerated() {
                let result = TextOrder.bytes.order(
                    keys[one][level], keys[other][level], isDescending: term.isDescending,
                    placesNilLast: term.placesNilLast)
                if result != 0 { return result < 0 }
            }
            return subjects[one].expressionKey < subjects[other].expressionKey
        }
        return order.map { subjects[$0] }
    }

    /// Rows that were read together. One that is known already stays as it is.
    func subjects(
        _ rows: PostgresRows, _ entity: EntityDescription
    ) throws -> [PostgresSubject] {
        let table = layout.tables[entity.index]
        let group = groups.count
        var subjects: [PostgresSubject] = []
        subjects.reserveCapacity(rows.count)
        for row in 0..<rows.count {
            let number = table.entity(of: rows, row, in: layout.model)
            let own = layout.model.entities[number]
            let identity = RowIdentity(root: own.rootIndex, key: rows.integer(row, 0))
            if case let subject?? = known[identity] {
                subjects.append(subject)
                continue
            }
            let placed = try table.read(rows, row, entity: number, in: layout.model, into: writer)
            let subject = PostgresSubject(placed, of: own, in: self, group: group)
            known[identity] = .some(subject)
            subjects.append(subject)
        }
        groups.append(subjects.filter { $0.group == group })
        return subjects
    }

    /// The rows that were read together with one and are of its entity.
    private func siblings(_ subject: PostgresSubject) -> some Sequence<PostgresSubject> {
        groups[subject.group].lazy.filter { $0.entity === subject.entity }
    }

    /// The row that the column of a to-one references; nil if there is none.
    func subject(_ id: RowIdentity, by slot: Int, of subject: PostgresSubject) -> PostgresSubject? {
        if let known = known[id] { return known }
        var keys: Set<Int64> = []
        for sibling in siblings(subject) {
            guard let key = sibling.key(in: slot) else { continue }
            if known[RowIdentity(root: id.root, key: key)] == nil { keys.insert(key) }
        }
        keys.insert(id.key)
        noting {
            _ = try subjects(
                RowRequest(
                    entity: layout.model.entities[id.root], selection: .keys(keys.sorted()),
                    isUnordered: true))
        }
        for key in keys where known[RowIdentity(root: id.root, key: key)] == nil {
            known[RowIdentity(root: id.root, key: key)] = .some(nil)
        }
        return known[id] ?? nil
    }

    /// The rows at the far end of a relationship, in its order.
    func subjects(
        _ relationship: RelationshipDescription, of subject: PostgresSubject
    ) -> [PostgresSubject] {
        let name = relationship.relationship.name
        if let known = ends[End(owner: subject.identity, name: name)] { return known }
        let owners = siblings(subject).filter {
            ends[End(owner: $0.identity, name: name)] == nil
        }
        for owner in owners { ends[End(owner: owner.identity, name: name)] = [] }
        noting {
            let root = subject.identity.root
            for (owner, member) in try members(relationship, of: subject.entity, owners) {
                let identity = RowIdentity(root: root, key: owner)
                ends[End(owner: identity, name: name), default: []].append(member)
            }
        }
        return ends[End(owner: subject.identity, name: name)] ?? []
    }

    /// The far ends of a relationship of many owners.
    private func members(
        _ relationship: RelationshipDescription, of entity: EntityDescription,
        _ owners: [PostgresSubject]
    ) throws -> [(owner: Int64, member: PostgresSubject)] {
        let destination = layout.model.entities[relationship.destination]
        let table = layout.tables[destination.index]
        let link = try PostgresLink(relationship, of: entity, layout)
        let order =
            [link.owner] + (link.position.map { ["\($0) NULLS LAST"] } ?? [])
            + [PostgresSelect.key]
        var parameters = PostgresParameters()
        parameters.appendArray(of: owners.map(\.expressionKey))
        let rows = try connection.run(
            """
            SELECT \(table.list), \(link.owner) FROM \(table.source)\(link.join) \
            WHERE \(link.owner) = ANY($1) ORDER BY \(order.joined(separator: ", "))
            """, parameters)
        let owner = table.systemColumns.count + table.columns.count
        return try subjects(rows, destination).enumerated().map { row, member in
            (rows.integer(row, owner), member)
        }
    }

    /// A value in its external form, without its tag.
    fileprivate func externalValue(_ bytes: Data) -> StoredValue {
        guard bytes.first == ExternalForm.file else { return .blob(Data(bytes.dropFirst())) }
        let name = String(decoding: bytes.dropFirst(), as: UTF8.self)
        var value = StoredValue.null
        noting { value = .blob(try layout.external.read(name, connection)) }
        return value
    }

    /// Runs a body and notes its error.
    private func noting(_ body: () throws -> Void) {
        do {
            try body()
        } catch {
            failure = failure ?? error
        }
    }
}

/// A row as expressions in memory see it.
final class PostgresSubject: ExpressionSubject {
    let placed: PlacedRecord
    let entity: EntityDescription
    /// The number of the rows that it was read with.
    let group: Int
    private unowned let snapshot: PostgresSnapshot

    init(
        _ placed: PlacedRecord, of entity: EntityDescription, in snapshot: PostgresSnapshot,
        group: Int
    ) {
        self.placed = placed
        self.entity = entity
        self.snapshot = snapshot
        self.group = group
    }

    var identity: RowIdentity { RowIdentity(root: entity.rootIndex, key: expressionKey) }

    var expressionKey: Int64 { placed.record.key }

    var expressionEntity: String { entity.name }

    func value(ofAttribute name: String) -> Value {
        guard let slot = entity.layout.slot(of: name), let attribute = entity.attributes[slot]
        else {
            return .null
        }
        var stored = placed.record.storedValue(slot, entity.shape.kinds[slot])
        if attribute.usesExternalForm, case .blob(let bytes) = stored {
            stored = snapshot.externalValue(bytes)
        }
        return entity.model.value(stored, as: attribute.type) ?? .null
    }

    /// The row's stored value of an attribute.
    func storedValue(ofAttribute name: String) -> StoredValue {
        guard let slot = entity.layout.slot(of: name) else { return .null }
        return placed.record.storedValue(slot, entity.shape.kinds[slot])
    }

    /// The key in a slot; nil if there is none.
    func key(in slot: Int) -> Int64? {
        placed.record.hasValue(slot) ? placed.record.integer(slot) : nil
    }

    func related(_ toOne: String) -> (any ExpressionSubject)? {
        guard let relationship = entity.relationship(named: toOne) else { return nil }
        guard let slot = relationship.slot else {
            return snapshot.subjects(relationship, of: self).first
        }
        guard let key = key(in: slot) else { return nil }
        return snapshot.subject(
            RowIdentity(root: relationship.destinationRoot, key: key), by: slot, of: self)
    }

    func relatedObjects(_ toMany: String) -> [any ExpressionSubject] {
        guard let relationship = entity.relationship(named: toMany) else { return [] }
        return snapshot.subjects(relationship, of: self)
    }
}
