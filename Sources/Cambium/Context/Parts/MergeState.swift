import CambiumRecords

/// The part of a context that records the merged and the deferred saves of other contexts.
///
/// Invariants: a context that uses the stores has merged no future commit. A deferred object is in
/// the list once, and has its deferred change unless a save has detected the conflict.
final class MergeState {
    private let coordinator: PersistentStoreCoordinator
    private let isChild: Bool
    /// Holds the saves of other contexts until they are merged.
    let mailbox: Mailbox
    /// For each relationship with links outside of the object's row, the last commit that changed
    /// it.
    private var lastChanges = [Int: Int64]()
    /// The last commit up to which the context has merged all saves of other contexts. A child
    /// counts its own merges, because the parent's changes are not committed yet.
    private(set) var mergedCommit: Int64 = 0
    /// The latest commit that the context has merged. Earlier commits may be missing.
    private(set) var latestMerged: Int64 = 0
    /// The conflicts that the current merge defers.
    var deferral = MergeDeferral.nothing
    /// The objects with deferred saves of other contexts.
    var deferred: [ManagedObject] = []
    /// Deleted rows with the commit of the deletion. They are kept until the context has merged all
    /// earlier commits.
    private var deletedRows = [RowIdentity: Int64]()
    // Safety: an access calls nothing that could access the same variable again.
    /// Deleted rows that this context has inserted again with the same keys, by the commit of the
    /// insertion. The commit is `max` if the row is not saved yet. Earlier changes of others
    /// concern the former row.
    @exclusivity(unchecked) var reinsertedRows = [RowIdentity: Int64]()
    /// The lists that were read differently from the store, by the object that is the reason.
    var divergentLists = [RowIdentity: [LinkOwner]]()

    init(_ coordinator: PersistentStoreCoordinator, isChild: Bool, _ mailbox: Mailbox) {
        self.coordinator = coordinator
        self.isChild = isChild
        self.mailbox = mailbox
        if !isChild { mergedCommit = coordinator.latestCommit }
    }

    // MARK: Commits

    /// Takes the change sets from the mailbox, with the changes of a batch operation of this
    /// context, in the order of the commits. Also returns whether these are all.
    func takeMail(with own: ChangeSet?) -> (changeSets: [ChangeSet], isComplete: Bool) {
        let (mail, isComplete) = mailbox.take()
        var changeSets = isChild ? mail : mail.filter { $0.number > mergedCommit }
        if let own {
            let place = changeSets.firstIndex { $0.number > own.number } ?? changeSets.endIndex
            changeSets.insert(own, at: place)
        }
        return (changeSets, isComplete)
    }

    /// Records that all changes of other contexts up to one of these change sets are merged.
    func noteAllMerged(_ changeSets: [ChangeSet]) {
        if !isChild { mergedCommit = changeSets.last?.number ?? mergedCommit }
    }

    /// Forgets re-inserted and deleted rows: all notifications about the former rows have arrived.
    func forgetFormerRows() {
        reinsertedRows = reinsertedRows.filter { $0.value == .max }
        deletedRows = [:]
    }

    /// Notes a commit of this context. It needs no notification of it.
    func noteOwn(_ changeSet: ChangeSet) {
        if changeSet.number == mergedCommit + 1 { mergedCommit = changeSet.number }
        noteMerged(changeSet)
    }

    /// Notes a merged change set. If earlier commits are still unknown, they are outdated when they
    /// arrive: their rows are not the latest, and some are deleted.
    func noteMerged(_ changeSet: ChangeSet) {
        if isChild { return }
        latestMerged = max(latestMerged, min(changeSet.number, coordinator.latestCommit))
        // After an overflow everything is read again.
        guard changeSet.number > mergedCommit, !mailbox.hasOverflowed else { return }
        for changes in changeSet.entities {
            for key in changes.deleted {
                deletedRows[RowIdentity(root: changes.entity.rootIndex, key: key)] =
                    changeSet.number
            }
        }
    }

    /// Begins to merge changes from the parent. Earlier reads of relationships are compared with
    /// this number.
    func startMerge() -> Int64 {
        mergedCommit += 1
        return mergedCommit
    }

    // MARK: Rows that were deleted and inserted again

    /// Returns the changes without changes of rows that a later commit inserted again or deleted.
    func current(_ changeSet: ChangeSet) -> ChangeSet {
        if reinsertedRows.isEmpty, deletedRows.isEmpty { return changeSet }
        var changes = changeSet
        changes.entities = changes.entities.map { current($0, of: changeSet.number) }
        return changes
    }

