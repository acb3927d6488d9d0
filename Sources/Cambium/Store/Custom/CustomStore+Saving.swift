extension CustomStore {
    func save(
        _ request: SaveRequest,
        resolve: (_ conflicts: [RowConflict]) throws -> [ConflictResolution],
        willCommit: () throws -> Void,
        committed: (_ outcome: SaveOutcome) -> Void
    ) throws {
        guard !isReadOnly else { throw StoreError.readOnly }
        try saving.withLock { _ in
            let notes = notesToWrite.withLock { $0 }
            var changes = NodeChanges(
                try makeGraph(), needsUniquenessChecks: backend.needsUniquenessChecks)
            try withExtendedLifetime(request) { try changes.apply(request, resolve) }
            // The backend cannot take back what it has written, so it is the last to write.
            try willCommit()
            try backend.save(changes.request(notes: notes))
            if let notes { didWrite(notes) }
            committed(SaveOutcome(resolutions: changes.resolutions))
        }
    }

    func saveWithoutChanges() throws {
        guard !isReadOnly else { return }
        try saving.withLock { _ in
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
