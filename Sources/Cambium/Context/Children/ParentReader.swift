import CambiumRecords

/// What a child context reads from: the objects of its parent as they are now, unsaved changes
/// included. Those that the parent has deleted are not there.
final class ParentReader: ReadableStore {
    // The child holds its parent; what is left of a child that is gone does not.
    private weak var parent: ManagedObjectContext?

    init(_ parent: ManagedObjectContext) {
        self.parent = parent
    }

    func fetch(_ request: RowRequest, _ receive: (StoreRow) throws -> Void) throws {
        let parent = try livingParent()
        if request.readsKeysOnly, case .farEnd(let origin) = request.selection {
            parent.processChanges()
            return try members(of: origin, in: parent).forEach { member in
                try receive(StoreRow(key: member.key, entity: member.entity))
            }
        }
        let values = ParentRow()
        let row = StoreRow(values: values)
        for object in try objects(request, in: parent) {
            values.move(row, to: object)
            try receive(row)
        }
    }

    func count(_ request: RowRequest) throws -> Int {
        let parent = try livingParent()
        parent.mergeIfAutomatic()
        parent.processChanges()
        var request = request
        request.sort = []
        request.limit = nil
        request.offset = 0
        guard parent.hasPendingChanges(in: request.entity) else {
            return try parent.store(of: request.entity).count(request)
        }
        return try parent.fetchObjects(request, true).count
    }

    func results(_ request: RowRequest, _ query: TypedResults) throws -> [[Value]] {
        let parent = try livingParent()
        parent.mergeIfAutomatic()
        parent.processChanges()
        guard parent.hasPendingChanges(in: request.entity) else {
            return try parent.store(of: request.entity).results(request, query)
        }
        return try parent.composedResults(request, query)
    }

    private func livingParent() throws -> ManagedObjectContext {
        if let parent { return parent }
        throw StoreError(
            code: .noStore, message: "The parent context of the object was released.",
            remedy: "Keep the parent context as long as its children are in use.")
    }

    /// The parent's objects that a request asks for, in its order, all of them with values.
    private func objects(
        _ request: RowRequest, in parent: ManagedObjectContext
    ) throws -> [ManagedObject] {
        if case .matching = request.selection { parent.mergeIfAutomatic() }
        parent.processChanges()
        switch request.selection {
        case .matching:
            return try parent.fetchObjects(request, true)
        case .key(let key):
            return try parent.presentObjects([key], root: request.entity.rootIndex)
        case .keys(let keys):
            return try parent.presentObjects(keys, root: request.entity.rootIndex)
        case .farEnd(let origin):
            let members = try members(of: origin, in: parent)
                .map { parent.object(entity: $0.entity, key: $0.key) }
            try parent.load(members.filter { $0.needsRow && $0.canBeRestored })
            return members.filter(\.isThere)
        }
    }

    private func members(
        of origin: RowRequest.Origin, in parent: ManagedObjectContext
    ) throws -> [LinkSet.Member] {
        let owner = parent.object(entity: origin.entity.index, key: origin.key)
        guard owner.canBeRestored else { return [] }
        return try owner.readLinks(origin.relationship.ordinal).members.filter { member in
            parent.registered(entity: member.entity, key: member.key)?.canBeRestored ?? true
        }
    }
}

/// An object of a parent.
private final class ParentRow: RowValues {
    private var object: ManagedObject?

    func move(_ row: StoreRow, to object: ManagedObject) {
        self.object = object
        row.move(
            to: object.key, version: object.record?.version ?? 0,
            entity: object.entityDescription.index)
    }

    func record(of row: StoreRow, in writer: RecordWriter) throws -> PlacedRecord? {
        if let placed = object?.handedDown(by: writer) { return placed }
        throw StoreError(
            code: .missingRow, message: "The parent context has no row \(row.key).",
            remedy: "Fetch the objects that exist in the parent context.")
    }
}

extension ManagedObject {
    /// The values for a child's object, with those that are in memory only: the record itself while
    /// nobody writes into it, else a copy.
    final func handedDown(by writer: RecordWriter) -> PlacedRecord? {
        guard let placed else { return nil }
        let isWritten = flags.contains(.isDraft) || extras?.quietChanges?.base != nil
        return isWritten ? writer.copy(placed.record, entityDescription.shape) : placed
    }
}

extension ManagedObjectContext {
    /// The objects of a hierarchy that are there, in the order of their keys, with their values.
    func presentObjects(_ keys: [Int64], root: Int) throws -> [ManagedObject] {
        let map = objects[root]
        let unread = keys.filter { key in
            map.map[key].map { $0.needsRow && $0.canBeRestored } ?? true
        }
        if !unread.isEmpty {
            // Not as faults that are fired: the rows say of which entities they are.
            _ = try fetchRows(
                RowRequest(
                    entity: coordinator.model.entities[root],
                    selection: unread.count == 1 ? .key(unread[0]) : .keys(unread)))
        }
        return Set(keys).sorted().compactMap { map.map[$0] }.filter(\.isThere)
    }
}