    /// Returns the changes without changes of rows that a later commit inserted again or deleted,
    /// because these concern the former row.
    func current(_ entity: EntityChanges, of commit: Int64) -> EntityChanges {
        if reinsertedRows.isEmpty, deletedRows.isEmpty { return entity }
        func isFormer(_ key: Int64) -> Bool {
            let row = RowIdentity(root: entity.entity.rootIndex, key: key)
            return max(reinsertedRows[row] ?? .min, deletedRows[row] ?? .min) > commit
        }
        var changes = entity
        changes.inserted = entity.inserted.filter { !isFormer($0.key) }
        changes.updated = entity.updated.filter { !isFormer($0.key) }
        changes.refreshed = entity.refreshed.filter { !isFormer($0.key) }
        changes.deleted = entity.deleted.filter { !isFormer($0) }
        return changes
    }

    /// Whether others have inserted rows that an undo of this context has restored too.
    func bringsReinsertedRows(_ entity: EntityChanges) -> Bool {
        !reinsertedRows.isEmpty
            && entity.inserted.contains {
                reinsertedRows[RowIdentity(root: entity.entity.rootIndex, key: $0.key)] == .max
            }
    }

    // MARK: Relationships

    /// The commit that last touched a relationship kept elsewhere.
    func lastChange(of relationship: RelationshipDescription) -> Int64 {
        lastChanges[relationship.identity] ?? 0
    }

    /// The commit up to which a read of a relationship is current now.
    func readCommit(of relationship: RelationshipDescription) -> Int64 {
        max(mergedCommit, lastChange(of: relationship))
    }

    /// Discards the links of an entity's relationships, so that their next use reads them again.
    func noteTouchedRelationships(of entity: Int, in commit: Int64) {
        for identity in coordinator.model.touchedRelationships[entity] {
            lastChanges[identity] = max(commit, lastChanges[identity] ?? 0)
        }
    }

    /// Discards the links of all relationships, so that their next use reads them again.
    func noteAllTouched() {
        let commit = isChild ? startMerge() : coordinator.latestCommit
        for identities in coordinator.model.touchedRelationships {
            for identity in identities { lastChanges[identity] = commit }
        }
    }

    // MARK: Deferring

    /// Whether there is a deferred merge that can be done. A deletion waits until the object has no
    /// changes any more.
    var hasDeferredChanges: Bool { deferred.contains { $0.extras?.deferred != .deletion } }

    /// Runs a body that defers so much.
    func deferring<Result>(
        _ wanted: MergeDeferral, _ body: () throws -> Result
    ) rethrows -> Result {
        // A hook of an object may fetch in the middle of a merge.
        let outer = deferral
        deferral = wanted
        defer { deferral = outer }
        return try body()
    }

    /// Notes that a save has met all conflicts.
    func forgetDeferred() {
        for object in deferred { object.extras?.deferred = .nothing }
        deferred = []
    }

    /// Returns the objects with deferred saves of others, and empties the list.
    func takeDeferred() -> [ManagedObject] {
        defer { deferred = [] }
        return deferred
    }

    /// Forgets everything: later reads include all saves of other contexts until now.
    ///
    /// - Returns: The objects that it held. The caller releases them.
    func reset() -> [ManagedObject] {
        reinsertedRows = [:]
        deletedRows = [:]
        divergentLists = [:]
        _ = mailbox.take()
        if !isChild { mergedCommit = coordinator.latestCommit }
        return takeDeferred()
    }

    // MARK: Invariants

    /// The violated invariants; empty if all hold.
    var invariantFaults: [String] {
        var faults: [String] = []
        // A child counts for itself.
        if !isChild, mergedCommit > coordinator.latestCommit { faults.append("merged the future") }
        if Set(deferred).count != deferred.count { faults.append("an object is deferred twice") }
        return faults
    }
}

/// The saves of other contexts that a merge defers, so that the save sees the conflict.
enum MergeDeferral {
    /// No change is deferred: unsaved changes are kept, and objects that other contexts have
    /// deleted are lost with their changes.
    case nothing
    /// The deletions of objects that have unsaved changes.
    case deletions
    /// The deletions of objects that have unsaved changes, and the changes of properties that the
    /// current event has changed.
    case conflictsOfEvent
    /// The deletions of objects that have unsaved changes, and the changes of properties that any
    /// event has changed.
    case conflicts

    /// Whether changes of properties are among them.
    var hasConflicts: Bool { self == .conflictsOfEvent || self == .conflicts }
}

/// The change of another context that an object has deferred.
enum DeferredChange: UInt8 {
    case nothing
    /// Changed values that contradict unsaved changes. If the object is to be deleted, any changed
    /// value contradicts this.
    case change
    /// That its row was deleted.
    case deletion
}

/// The links of a relationship of a row.
struct LinkOwner: Hashable {
    let row: RowIdentity
    /// The number of the relationship.
    let ordinal: Int
    /// Whether the links were read with the object that made them other than the store has them.
    let hasMember: Bool
}
