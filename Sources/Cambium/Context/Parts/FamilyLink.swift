import CambiumRecords

/// The part of a context that knows its children, and of a child what its ancestors have saved.
///
/// In a family of contexts the last one wins. Which versions of a row are the family's own, and which
/// are those of others, is known only where it is noted.
final class FamilyLink {
    private struct WeakContext {
        weak var context: ManagedObjectContext?
    }

    private let coordinator: PersistentStoreCoordinator
    private let identifier: ContextIdentifier
    /// Those that have this one as their parent, and some that had.
    private var weakChildren: [WeakContext] = []
    /// Of a child's rows, the versions that its ancestors have made themselves, one after the other.
    private var versions: [RowIdentity: ClosedRange<Int64>] = [:]
    /// How many saves of the family are being settled, each in a hook of the one before. Counted at
    /// the root.
    private var savesUnderWay = 0
    /// Why all of these fail: their hooks would insert objects for ever. Kept at the root.
    var endlessInsertions: StoreError?

    /// - Parameter identifier: That of the context.
    init(_ coordinator: PersistentStoreCoordinator, _ identifier: ContextIdentifier) {
        self.coordinator = coordinator
        self.identifier = identifier
    }

    // MARK: Children

    var hasChildren: Bool { !weakChildren.isEmpty }

    var children: [ManagedObjectContext] { weakChildren.compactMap(\.context) }

    func add(_ child: ManagedObjectContext) {
        weakChildren.removeAll { $0.context == nil }
        weakChildren.append(WeakContext(context: child))
    }

    // MARK: Notifying

    /// Notifies the children that what they have read is other now: of which rows, which they read
    /// again. An unsaved row has no version that tells which is newer.
    ///
    /// - Parameters:
    ///   - changeSets: What was saved or merged.
    ///   - objects: Objects that got other values otherwise, came or went.
    ///   - isComplete: Whether that is all; if not, anything may have changed.
    ///   - origin: The child that changed it.
    func notify(
        _ changeSets: [ChangeSet], of objects: [ManagedObject] = [], isComplete: Bool = true,
        except origin: ManagedObjectContext? = nil
    ) {
        if !hasChildren { return }
        let listeners = children.filter { $0 !== origin }
        guard !listeners.isEmpty else { return }
        let posted =
            changeSets.map(\.withoutRows)
            + self.changeSets(of: entityChanges(of: objects), unsavedAmong: objects)
        for child in listeners {
            for changeSet in posted where !changeSet.isEmpty {
                child.merges.mailbox.post(changeSet)?()
            }
            if !isComplete { child.merges.mailbox.postLoss()?() }
        }
    }

    private func entityChanges(of objects: [ManagedObject]) -> [EntityChanges] {
        var changes: [Int: EntityChanges] = [:]
        // What another object stands for now is not gone: children follow it by themselves.
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
        return changes.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Changes of several entities, by store, for those who take changes over.
    ///
    /// - Parameter objects: All that changed, among them those that no store has yet.
    func changeSets(
        of entities: [EntityChanges], unsavedAmong objects: [ManagedObject] = []
    ) -> [ChangeSet] {
        let number = coordinator.latestCommit
        let unsaved = Set(objects.filter(\.ownObjectID.isTemporary).map { RowIdentity($0) })
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

    /// Lets the children know that a save of the root, which uses the stores, has made new versions of
    /// rows.
    func noteVersions(of changeSets: [ChangeSet], in root: ObjectRegistry) {
        if !hasChildren { return }
        for child in children {
            for entity in changeSets.flatMap(\.entities) {
                let written = entity.updated.filter { !$0.slots.isEmpty }.map(\.key)
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
    /// - Returns: Nil where there are too many under way, each in a hook of the one before.
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
    /// The same changes, without the rows as they were saved.
    var withoutRows: ChangeSet {
        ChangeSet(
            number: number, origin: origin, store: store, entities: entities.map(\.withoutRows),
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
