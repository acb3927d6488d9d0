import CambiumEngine
import CambiumRecords

extension SQLiteBatch {
    /// Makes sure that rows which were written lead to nobody whom another row has in a one-to-one.
    ///
    /// - Parameter slots: Those that were written; nil for new rows.
    /// - Throws: ``RefusedRow``
    func checkPartners(
        _ placed: [PlacedRecord], _ slots: SlotSet?, of entity: EntityDescription
    ) throws {
        guard
            let (property, key) = try rows.stolenPartner(entity, placed.map(\.record), slots)
        else { return }
        throw RefusedRow(
            entity: entity, key: key,
            underlying: ValidationError(
                code: .notUnique, entityName: entity.name, objectID: nil, property: property,
                message: "\(property) references an object that another one already has."))
    }
}
