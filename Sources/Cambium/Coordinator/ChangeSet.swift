import CambiumRecords

/// What one save changed in the store: the one value from which sibling contexts, controllers and
/// observers are fed.
///
/// Change sets of a store are numbered in the order of their commits.
public struct ChangeSet: Sendable {
    /// The number of the commit among those of this process; of what a child context saved into its
    /// parent, that of the latest commit before.
    public let number: Int64
    /// The context that saved; of what other processes have saved, none of this coordinator's.
    public let origin: ContextIdentifier
    let store: StoreIdentifier
    var entities: [EntityChanges]
    /// The context that has the changes, unsaved, where a child has saved them; nil when they are
    /// in the store.
    var holder: ContextIdentifier?
    /// The rows that no store has: parents alone have their objects.
    var unsaved: Set<RowIdentity> = []

    /// The objects that are new.
    public var insertedObjectIDs: [ObjectID] {
        entities.flatMap { changes in changes.inserted.map { id($0.key, changes) } }
    }

    /// The objects that were changed, with the names of the properties that were set. Objects whose
    /// relationships alone changed, kept by the other side, are among them.
    public var updatedObjectIDs: [ObjectID: Set<String>] {
        var updated: [ObjectID: Set<String>] = [:]
        for changes in entities {
            for row in changes.updated {
                let layout = changes.entity.layout
                updated[id(row.key, changes)] = Set(
                    row.slots.slots.map { layout.slots[$0].property } + row.links)
            }
        }
        return updated
    }

    /// The objects whose derived values alone changed, because of other objects, with the names of
    /// the derived attributes.
    public var refreshedObjectIDs: [ObjectID: Set<String>] {
        var refreshed: [ObjectID: Set<String>] = [:]
        for changes in entities {
            for row in changes.refreshed {
                refreshed[id(row.key, changes)] = Set(
                    row.slots.slots.map { changes.entity.layout.slots[$0].property })
            }
        }
        return refreshed
    }

    /// The deleted objects.
    public var deletedObjectIDs: [ObjectID] {
        entities.flatMap { changes in changes.deleted.map { id($0, changes) } }
    }

    /// Whether nothing changed.
    public var isEmpty: Bool { entities.isEmpty }

    private func id(_ key: Int64, _ changes: EntityChanges) -> ObjectID {
        let row = RowIdentity(root: changes.entity.rootIndex, key: key)
        return ObjectID(
            changes.entity, key: key, store: store,
            isTemporary: !unsaved.isEmpty && unsaved.contains(row))
    }
}

/// Tells contexts apart in change sets.
public struct ContextIdentifier: Hashable, Sendable {
    let number: UInt64

    /// What others than this coordinator's contexts have saved.
    static let remote = ContextIdentifier(number: 0)
}
