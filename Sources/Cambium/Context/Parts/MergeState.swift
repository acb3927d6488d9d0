import CambiumRecords

/// The part of a context that knows what it has merged of what other contexts saved, and what it
/// has deferred.
///
/// Invariants: a context that uses the stores has merged no commit that is to come. An object is among
/// the deferred ones once, and knows what it has deferred unless a save has met the conflict.
final class MergeState {
    private let coordinator: PersistentStoreCoordinator
    private let isChild: Bool
    /// Where what other contexts save waits.
    let mailbox: Mailbox
    /// For each relationship kept elsewhere, the commit that last touched it.
    private var lastChanges = [Int: Int64]()
    /// The commit up to which the context knows what other contexts have saved. A child counts for
    /// itself what it merges, as what comes from its parent is not committed yet.
    private(set) var mergedCommit: Int64 = 0
    /// The latest commit of which the context knows, though maybe not of all before it.
    private(set) var latestMerged: Int64 = 0
    /// What the merge that is at work defers.
    var deferral = MergeDeferral.nothing
    /// The objects that have deferred what other contexts saved.
    var deferred: [ManagedObject] = []
    /// Rows that were deleted, with the commit in which they were, where the context does not know yet
    /// of all that was saved before.
    private var deletedRows = [RowIdentity: Int64]()
    // Safety: an access calls nothing that could come back to the same variable.
    /// Rows that were deleted and that this context has inserted again, under their keys: the commit
    /// in which it did, which is to come (`max`) where the row is not saved yet. Changes of others
    /// that were saved before then concern the former row.
    @exclusivity(unchecked) var reinsertedRows = [RowIdentity: Int64]()
    /// Lists that were read otherwise than the store has them, by the object that made them so.
    var divergentLists = [RowIdentity: [LinkOwner]]()

    init(_ coordinator: PersistentStoreCoordinator, isChild: Bool, _ mailbox: Mailbox) {
        self.coordinator = coordinator
        self.isChild = isChild
        self.mailbox = mailbox
        if !isChild { mergedCommit = coordinator.latestCommit }
    }

    // MARK: Commits

    /// Takes what waits in the mailbox, and what a batch operation of this context has changed, in the
    /// order of the commits; and whether that is all.
    func takeMail(with own: ChangeSet?) -> (changeSets: [ChangeSet], isComplete: Bool) {
        let (mail, isComplete) = mailbox.take()
        var changeSets = isChild ? mail : mail.filter { $0.number > mergedCommit }
        if let own {
            let place = changeSets.firstIndex { $0.number > own.number } ?? changeSets.endIndex
            changeSets.insert(own, at: place)
        }
        return (changeSets, isComplete)
    }

    /// All that other contexts have saved up to one of these is merged from now on.
    func noteAllMerged(_ changeSets: [ChangeSet]) {
        if !isChild { mergedCommit = changeSets.last?.number ?? mergedCommit }
    }

    /// What was saved before a row was inserted again or deleted has been notified by now.
    func forgetFormerRows() {
        reinsertedRows = reinsertedRows.filter { $0.value == .max }
        deletedRows = [:]
    }

    /// Notes that this context made a commit: nobody has to notify it.
    func noteOwn(_ changeSet: ChangeSet) {
        if changeSet.number == mergedCommit + 1 { mergedCommit = changeSet.number }
        noteMerged(changeSet)
    }

    /// Notes what the context knows of. Where there are commits before of which it does not know
    /// yet, these are outdated when they come: their rows are not the latest, and some are deleted.
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

    /// Begins to merge what came from the parent: what was read of relationships before is compared
    /// with this number.
    func startMerge() -> Int64 {
        mergedCommit += 1
        return mergedCommit
    }

    // MARK: Rows that were deleted and inserted again

    /// The same changes, without those of rows that were inserted again or deleted in a later commit.
    func current(_ changeSet: ChangeSet) -> ChangeSet {
        if reinsertedRows.isEmpty, deletedRows.isEmpty { return changeSet }
        var changes = changeSet
        changes.entities = changes.entities.map { current($0, of: changeSet.number) }
        return changes
    }

    /// The same changes, without those of rows that were inserted again or deleted in a later commit:
    /// they concern the former row.
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

    /// Whether others have inserted again what an undo of this context has brought back.
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

    /// The commit up to which what is read of a relationship now is known.
    func readCommit(of relationship: RelationshipDescription) -> Int64 {
        max(mergedCommit, lastChange(of: relationship))
    }

    /// Makes the links of an entity's relationships be read again at their next use.
    func noteTouchedRelationships(of entity: Int, in commit: Int64) {
        for identity in coordinator.model.touchedRelationships[entity] {
            lastChanges[identity] = max(commit, lastChanges[identity] ?? 0)
        }
    }

    /// Makes the links of all relationships be read again at their next use.
    func noteAllTouched() {
        let commit = isChild ? startMerge() : coordinator.latestCommit
        for identities in coordinator.model.touchedRelationships {
            for identity in identities { lastChanges[identity] = commit }
        }
    }

    // MARK: Deferring

    /// Whether anything was deferred that can be merged. A deletion waits until the object has no
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

    /// Notes that a save has met all conflicts that there were.
    func forgetDeferred() {
        for object in deferred { object.extras?.deferred = .nothing }
        deferred = []
    }

    /// Takes the objects out that have deferred what other contexts saved.
    func takeDeferred() -> [ManagedObject] {
        defer { deferred = [] }
        return deferred
    }

    /// Forgets everything: what other contexts have saved until now is what will be read.
    ///
    /// - Returns: What it held, which goes when the caller lets it go.
    func reset() -> [ManagedObject] {
        reinsertedRows = [:]
        deletedRows = [:]
        divergentLists = [:]
        _ = mailbox.take()
        if !isChild { mergedCommit = coordinator.latestCommit }
        return takeDeferred()
    }

    // MARK: Invariants

    /// What is not as it must be; empty where all is well.
    var invariantFaults: [String] {
        var faults: [String] = []
        // A child counts for itself.
        if !isChild, mergedCommit > coordinator.latestCommit { faults.append("merged the future") }
        if Set(deferred).count != deferred.count { faults.append("an object is deferred twice") }
        return faults
    }
}

/// What a merge defers of what other contexts have saved, so that the save sees the conflict.
enum MergeDeferral {
    /// Nothing: unsaved changes stay on top, and what other contexts have deleted is lost with
    /// them.
    case nothing
    /// The deletions of objects that have unsaved changes.
    case deletions
    /// These, and the changes of properties that the current event has changed.
    case conflictsOfEvent
    /// These, and the changes of properties that any event has changed.
    case conflicts

    /// Whether changes of properties are among them.
    var hasConflicts: Bool { self == .conflictsOfEvent || self == .conflicts }
}

/// What an object has deferred of what other contexts have saved.
enum DeferredChange: UInt8 {
    case nothing
    /// Other values, which contradict unsaved changes; or any, where the object is to be deleted.
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
