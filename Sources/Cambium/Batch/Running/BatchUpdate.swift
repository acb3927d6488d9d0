import CambiumSQL
import CambiumSQLite

/// Sets properties of the rows that a request finds.
struct BatchUpdate: BatchWork {
    /// What a slot is set to.
    private enum Source {
        case constant(StoredValue)
        /// The number of the expression.
        case expression(Int)
    }

    let resultType: BatchResultType
    private let request: RowRequest
    private var sources: [(slot: Int, source: Source)] = []
    private var expressions: [(expression: ModelExpression, type: AttributeType)] = []
    private var slots = SlotSet()
    /// To-one relationships that are led somewhere, with the key.
    private var targets: [(relationship: RelationshipDescription, key: Int64)] = []

    private static let chunkSize = 10_000

    init(
        _ request: RowRequest, _ assignments: [BatchAssignment], _ resultType: BatchResultType,
        in coordinator: PersistentStoreCoordinator
    ) throws {
        self.request = request
        self.resultType = resultType
        let entity = request.entity
        guard !assignments.isEmpty else {
            throw StoreError(
                code: .invalidRequest,
                message: "A batch update of \(entity.name) sets nothing. Say what with set(_:to:).")
        }
        for assignment in assignments {
            try add(assignment, entity, coordinator)
        }
    }

    // MARK: Preparing

    private mutating func add(
        _ assignment: BatchAssignment, _ entity: EntityDescription,
        _ coordinator: PersistentStoreCoordinator
    ) throws {
        let name = assignment.name
        let slot = try slot(name, of: entity)
        guard !slots.contains(slot) else {
            throw StoreError(
                code: .invalidRequest,
                message: "A batch update sets \(entity.name).\(name) twice.")
        }
        slots.insert(slot)
        switch assignment.value {
        case .constant(let value):
            let (_, stored) = try entity.assigned(value, to: name)
            if case .integer(let key) = stored,
                let relationship = entity.relationship(named: name)
            {
                return lead(relationship, to: key, slot)
            }
            set(slot, stored, entity, name)
        case .json(let json):
            guard let json else { throw BatchRowCheck(entity, slots).unfitError(slot) }
            set(slot, try entity.assigned(.string(json), to: name).value, entity, name)
        case .object(let id):
            guard let id else {
                let (_, stored) = try entity.assigned(.null, to: name)
                if let relationship = entity.relationship(named: name),
                    !relationship.relationship.isOptional
                {
                    throw BatchRowCheck.missing(name, of: entity)
                }
                return set(slot, stored, entity, name)
            }
            guard let relationship = entity.relationship(named: name),
                coordinator.hasStore(id.store),
                coordinator.model.entities[relationship.destination].rootIndex
                    == id.entity.rootIndex
            else {
                throw StoreError(
                    code: .foreignObject,
                    message: "\(entity.name).\(name) was led to \(id), which is in no store of "
                        + "this coordinator, or of another entity.")
            }
            lead(relationship, to: id.key, slot)
        case .expression(let expression):
            try compute(expression, slot, entity, name)
        case .text(let text):
            guard let type = entity.attributes[slot]?.type else {
                throw Self.noExpression(name, entity)
            }
            let expression = ExpressionCompiler.value(
                text, as: type, entity: entity.entity, model: entity.model)
            try compute(expression.get(), slot, entity, name)
        }
    }

    /// The slot of a property; paths may name parts of composite values, not other objects.
    private func slot(_ name: String, of entity: EntityDescription) throws -> Int {
        if let dot = name.firstIndex(of: "."),
            entity.relationship(named: String(name[..<dot])) != nil
        {
            throw StoreError(
                code: .invalidRequest,
                message: "A batch update of \(entity.name) sets \(name), which is a property of "
                    + "another object. Update those objects.")
        }
        return try entity.assignableSlot(name)
    }

    private mutating func set(
        _ slot: Int, _ value: StoredValue, _ entity: EntityDescription, _ name: String
    ) {
        sources.append((slot, .constant(value)))
        if value == .null, let entitySlot = entity.relationship(named: name)?.entitySlot {
            slots.insert(entitySlot)
            sources.append((entitySlot, .constant(.null)))
        }
    }

    private mutating func lead(
        _ relationship: RelationshipDescription, to key: Int64, _ slot: Int
    ) {
        sources.append((slot, .constant(.integer(key))))
        targets.append((relationship, key))
        if let entitySlot = relationship.entitySlot { slots.insert(entitySlot) }
    }

    private mutating func compute(
        _ expression: ModelExpression, _ slot: Int, _ entity: EntityDescription, _ name: String
    ) throws {
        guard let attribute = entity.attributes[slot] else {
            throw Self.noExpression(name, entity)
        }
        guard !attribute.usesExternalForm else {
            throw StoreError(
                code: .invalidRequest,
                message: "\(entity.name).\(name) may lie in files, which no expression can look "
                    + "into. Set it to a constant.")
        }
        sources.append((slot, .expression(expressions.count)))
        expressions.append((expression, attribute.type))
    }

    private static func noExpression(_ name: String, _ entity: EntityDescription) -> StoreError {
        StoreError(
            code: .invalidRequest,
            message: "\(entity.name).\(name) leads to an object, and cannot be set to an "
                + "expression.")
    }

    // MARK: Running

    /// Unique values may move from row to row.
    var canPlan: Bool { true }

