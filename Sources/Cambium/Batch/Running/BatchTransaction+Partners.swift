import CambiumSQLite

extension BatchTransaction {
    /// Makes sure that rows which were written lead to nobody whom another row has in a one-to-one:
    /// the store has no constraint for it.
    ///
    /// - Parameter slots: Those that were written; nil for new rows.
    /// - Throws: ``RefusedRow``
    func checkPartners(
        _ placed: [PlacedRecord], _ slots: SlotSet?, of entity: EntityDescription
    ) throws {
        for key in model.partnerKeys[entity.index] {
            let slot = key.slots[0]
            if let slots, !slots.contains(slot) { continue }
            let linked = placed.map(\.record).filter { $0.hasValue(slot) }
            guard let holder = try lookup.holders(of: key, linked, entity).first else { continue }
            let property = key.properties[0]
            throw RefusedRow(
                entity: entity, key: holder.record,
                underlying: ValidationError(
                    code: .notUnique, entityName: entity.name, objectID: nil, property: property,
                    message: "\(property) leads to an object that another one has."))
        }
    }
}
