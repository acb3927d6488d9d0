import CambiumRecords

/// What the planning of a save asks a store about the rows that are in it.
package protocol SaveLookup {
    /// Which records are of another version than their rows, or have none.
    func conflicts(
        _ entity: EntityDescription, _ records: [Record], isDeletion: Bool
    ) throws -> [RowConflict]

    /// The rows of a hierarchy that have these keys, with their own entities.
    func rows(
        _ keys: some Sequence<Int64>, root: Int
    ) throws -> [(EntityDescription, PlacedRecord)]

    /// The keys that no row of a hierarchy has.
    func missingKeys(_ keys: Set<Int64>, root: Int) throws -> [Int64]

    /// The rows whose relationship, which is kept in them, leads to one of the keys.
    ///
    /// - Parameter entity: The entity that declares the relationship.
    func keysReferring(
        to keys: Set<Int64>, by relationship: RelationshipDescription, of entity: EntityDescription
    ) throws -> [Int64]

    /// For the records, all of one entity, the other rows that hold the same unique values.
    func holders(
        of key: UniqueKey, _ records: [Record], _ entity: EntityDescription
    ) throws -> [UniqueHolder]

    /// The keys at the other ends of a row's pairs.
    func pairedKeys(of members: SavePlan.Membership) throws -> [Int64]
}

/// A row that holds the unique values of a record.
package struct UniqueHolder {
    /// The record's key.
    package let record: Int64
    /// The row's key.
    package let row: Int64

    package init(record: Int64, row: Int64) {
        self.record = record
        self.row = row
    }
}
