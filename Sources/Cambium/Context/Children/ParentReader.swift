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
        guard parent.fetching.countsPendingChanges else {
            return try parent.reads.store(of: request.entity).count(request)
        }
        return try parent.fetching.objects(request, true).count
    }

    func results(_ request: RowRequest, _ query: TypedResults) throws -> [[Value]] {
        let parent = try livingParent()
        parent.mergeIfAutomatic()
        parent.processChanges()
        guard parent.fetching.countsPendingChanges else {
            return try parent.reads.store(of: request.entity).results(request, query)
        }
        return try ResultFetching(context: parent).composed(request, query)
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
            return try parent.fetching.objects(request, true)
        case .key(let key):
            return try parent.fetching.presentObjects([key], root: request.entity.rootIndex)
        case .keys(let keys):
            return try parent.fetching.presentObjects(keys, root: request.entity.rootIndex)
        case .farEnd(let origin):
            let members = try members(of: origin, in: parent)
                .map { parent.registry.object(entity: $0.entity, key: $0.key) }
            try parent.faulting.load(members.filter { $0.needsRow && $0.canBeRestored })
            return members.filter(\.isThere)
        }
    }

    private func members(
        of origin: RowRequest.Origin, in parent: ManagedObjectContext
    ) throws -> [LinkSet.Member] {
        let owner = parent.registry.object(entity: origin.entity.index, key: origin.key)
        guard owner.canBeRestored else { return [] }
        return try owner.ownLinks.readLinks(origin.relationship.ordinal).members.filter { member in
            parent.registry.registered(member)?.canBeRestored ?? true
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
        if let placed = object?.row.handedDown(by: writer) { return placed }
        throw StoreError(
            code: .missingRow, message: "The parent context has no row \(row.key).",
            remedy: "Fetch the objects that exist in the parent context.")
    }
}
