import CambiumEngine
import CambiumModel
import CambiumRecords

/// Rows as one transaction sees them, for what is worked out in memory: read when they are needed, and
/// kept. It belongs to one thread.
final class PostgresSnapshot {
    let layout: PostgresLayout
    private let connection: PostgresConnection
    private let writer = RecordWriter()
    private var known: [RowIdentity: PostgresSubject?] = [:]
    /// What kept rows from being read where nothing can be thrown.
    private(set) var failure: (any Error)?

    init(_ layout: PostgresLayout, _ connection: PostgresConnection) {
        self.layout = layout
        self.connection = connection
    }

    /// What a request finds, in its order and in its window.
    func subjects(_ request: RowRequest) throws -> [PostgresSubject] {
        let select = try PostgresSelect(request, layout)
        let rows = try connection.run([select.statement], interruption: request.interruption)[0]
        var found = try (0..<rows.count).map { try subject(rows, $0, request.entity) }
        if select.filtersInMemory, case .matching(let condition?, let arguments) = request.selection
        {
            let evaluator = try ExpressionEvaluator(
                condition: condition, entity: request.entity.entity, model: layout.model.model,
                parameters: arguments)
            found = try found.filter { try evaluator.isTrue($0) }
        }
        if select.sortsInMemory { found = try sorted(found, request) }
        if let failure { throw failure }
        if select.isComplete { return found }
        let rest = found.dropFirst(request.offset)
        return Array(request.limit.map { rest.prefix($0) } ?? rest)
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

    private func subject(
        _ rows: PostgresRows, _ row: Int, _ entity: EntityDescription
    ) throws -> PostgresSubject {
        let table = layout.tables[entity.index]
        let number = table.entity(of: rows, row, in: layout.model)
        let placed = try table.read(rows, row, entity: number, in: layout.model, into: writer)
        let own = layout.model.entities[number]
        let subject = PostgresSubject(placed, of: own, in: self)
        known[RowIdentity(root: own.rootIndex, key: placed.record.key)] = .some(subject)
        return subject
    }

    /// The row of a key; nil where there is none.
    func subject(_ id: RowIdentity) -> PostgresSubject? {
        if let known = known[id] { return known }
        let found = noting([]) {
            try subjects(
                RowRequest(entity: layout.model.entities[id.root], selection: .key(id.key)))
        }
        known[id] = .some(found.first)
        return found.first
    }

    /// The rows at the far end of a relationship, in its order.
    func subjects(
        _ relationship: RelationshipDescription, of entity: EntityDescription, _ key: Int64
    ) -> [PostgresSubject] {
        noting([]) {
            try subjects(
                RowRequest(
                    entity: layout.model.entities[relationship.destination],
                    selection: .farEnd(
                        RowRequest.Origin(entity: entity, key: key, relationship: relationship))))
        }
    }

    /// What the body returns, or the empty value where it throws, which is noted.
    private func noting<Result>(_ empty: Result, _ body: () throws -> Result) -> Result {
        do {
            return try body()
        } catch {
            failure = failure ?? error
            return empty
        }
    }
}

/// A row as expressions in memory see it.
final class PostgresSubject: ExpressionSubject {
    let placed: PlacedRecord
    let entity: EntityDescription
    private unowned let snapshot: PostgresSnapshot

    init(_ placed: PlacedRecord, of entity: EntityDescription, in snapshot: PostgresSnapshot) {
        self.placed = placed
        self.entity = entity
        self.snapshot = snapshot
    }

    var expressionKey: Int64 { placed.record.key }

    var expressionEntity: String { entity.name }

    func value(ofAttribute name: String) -> Value {
        guard let slot = entity.layout.slot(of: name), let attribute = entity.attributes[slot]
        else {
            return .null
        }
        var stored = placed.record.storedValue(slot, entity.shape.kinds[slot])
        if attribute.usesExternalForm, case .blob(let bytes) = stored {
            stored = .blob(Data(bytes.dropFirst()))
        }
        return entity.model.value(stored, as: attribute.type) ?? .null
    }

    func related(_ toOne: String) -> (any ExpressionSubject)? {
        guard let relationship = entity.relationship(named: toOne) else { return nil }
        guard let slot = relationship.slot else {
            return snapshot.subjects(relationship, of: entity, expressionKey).first
        }
        guard placed.record.hasValue(slot) else { return nil }
        return snapshot.subject(
            RowIdentity(root: relationship.destinationRoot, key: placed.record.integer(slot)))
    }

    func relatedObjects(_ toMany: String) -> [any ExpressionSubject] {
        guard let relationship = entity.relationship(named: toMany) else { return [] }
        return snapshot.subjects(relationship, of: entity, expressionKey)
    }
}
