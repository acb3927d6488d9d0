import CambiumRecords

/// Takes the links that a handler sets on the object of a batch insertion, which is in no context.
final class BatchRowLinks {
    private var error: StoreError?

    /// What could not be set since the last time.
    func takeError() -> StoreError? {
        defer { error = nil }
        return error
    }

    /// Leads a to-one to a saved object, whatever its context.
    func set(
        _ relationship: RelationshipDescription, of row: ManagedObject, to object: ManagedObject?
    ) {
        let description = row.entityDescription
        let name = relationship.relationship.name
        do {
            let slot = try description.assignableSlot(name)
            guard let object else {
                row.writeNull(slot)
                if let entitySlot = relationship.entitySlot { row.writeNull(entitySlot) }
                return
            }
            let target = object.orReplacement
            let isUsable =
                target.state.coordinator === row.state.coordinator
                && row.state.coordinator.model.families[relationship.destination]
                    .contains(target.entityDescription.index)
            guard isUsable else {
                throw StoreError(
                    code: .foreignObject,
                    message: "\(description.name).\(name) was set to \(target), which is in "
                        + "another container or of another entity.",
                    remedy: "Set it to an object of \(relationship.relationship.destination) in "
                        + "this container.")
            }
            guard !target.objectID.isTemporary else {
                throw StoreError.invalidRequest(
                    "\(description.name).\(name) was set to \(target), which is not in "
                        + "the store yet.",
                    remedy: "Save that object first.")
            }
            row.writeInteger(slot, target.key)
            if let entitySlot = relationship.entitySlot {
                target.entityDescription.name.write(to: row, entitySlot)
            }
        } catch {
            refuse(error)
        }
    }

    /// Remembers that a to-many was changed, which a batch insertion cannot do.
    func refuse(_ relationship: RelationshipDescription, of row: ManagedObject) {
        do {
            _ = try row.entityDescription.assignableSlot(relationship.relationship.name)
        } catch {
            refuse(error)
        }
    }

    private func refuse(_ error: any Error) {
        guard self.error == nil else { return }
        self.error =
            error as? StoreError
            ?? StoreError(
                code: .invalidRequest, message: "\(error)",
                remedy: "Correct the value that the row is filled with.", underlying: error)
    }
}
