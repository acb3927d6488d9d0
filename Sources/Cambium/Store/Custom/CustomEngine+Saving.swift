import CambiumRecords

extension CustomEngine {
    func save(
        _ request: SaveRequest,
        arbiter: any ConflictArbiter,
        willCommit: () throws -> Void,
        committed: (_ outcome: SaveOutcome) -> Void
    ) throws {
        guard !isReadOnly else { throw StoreError.readOnly }
        try saving.withLock {
            let notes = notesToWrite.withLock { $0 }
            let graph = try makeGraph()
            var changes = NodeChanges(graph: graph)
            let (resolutions, droppedPairs) = try withExtendedLifetime(request) {
                let settled = try plan(request, arbiter, graph)
                return try withExtendedLifetime(settled) {
                    try changes.apply(settled.request)
                    try changes.note(request.checks)
                    return (settled.resolutions, settled.droppedPairs)
                }
            }
            // The backend cannot take back what it has written, so it is the last to write.
            try willCommit()
            try backend.save(changes.request(notes: notes))
            if let notes { didWrite(notes) }
            committed(SaveOutcome(resolutions: resolutions, droppedPairs: droppedPairs))
        }
    }

    /// Works out what to write, without conflicts and dangling references.
    private func plan(
        _ request: SaveRequest, _ arbiter: any ConflictArbiter, _ graph: NodeGraph
    ) throws -> SavePlan {
        let lookup = NodeLookup(graph, needsUniquenessChecks: backend.needsUniquenessChecks)
        let planner = SavePlanner(lookup: lookup, model: model)
        var plan = try planner.plan(request, arbiter)
        // What the arbiter has left, SQLite's foreign keys would refuse.
        if let left = try planner.danglingKeys(in: &plan).keys.first {
            throw NodeChanges.missingDestination(
                plan.rows[left.row]?.entity.name ?? "", left.relationship.relationship.name)
        }
        return plan
    }

    func saveWithoutChanges() throws {
        guard !isReadOnly else { return }
        try saving.withLock {
            let notes = notesToWrite.withLock { $0 }
            var request = StoreSaveRequest()
            request.notes = notes
            try backend.save(request)
            if let notes { didWrite(notes) }
        }
    }

    /// Notes that were written wait no more, unless others were set meanwhile.
    private func didWrite(_ notes: [String: String]) {
        notesToWrite.withLock { waiting in
            if waiting == notes { waiting = nil }
        }
    }
}
