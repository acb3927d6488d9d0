import CambiumRecords

extension PersistentStoreCoordinator {
    /// Writes a request, with one transaction in each store that it concerns.
    ///
    /// All stores write before the first of them commits. If a store rejects its part, nothing is
    /// saved in any of them. There is one exception: a commit that fails after another one has
    /// succeeded.
    ///
    /// - Parameters:
    ///   - transaction: The transaction that the context has read in, or nil if the save has its
    ///     own.
    ///   - committed: Called after the commit of each store, before another save of that store can
    ///     begin.
    func save(
        _ request: SaveRequest,
        arbiter: any ConflictArbiter,
        in transaction: ContextTransaction? = nil,
        committed: (_ outcome: SaveOutcome, _ scope: StoreScope) -> Void
    ) throws {
        let table = table
        if table.hasSingleStore {
            let store = table.store(ofRoot: 0)
            return try (transaction?.store(store) ?? store).save(
                request, arbiter: arbiter, willCommit: {}
            ) { outcome in
                committed(outcome, StoreScope(roots: nil, identifier: store.identifier))
            }
        }
        let parts = request.parts(in: table)
        let covered = Set(parts.flatMap { $0.persistentStore.roots })
        if let root = request.roots.subtracting(covered).min() {
            // The missing store throws the error.
            return try table.store(ofRoot: root)
                .save(request, arbiter: arbiter, willCommit: {}, committed: { _ in })
        }
        var run = SaveRun()
        do {
            try save(parts[...], arbiter, transaction, committed, &run)
        } catch {
            let reason = (error as? InnerSaveFailure)?.underlying ?? error
            guard !run.committed.isEmpty else { throw reason }
            throw IncompleteSaveError(
                committedStores: run.committed,
                failedStores: parts.map { $0.persistentStore }
                    .filter { !run.committed.contains($0) },
                underlying: reason)
        }
    }

    private struct SaveRun {
        var committed: [PersistentStore] = []
    }

    /// Saves the first part, and the other parts inside its transaction.
    private func save(
        _ parts: ArraySlice<SavePart>,
        _ arbiter: any ConflictArbiter, _ transaction: ContextTransaction?,
        _ committed: (SaveOutcome, StoreScope) -> Void, _ run: inout SaveRun
    ) throws {
        guard let part = parts.first else { return }
        let rest = parts.dropFirst()
        let store = part.persistentStore.store
        let scope = StoreScope(roots: part.persistentStore.roots, identifier: store.identifier)
        var isRestSaved = false
        try (transaction?.store(store) ?? store).save(
            part.request, arbiter: arbiter,
            willCommit: {
                if isRestSaved { return }
                do {
                    try save(rest, arbiter, transaction, committed, &run)
                } catch {
                    // A store must not treat the error of another store as its own.
                    throw (error as? InnerSaveFailure) ?? InnerSaveFailure(underlying: error)
                }
                isRestSaved = true
            },
            committed: { outcome in
                run.committed.append(part.persistentStore)
                committed(outcome, scope)
            })
    }

    /// Writes data that waits for a save, such as metadata, if the save changes no objects.
    func saveWithoutChanges() throws {
        for store in persistentStores where !store.isReadOnly {
            try store.store.saveWithoutChanges()
        }
    }
}

/// The part of a save for one store.
private struct SavePart {
    let persistentStore: PersistentStore
    let request: SaveRequest
}

private struct InnerSaveFailure: Error {
    let underlying: any Error
}

extension SaveRequest {
    /// Returns the parts by store, in the same order in every process. The transactional stores,
    /// which can roll back until their commit, come first. Both groups are sorted by identity.
    fileprivate func parts(in table: StoreTable) -> [SavePart] {
        table.persistentStores
            .map { SavePart(persistentStore: $0, request: part(of: $0.roots)) }
            .filter { !$0.request.isEmpty }
            .ordered { one, other in
                let (first, second) = (one.persistentStore, other.persistentStore)
                return first.type.isTransactional == second.type.isTransactional
                    ? first.identifier.uuidString < second.identifier.uuidString
                    : first.type.isTransactional
            }
    }

    /// The indices of the root entities that it concerns.
    fileprivate var roots: Set<Int> {
        Set(checks.map { $0.entity.rootIndex }).union(deletions.map { $0.entity.rootIndex })
            .union(updates.map { $0.entity.rootIndex }).union(
                insertions.map { $0.entity.rootIndex }
            )
            .union(links.map { $0.sourceRoot }).union(orders.map { $0.ownerRoot })
    }

    private func part(of roots: Set<Int>) -> SaveRequest {
        var part = SaveRequest()
        part.author = author
        part.checks = checks.filter { roots.contains($0.entity.rootIndex) }
        part.deletions = deletions.filter { roots.contains($0.entity.rootIndex) }
        part.updates = updates.filter { roots.contains($0.entity.rootIndex) }
        part.insertions = insertions.filter { roots.contains($0.entity.rootIndex) }
        part.links = links.filter { roots.contains($0.sourceRoot) }
        part.orders = orders.filter { roots.contains($0.ownerRoot) }
        part.members = members
        part.pages = pages
        return part
    }

    /// Whether there is no change or check in it.
    var isEmpty: Bool {
        checks.isEmpty && deletions.isEmpty && updates.isEmpty && insertions.isEmpty
            && links.isEmpty && orders.isEmpty
    }
}

/// An error for a save over several stores that only some of them have committed.
///
/// All stores write before the first one commits, and dangling references are checked before that.
/// The error therefore requires a commit that fails after another one has succeeded: a full disk,
/// or a deleted file. The objects of the committed stores are saved completely: their `didSave()`
/// was called, and observers and other contexts were notified. The other objects still have their
/// changes, and can be saved again.
public struct IncompleteSaveError: Error, Sendable {
    /// The stores with the changes.
    public let committedStores: [PersistentStore]
    /// The stores without the changes.
    public let failedStores: [PersistentStore]
    /// The reason.
    public let underlying: any Error

    /// Core Data's error code for an incomplete save.
    public var coreDataCode: Int { 134040 }
}

extension IncompleteSaveError: CustomStringConvertible {
    /// The stores with the changes, the stores without them, the reason and the remedy.
    public var description: String { "\(summary): \(underlying). \(remedy)" }

    var remedy: String { "Save again after you have removed the cause." }

    /// The stores with the changes, and the stores without them.
    var summary: String {
        func names(_ stores: [PersistentStore]) -> String {
            stores.map { "\($0.location)" }.joined(separator: ", ")
        }
        return "The save was committed in \(names(committedStores)), but not in "
            + names(failedStores)
    }
}
