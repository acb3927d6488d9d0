/// How a conflict between a save and what others have saved meanwhile is decided: a merge policy
/// that neither refuses the save nor asks the program.
package enum ConflictStrategy: CaseIterable, Sendable {
    /// The store's row stays as it is.
    case rollback
    /// Our row is written as it is.
    case overwrite
    /// Both changes count; where both sides changed a property, the store's value stays.
    case storeTrump
    /// Both changes count; where both sides changed a property, our value stays.
    case objectTrump

    /// Whether our side stays, where the two exclude each other.
    package var keepsOurs: Bool { self == .objectTrump || self == .overwrite }
}
