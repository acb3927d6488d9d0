import CambiumRecords

/// Gives the objects of rows where a list keeps only keys: those of a window together, by one
/// statement.
final class ResultSource {
    /// How many neighbouring rows are read together.
    let windowSize: Int
    private let context: ManagedObjectContext
    private let entity: EntityDescription
    /// The relationships that are read with the objects.
    private let prefetched: [String]
    /// The windows that were looked at last, which live as long as they are here.
    private var windows: [[ManagedObject]] = []
    /// Objects of deleted rows, as far as somebody has them: they are not registered any more.
    private var lost: [Int64: WeakObject] = [:]
    /// Those that went with the latest change, which is still to be reported.
    private var latestLost: [ManagedObject] = []

    private struct WeakObject {
        weak var object: ManagedObject?
    }

    init(_ scope: ResultScope, in context: ManagedObjectContext) {
        entity = scope.request.entity
        prefetched = scope.options.prefetched
        windowSize = scope.batchSize
        self.context = context
    }

    /// The objects with these keys, which are registered afterwards.
    func objects(_ keys: [Int64]) -> [ManagedObject] {
        let map = context.registry.roots[entity.rootIndex]
        let missing = keys.filter { map.map[$0]?.record == nil }
        var read: [ManagedObject] = []
        var isRead = true
        if !missing.isEmpty {
            do {
                // They are read, not made of their keys: only the row says of which class one is.
                read = try context.fetching.rows(
                    RowRequest(entity: entity, selection: .keys(missing)))
                try context.prefetching.prefetch(prefetched, of: read, entity)
            } catch {
                for key in missing {
                    let object = context.registry.object(entity: entity.index, key: key)
                    context.faulting.noteFailedRead(.row(RowIdentity(object)), of: object, error)
                }
                isRead = false
            }
        }
        return withExtendedLifetime(read) {
            keys.map { key in
                let object = context.registry.object(entity: entity.index, key: key)
                // Its row was deleted, which is no error of whoever looks at it.
                if isRead, object.record == nil, object.lifecycle == .clean {
                    context.rowMerging.invalidate(object)
                }
                return object
            }
        }
    }

    func object(_ key: Int64) -> ManagedObject? {
        if let object = lost[key]?.object { return object }
        return context.registry.roots[entity.rootIndex].map[key] ?? objects([key]).first
    }

    /// An object that somebody looks at. Its window is read with it.
    ///
    /// - Parameter window: The keys of the window.
    func shownObject(_ key: Int64, window: () -> [Int64]) -> ManagedObject? {
        if let known = context.registry.roots[entity.rootIndex].map[key], known.record != nil {
            return known
        }
        windows.append(objects(window()))
        if windows.count > 3 { windows.removeFirst() }
        return object(key)
    }

    // MARK: Objects that go

    func beginChange() {
        latestLost = []
        if lost.count > 1000 { lost = lost.filter { $0.value.object != nil } }
    }

    /// Keeps an object in mind whose row is deleted.
    func lose(_ object: ManagedObject) {
        latestLost.append(object)
        lost[object.key] = WeakObject(object: object)
    }

    /// A row comes, perhaps again.
    func find(_ object: ManagedObject) {
        lost[object.key] = nil
    }

    /// The identity of a row, without its object.
    func objectID(_ key: Int64) -> ObjectID {
        context.registry.roots[entity.rootIndex].map[key]?.objectID
            ?? ObjectID(
                entity, key: key,
                store: context.coordinator.storeIdentifier(ofRoot: entity.rootIndex))
    }
}
