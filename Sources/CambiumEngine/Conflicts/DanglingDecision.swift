import CambiumModel

/// What a save does about a key that would reference no row.
package enum DanglingDecision: Hashable, Sendable {
    /// The row with the key is deleted too.
    case delete
    /// The key is cleared.
    case clear
    /// The row, which was to be inserted again, stays deleted.
    case leaveDeleted
    /// Nothing; the save fails if nothing else settles it.
    case none

    /// Decides about a key.
    ///
    /// - Parameters:
    ///   - rule: The delete rule of the row that the key references, where this save deletes that
    ///     row and others have made the key; nil elsewhere.
    ///   - isOptional: Whether the key may be empty.
    ///   - isInserted: Whether the save inserts the row with the key.
    ///   - wasDeleted: Whether that row was deleted meanwhile and is inserted again.
    package static func decide(
        rule: DeleteRule?, isOptional: Bool, isInserted: Bool, wasDeleted: Bool
    ) -> DanglingDecision {
        switch rule {
        case .cascade: return isInserted ? .none : .delete
        case .deny: return .none
        default:
            if isOptional { return .clear }
            // An object that others deleted, and what it cannot be without.
            return isInserted && wasDeleted ? .leaveDeleted : .none
        }
    }
}
