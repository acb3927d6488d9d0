import CambiumRecords

// What every object is checked for. Generated classes add the limits of their properties.
extension Validator {
    /// Required values must be there, and numbers be numbers. Objects whose class has no generated
    /// checks are checked for all that the model says.
    mutating func validateEssentials() {
        // Safety: whoever validates an object holds it, and by its state the description.
        uncounted(object.entityDescription).use { validateEssentials($0) }
    }

    private mutating func validateEssentials(_ description: EntityDescription) {
        guard description.isGenerated else {
            return validateAgainstModel()
        }
        let record = object.readable
        description.requiredSlots.forEach { slot in
            if !record.hasValue(slot) { required(property(at: slot), at: slot) }
        }
        description.floatingSlots.forEach { slot in
            if record.hasValue(slot), record.real(slot).isNaN {
                finite(property(at: slot), record.real(slot))
            }
        }
        if description.requiredToOnes.isEmpty { return }
        for ordinal in description.requiredToOnes {
            requiredToOne(description.relationships[ordinal].relationship.name, ordinal)
        }
    }

    private func property(at slot: Int) -> String {
        object.entityDescription.layout.slots[slot].property
    }
}
