// What every object is checked for. Generated classes add the limits of their properties.
extension Validator {
    /// Required values must be there, and numbers be numbers. Objects whose class has no generated
    /// checks are checked for all that the model says.
    mutating func validateEssentials() {
        let description = object.entityDescription
        guard description.isGenerated else { return validateAgainstModel() }
        description.requiredSlots.forEach { slot in
            if !object.readable.hasValue(slot) { required(property(at: slot), at: slot) }
        }
        description.floatingSlots.forEach { slot in
            let record = object.readable
            if record.hasValue(slot), record.real(slot).isNaN {
                finite(property(at: slot), record.real(slot))
            }
        }
        for ordinal in description.requiredToOnes {
            requiredToOne(description.relationships[ordinal].relationship.name, ordinal)
        }
    }

    private func property(at slot: Int) -> String {
        object.entityDescription.layout.slots[slot].property
    }
}