    func run(in transaction: BatchTransaction) throws {
        let entity = request.entity
        let constants = try resolveTargets(transaction)
        let heads = try transaction.heads(request)
        transaction.changes.count = heads.count
        if resultType == .objectIDs {
            transaction.changes.objectIDs = heads.map {
                ObjectID(
                    transaction.model.entities[$0.entity], key: $0.key,
                    store: transaction.store.identifier)
            }
        }
        guard !heads.isEmpty else { return }
        let computed = try transaction.store.selects[entity.index].values(of: expressions, now: .now)
        // All is computed before the first row is written: in one piece, where what is computed may
        // look at other rows, or where these may want each other's values.
        let isUnique = transaction.model.uniqueKeys.contains {
            !$0.writtenSlots.intersection(slots).isEmpty
                && transaction.model.families[$0.declarer].contains(where: isConcerned)
        }
        let isWhole = !computed.isOfOwnRow || isUnique
        let keys = heads.map(\.key).sorted()
        var start = 0
        while start < keys.count {
            let end = isWhole ? keys.count : min(keys.count, start + Self.chunkSize)
            try Task.checkCancellation()
            do {
                try write(
                    Array(keys[start..<end]), constants, (computed.sql, computed.parameters),
                    transaction)
            } catch let refused as RefusedRow {
                // Where unique values are in the way, the second try may find a way around.
                let reason = refused.underlying as? SQLiteError
                if !transaction.isPlanned, reason.map(ConstraintFailure.isUnique) == true {
                    throw refused
                }
                throw Self.publicError(of: refused, transaction)
            }
            start = end
        }
    }

    private func isConcerned(_ entity: Int) -> Bool {
        request.entity.index == entity
            || request.entity.model.entity(
                request.entity.model.entities[entity], isKindOf: request.entity.entity)
            || request.entity.model.entity(
                request.entity.entity, isKindOf: request.entity.model.entities[entity])
    }

    private static func publicError(
        of refused: RefusedRow, _ transaction: BatchTransaction
    ) -> any Error {
        let error = refused.publicError(in: transaction.model)
        let id = ObjectID(refused.entity, key: refused.key, store: transaction.store.identifier)
        return (error as? ValidationError)?.of(id) ?? error
    }

    /// What the slots are set to that are constant, with the entities of objects that are led to.
    private func resolveTargets(
        _ transaction: BatchTransaction
    ) throws -> [(slot: Int, value: StoredValue)] {
        var constants: [(slot: Int, value: StoredValue)] = sources.compactMap { slot, source in
            if case .constant(let value) = source { (slot, value) } else { nil }
        }
        let model = transaction.model
        for (relationship, key) in targets {
            let root = model.entities[model.entities[relationship.destination].rootIndex]
            let found = try transaction.heads(RowRequest(entity: root, selection: .keys([key])))
            guard let head = found.first,
                model.families[relationship.destination].contains(head.entity)
            else { throw BatchInsertion.missingTarget(relationship, of: request.entity) }
            if let entitySlot = relationship.entitySlot {
                constants.append((entitySlot, .text(model.entities[head.entity].name)))
            }
        }
        return constants
    }

    private func write(
        _ keys: [Int64], _ constants: [(slot: Int, value: StoredValue)],
        _ computed: (sql: String, parameters: [StoredValue]), _ transaction: BatchTransaction
    ) throws {
        let model = transaction.model
        var values: [Int64: [StoredValue]] = [:]
        if !expressions.isEmpty {
            try transaction.query(computed.sql, keys, computed.parameters) {
                values[$0.integer(at: 0)] = Array($0.values().dropFirst())
            }
        }
        let writer = RecordWriter()
        let checks = model.families[request.entity.index].reduce(into: [:]) {
            $0[$1] = BatchRowCheck(model.entities[$1], slots)
        }
        var groups: [Int: [PlacedRecord]] = [:]
        for (entity, row) in try transaction.lookup.rows(keys, root: request.entity.rootIndex) {
            var placed = row
            for (slot, value) in constants { writer.set(value, slot, of: &placed, entity.shape) }
            for (slot, source) in sources {
                guard case .expression(let number) = source,
                    let value = values[placed.record.key]?[number]
                else { continue }
                writer.set(
                    Self.fitting(value, entity.attributes[slot]), slot, of: &placed, entity.shape)
            }
            if let error = checks[entity.index]?.error(in: placed.record) {
                throw RefusedRow(entity: entity, key: placed.record.key, underlying: error)
            }
            groups[entity.index, default: []].append(placed)
        }
        try write(groups, transaction)
    }

    /// Numbers of single precision are stored as what they read back as.
    private static func fitting(_ value: StoredValue, _ attribute: Attribute?) -> StoredValue {
        guard attribute?.type == .float, case .real(let number) = value else { return value }
        return .real(Double(Float(number)))
    }

    private func write(
        _ groups: [Int: [PlacedRecord]], _ transaction: BatchTransaction
    ) throws {
        let model = transaction.model
        var request = SaveRequest()
        for (entity, rows) in groups.sorted(by: { $0.key < $1.key }) {
            request.updates.append(
                .init(entity: model.entities[entity], slots: slots, records: rows.map(\.record)))
        }
        try withExtendedLifetime(groups) {
            if transaction.isPlanned {
                try transaction.writePlanned(request)
            } else {
                try transaction.write(request)
                try checkPartners(request, transaction)
            }
        }
        for (entity, rows) in groups.sorted(by: { $0.key < $1.key }) {
            for row in rows { row.record.version += 1 }
            if !model.entities[entity].rules.isEmpty {
                try transaction.checkRules(rows.map(\.record.key), of: model.entities[entity])
            }
            transaction.changes.update(rows, slots, model.entities[entity])
        }
    }

    private func checkPartners(_ request: SaveRequest, _ transaction: BatchTransaction) throws {
        for update in request.updates {
            let isStolen = try transaction.lookup.hasStolenPartners(
                update.entity, update.records, update.slots)
            if isStolen { throw SaveObstacle() }
        }
    }
}
