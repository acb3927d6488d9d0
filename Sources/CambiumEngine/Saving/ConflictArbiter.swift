import CambiumRecords

/// Says how the conflicts of a save are decided: a merge policy, or a program's own. It is called
/// inside the transaction, before anything is written, and changes nothing.
package protocol ConflictArbiter {
    /// How conflicts are decided that nobody is asked about; nil where they are not.
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
