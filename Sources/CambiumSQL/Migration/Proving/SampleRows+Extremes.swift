import CambiumModel

extension SampleRows {
    /// One of the values that are rarely thought of; nil where ordinary ones are wanted. The later
    /// attempts are ordinary more and more: a rule may not allow the others.
    func extreme(
        of attribute: Attribute, _ declarer: Entity, _ place: (index: Int, attempt: Int),
        _ random: inout SampleRandom
    ) -> StoredValue? {
        switch content {
        case .ordinary: return nil
        case .extremesWhereTypesStay:
            if hints.isConverted(attribute, of: declarer) { return nil }
        case .extremes: break
        }
        if place.index == 0 || place.attempt > 20
            || place.attempt > 10 && random.next(below: 2) == 0
        {
            return nil
        }
        let values = model.extremes(of: hints.attribute(attribute, of: declarer))
        guard !values.isEmpty else { return nil }
        return values[(place.index - 1 + place.attempt) % values.count]
    }

    func isOneToOne(_ relationship: Relationship) -> Bool {
        guard let inverse = relationship.inverse,
            let destination = model.entity(named: relationship.destination)
        else { return false }
        return model.relationship(inverse, of: destination)?.isToMany == false
    }
}
