import CambiumRecords

/// What a context could not read. No save succeeds until it was read, or until the changes that need
/// it were taken back.
struct FailedReads {
    /// What was to be read.
    enum Target: Hashable {
        /// The row of an object.
        case row(RowIdentity)
        /// The members of a relationship of an object, by its number.
        case links(RowIdentity, Int)
        /// What a fetched property of an object finds, by its number.
        case fetched(RowIdentity, Int)

        /// The object.
        var id: RowIdentity {
            switch self {
            case .row(let id), .links(let id, _), .fetched(let id, _): id
            }
        }
    }

    private struct Failure {
        let error: any Error
        /// Whether a change was made without what was to be read: it is not what the program meant,
        /// and no later read makes it so.
        var isNeeded = false
    }

    private var failures: [Target: Failure] = [:]

    var isEmpty: Bool { failures.isEmpty }

    /// The error of a read that failed.
    subscript(target: Target) -> (any Error)? { failures[target]?.error }

    /// What could not be read, in the order of the objects.
    var targets: [Target] { failures.keys.sorted { $0.id < $1.id } }

    /// Whether something of an object could not be read.
    func concerns(_ id: RowIdentity) -> Bool { failures.keys.contains { $0.id == id } }

    /// The error of the first of them.
    var firstError: (any Error)? { targets.first.flatMap { self[$0] } }

    /// Notes that a read has failed.
    ///
    /// - Returns: Whether it was not noted before.
    mutating func insert(_ target: Target, _ error: any Error) -> Bool {
        let isNew = failures[target] == nil
        if isNew { failures[target] = Failure(error: error) }
        return isNew
    }

    /// Notes that a change was made without what could not be read.
    mutating func require(_ target: Target) {
        failures[target]?.isNeeded = true
    }

    /// What is wrong with a change that was made without what could not be read; nil where there is
    /// none.
    func errorOfChange(by target: Target) -> (any Error)? {
        guard let failure = failures[target], failure.isNeeded else { return nil }
        return StoreError(
            code: .unreadable,
            message: "The context changed an object based on values that could not be read.",
            remedy: "Discard the change with refresh(_:mergeChanges: false) or rollback(), and "
                + "make it again.",
            underlying: failure.error)
    }

    /// Forgets a read that has succeeded.
    mutating func remove(_ target: Target) {
        if failures[target]?.isNeeded == false { failures[target] = nil }
    }

    /// Forgets what could not be read of an object, whose changes are taken back.
    mutating func removeAll(of id: RowIdentity) {
        failures = failures.filter { $0.key.id != id }
    }
}

extension ManagedObjectContext {
    /// Notes that something of an object could not be read.
    func noteFailedRead(
        _ target: FailedReads.Target, of object: ManagedObject, _ error: any Error
    ) {
        if failedReads.insert(target, error) { onInaccessibleFault?(object.objectID, error) }
    }

    /// Reads the rows of faults. Those that cannot be read stay faults.
    func loadOrNote(_ faults: [ManagedObject]) {
        if faults.isEmpty { return }
        do {
            try load(faults)
        } catch {
            for fault in faults where fault.record == nil {
                noteFailedRead(.row(RowIdentity(fault)), of: fault, error)
            }
        }
    }

    /// Reads again what could not be read, before a save.
    ///
    /// - Throws: The error of what still cannot be read, or that of a read which a change has needed.
    func readFailed() throws {
        if failedReads.isEmpty { return }
        try readFailedRows()
        for target in failedReads.targets {
            if let error = failedReads.errorOfChange(by: target) { throw error }
            guard let object = objects[target.id.root].map[target.id.key], !object.hasRead(target)
            else {
                failedReads.remove(target)
                continue
            }
            if let error = failedReads[target] { throw error }
        }
    }

