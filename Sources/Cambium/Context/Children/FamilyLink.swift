import CambiumRecords

/// The part of a context that registers its children. In a child, it also records the row versions
/// that its ancestors have saved.
///
/// In a family of contexts the last save wins. Only these notes distinguish the family's own
/// versions of a row from the versions of others.
final class FamilyLink {
    private struct WeakContext {
        weak var context: ManagedObjectContext?
    }

    private let coordinator: PersistentStoreCoordinator
    private let identifier: ContextIdentifier
    /// The contexts that have this one as their parent, and some that had.
    private var weakChildren: [WeakContext] = []
    /// In a child, the consecutive versions of its rows that its ancestors have saved themselves.
    private var versions = [RowIdentity: ClosedRange<Int64>]()
    /// The number of saves of the family in progress, each in a hook of the one before. Counted at
    /// the root.
    private var savesUnderWay = 0
    /// The error of all of these if their hooks would insert objects forever. Kept at the root.
    var endlessInsertions: StoreError?

    /// - Parameter identifier: The identifier of the context.
    init(_ coordinator: PersistentStoreCoordinator, _ identifier: ContextIdentifier) {
        self.coordinator = coordinator
        self.identifier = identifier
    }

    // MARK: Children

    var hasChildren: Bool { !weakChildren.isEmpty }

    var children: [ManagedObjectContext] { weakChildren.compactMap { $0.context } }

    func add(_ child: ManagedObjectContext) {
        weakChildren.removeAll { $0.context == nil }
        weakChildren.append(WeakContext(context: child))
    }

    // MARK: Notifying

    /// Notifies the children of the rows that have changed, so that they read them again. An
    /// unsaved row has no version that could tell which of two states is newer.
    ///
    /// - Parameters:
    ///   - changeSets: The saved or merged changes.
    ///   - objects: Objects that got other values in another way, were created or deleted.
    ///   - isComplete: Whether this is all; if not, anything may have changed.
    ///   - origin: The child that made the changes.
    func notify(
        _ changeSets: [ChangeSet], of objects: [ManagedObject] = [], isComplete: Bool = true,
        except origin: ManagedObjectContext? = nil
    ) {
        if !hasChildren { return }
        let listeners = children.filter { $0 !== origin }
        guard !listeners.isEmpty else { return }
        let posted =
            changeSets.map { $0.withoutRows }
            + self.changeSets(of: entityChanges(of: objects), unsavedAmong: objects)
        for child in listeners {
            for changeSet in posted where !changeSet.isEmpty {
                child.merges.mailbox.post(changeSet)?()
            }
            if !isComplete { child.merges.mailbox.postLoss()?() }
        }
    }

    private func entityChanges(of objects: [ManagedObject]) -> [EntityChanges] {
        var changes = [Int: EntityChanges]()
        // A replaced object is not deleted: children follow its replacement by themselves.
        for object in objects where object.extras?.replacement == nil {
            let entity = object.entityDescription
            switch object.lifecycle {
            case .clean, .inserted, .updated:
                changes[entity.index, default: EntityChanges(entity: entity)].updated
                    .append(.anything(of: entity, object.key))
            case .deleted, .discarded, .invalid:
                changes[entity.index, default: EntityChanges(entity: entity)].deleted
                    .append(object.key)
            }
        }
        return changes.ordered { $0.key < $1.key }.map { $0.value }
    }

    /// Returns one change set for each store from changes of several entities.
    ///
    /// - Parameter objects: All changed objects, including those that no store has yet.
    func changeSets(
        of entities: [EntityChanges], unsavedAmong objects: [ManagedObject] = []
    ) -> [ChangeSet] {
        let number = coordinator.latestCommit
        let unsaved = Set(objects.filter { $0.ownObjectID.isTemporary }.map { RowIdentity($0) })
        let byStore = Dictionary(grouping: entities) {
            coordinator.storeIdentifier(ofRoot: $0.entity.rootIndex)
        }
        return byStore.map { store, entities in
            ChangeSet(
                number: number, origin: identifier, store: store, entities: entities,
                unsaved: unsaved)
        }
    }

    // MARK: Versions

