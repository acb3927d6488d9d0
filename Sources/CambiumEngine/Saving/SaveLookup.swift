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

    /// The rows whose relationship, which is kept in them, references one of the keys.
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

/// Says how the conflicts of a save are decided: a merge policy, or a program's own. It is called
/// inside the transaction, before anything is written, and changes nothing.
package protocol ConflictArbiter {
    /// How conflicts are decided without a policy of the program; nil where they are not.
    var strategy: ConflictStrategy? { get }

    /// Whether keys that reference no row are looked for. Otherwise the store refuses them.
    var checksKeys: Bool { get }

    /// How each of these conflicts is decided.
    ///
    /// - Throws: What says that the save is refused.
    func judge(_ conflicts: [RowConflict]) throws -> [Verdict]

    /// How each of these collisions is decided.
    ///
    /// - Throws: What says that the save is refused.
    func judge(_ collisions: [UniqueCollision]) throws -> [ConflictStrategy]

    /// The error for collisions that the strategies do not resolve.
    func refusal(of collisions: [UniqueCollision]) -> any Error

    /// Throws what there is to say about keys that still reference deleted rows. What it says
    /// nothing about, the store refuses.
    func refuse(_ keys: [DanglingKey], in plan: SavePlan) throws
}