    /// Reads the rows of all objects of which something could not be read: of other things than
    /// rows, the objects may be gone from memory.
    private func readFailedRows() throws {
        let ids = Set(failedReads.targets.map(\.id)).filter { id in
            objects[id.root].map[id.key]?.needsRow ?? true
        }
        for (root, ids) in Dictionary(grouping: ids, by: \.root).sorted(by: { $0.key < $1.key }) {
            let entity = coordinator.model.entities[root]
            do {
                _ = try fetchRows(
                    RowRequest(entity: entity, selection: .keys(ids.map(\.key).sorted())))
            } catch {
                // What was in a store that was removed cannot be read ever again. The save says so
                // once, and those that would write to it fail.
                if !coordinator.hasStore(coordinator.storeIdentifier(ofRoot: root)) {
                    for id in ids {
                        let isChanged = objects[root].map[id.key]?.flags.contains(.isUnread)
                        if isChanged != true { failedReads.removeAll(of: id) }
                    }
                }
                throw error
            }
            for id in ids {
                guard let object = objects[root].map[id.key] else { continue }
                if object.needsRow, !followForward(of: object) { settleWithoutRow(object) }
            }
        }
    }

    /// Forgets an object whose row was deleted, as is seen now. Unsaved values go with it, which is
    /// an error; about unsaved links the merge policy decides.
    func settleWithoutRow(_ object: ManagedObject) {
        failedReads.remove(.row(RowIdentity(object)))
        if object.hasUnsavedValues() {
            recordMissingRow(object)
            lose(object)
        } else if object.hasUnsavedLinks(), mergePolicy.strategy == nil {
            recordMissingRow(object)
        } else if object.extras?.missed == .deletion || object.extras?.hasNewLinks != true {
            lose(object)
        }
    }

    /// Lays the unsaved changes of an object over its row, which could not be read when they were
    /// made.
    func complete(_ object: ManagedObject, with row: PlacedRecord) {
        // What was there before the changes is known now, and not what the manager remembers.
        undoManager?.forget([object])
        object.rebase(on: row, draftWriter)
        failedReads.remove(.row(RowIdentity(object)))
        noteForEvent(object)
    }
}

extension ManagedObject {
    /// Whether the object's row has to be read for its values, or for what lies below its changes.
    final var needsRow: Bool { record == nil || flags.contains(.isUnread) }

    /// The links of a relationship that a change is made by. Where they cannot be read, the change
    /// is not what the program meant, and no save succeeds until it is taken back.
    final func linksToChange(_ ordinal: Int) -> LinkSet {
        let links = links(ordinal)
        guard let context = state.context, !context.failedReads.isEmpty else { return links }
        let target = FailedReads.Target.links(RowIdentity(self), ordinal)
        if hasRead(target) {
            context.failedReads.remove(target)
        } else {
            context.failedReads.require(target)
        }
        return links
    }

    /// The links of a relationship.
    ///
    /// - Throws: What keeps them from being read.
    final func readLinks(_ ordinal: Int) throws -> LinkSet {
        let links = links(ordinal)
        guard let context = state.context, !context.failedReads.isEmpty else { return links }
        let target = FailedReads.Target.links(RowIdentity(self), ordinal)
        if let error = context.failedReads[target], !hasRead(target) { throw error }
        return links
    }

    /// Reads something that could not be read, unless it was meanwhile.
    ///
    /// - Returns: Whether it is known now.
    fileprivate final func hasRead(_ target: FailedReads.Target) -> Bool {
        guard lifecycle == .clean || lifecycle == .updated || lifecycle == .deleted else {
            return true
        }
        switch target {
        case .row:
            return !needsRow
        case .links(_, let ordinal):
            let relationship = entityDescription.relationships[ordinal]
            _ = links(ordinal)
            guard let links = extras?.links[ordinal], links.stored != nil else { return false }
            return links.readAt >= state.context?.lastChange(of: relationship) ?? 0
        case .fetched(_, let number):
            _ = fetchedObjects(number)
            return extras?.fetched[number] != nil
        }
    }
}