    /// Notes in the children that a save of the root has made new versions of rows. The root is the
    /// context that uses the stores.
    func noteVersions(of changeSets: [ChangeSet], in root: ObjectRegistry) {
        if !hasChildren { return }
        for child in children {
            for entity in changeSets.flatMap(\.entities) {
                let written = entity.updated.filter { !$0.slots.isEmpty }.map { $0.key }
                for key in entity.inserted.map(\.key) + written {
                    let id = RowIdentity(root: entity.entity.rootIndex, key: key)
                    guard child.registry[id] != nil, let version = root[id]?.record?.version else {
                        continue
                    }
                    child.family.note(version, of: id)
                }
            }
            child.family.noteVersions(of: changeSets, in: root)
        }
    }

    private func note(_ version: Int64, of id: RowIdentity) {
        let known = versions[id]
        let continued = known?.upperBound == version - 1 ? known : nil
        versions[id] = (continued?.lowerBound ?? version - 1)...version
    }

    /// Whether others than the family have saved a row since an object of this child read it.
    ///
    /// - Parameter version: The row's version now.
    func hasOthersVersion(_ object: ManagedObject, _ version: Int64) -> Bool {
        guard let base = object.readRow?.record.version, base < version else { return false }
        guard let own = versions[RowIdentity(object)] else { return true }
        return !own.contains(base) || !own.contains(version)
    }

    func forgetVersions() {
        versions = [:]
    }

    // MARK: Saves

    /// Runs a save of the family.
    ///
    /// - Returns: Nil if too many saves are in progress, each in a hook of the one before.
    func whileSaving<Result>(atMost limit: Int, _ body: () throws -> Result) rethrows -> Result? {
        guard savesUnderWay < limit else { return nil }
        savesUnderWay += 1
        defer {
            savesUnderWay -= 1
            if savesUnderWay == 0 { endlessInsertions = nil }
        }
        return try body()
    }
}

extension ChangeSet {
    /// The changes without the saved rows.
    var withoutRows: ChangeSet {
        ChangeSet(
            number: number, origin: origin, store: store, entities: entities.map { $0.withoutRows },
            unsaved: unsaved)
    }
}

extension EntityChanges {
    fileprivate var withoutRows: EntityChanges {
        var changes = self
        changes.inserted = inserted.map { InsertedRow(key: $0.key, placed: nil) }
        changes.updated = updated.map {
            UpdatedRow(key: $0.key, slots: $0.slots, links: $0.links, placed: nil)
        }
        return changes
    }
}

/// The reader of a child context: it reads the objects of its parent as they are now, with unsaved
/// changes. Objects that the parent has deleted are not found.
final class ParentReader: ReadableStore {
    // The child holds its parent. Objects that are left of a released child do not.
    private(set) weak var parent: ManagedObjectContext?

    init(_ parent: ManagedObjectContext) {
        self.parent = parent
    }

    func fetch(_ request: RowRequest, _ receive: (StoreRow) throws -> Void) throws {
        let parent = try existingParent()
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
        let parent = try existingParent()
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
        let parent = try existingParent()
        parent.mergeIfAutomatic()
        parent.processChanges()
        guard parent.fetching.countsPendingChanges else {
            return try parent.reads.store(of: request.entity).results(request, query)
        }
        return try ResultFetching(context: parent).composed(request, query)
    }

    private func existingParent() throws -> ManagedObjectContext {
        if let parent { return parent }
        throw StoreError(
            code: .noStore, message: "The parent context of the object was released.",
            remedy: "Keep the parent context as long as its children are in use.")
    }

    /// The parent's objects that match a request, in its order, all with their values.
    private func objects(
        _ request: RowRequest, in parent: ManagedObjectContext
    ) throws -> [ManagedObject] {
        if case .matching = request.selection { parent.mergeIfAutomatic() }
        parent.processChanges()
        switch request.selection {
        case .matching:
            // With keys alone, the parent would have objects without values.
            var request = request
            request.readsKeysOnly = false
            return try parent.fetching.objects(request, true)
        case .key(let key):
            return try parent.fetching.presentObjects([key], root: request.entity.rootIndex)
        case .keys(let keys):
            return try parent.fetching.presentObjects(keys, root: request.entity.rootIndex)
        case .farEnd(let origin):
            let members = try members(of: origin, in: parent)
                .map { parent.registry.object(entity: $0.entity, key: $0.key) }
            try parent.faulting.load(members.filter { $0.needsRow && $0.canBeRestored })
            return members.filter { $0.exists }
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
