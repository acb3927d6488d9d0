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
    /// Of a commit that changed more rows nobody is told which: to read everything anew is cheaper
    /// then than to keep lists for all who may want to know.
    static let maximumListedRows = 100_000

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

    /// The objects that are gone.
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

/// The changes of the objects of one entity.
struct EntityChanges: Sendable {
    struct InsertedRow: Sendable {
        let key: Int64
        /// The row, where rows are attached.
        let placed: PlacedRecord?
    }

    struct UpdatedRow: Sendable {
        let key: Int64
        /// The slots that were set; empty where only links changed, and the row is as it was.
        let slots: SlotSet
        /// The names of relationships kept elsewhere that changed.
        var links: [String]
        /// The row, where rows are attached and there is one.
        let placed: PlacedRecord?
    }

    let entity: EntityDescription
    var inserted: [InsertedRow] = []
    var updated: [UpdatedRow] = []
    /// Rows whose derived columns alone have other values. Their versions are what they were, so
    /// whoever wants to know reads them again.
    var refreshed: [UpdatedRow] = []
    var deleted: [Int64] = []
}

/// Tells contexts apart in change sets.
public struct ContextIdentifier: Hashable, Sendable {
    let number: UInt64

    /// What others than this coordinator's contexts have saved.
    static let remote = ContextIdentifier(number: 0)
}
