import CambiumRecords

// New objects that a save gave up because another object has their unique values.
extension ManagedObject {
    /// The object itself, or the one that a save has kept in its place.
    @inline(__always)
    final var standIn: ManagedObject {
        lifecycle == .gone ? extras?.survivor ?? self : self
    }

    /// Stands for another object from now on: reads and writes its values. Where that is of another
    /// class, this one is just gone.
    final func becomeForward(to survivor: ManagedObject) {
        let family = state.coordinator.model.families[entityDescription.index]
        lifecycle = .gone
        flags.formIntersection(.isNoted)
        let extras = ownExtras
        extras.snapshot = nil
        extras.changedSlots = SlotSet()
        extras.quietChanges = nil
        extras.eventBase = .none
        extras.eventLinks = nil
        extras.links = [:]
        extras.fetched = [:]
        guard family.contains(survivor.entityDescription.index) else {
            record = entityDescription.template.record
            page = entityDescription.template.page
            extras.vanished = true
            return
        }
        record = nil
        page = nil
        extras.survivor = survivor
    }

    /// Notes the defaults that were made for this object alone.
    final func rememberDefaults() {
        guard let record else { return }
        for (slot, _) in entityDescription.dynamicDefaults {
            ownExtras.dynamicDefaults[slot] = record.storedValue(
                slot, entityDescription.shape.kinds[slot])
        }
    }
}
