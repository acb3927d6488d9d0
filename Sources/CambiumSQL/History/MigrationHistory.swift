/// How a migration takes the history of a store along.
///
/// What was changed before is told under the new names afterwards, and the migration itself is a
/// transaction: the objects that it deletes, and those whose values it gives anew.
public struct MigrationHistory: Sendable, Hashable {
    /// What is done before the first step, in order.
    public let before: [String]
    /// What is done after the last step, in order.
    public let after: [String]
    /// Why nobody can say what the migration changes, as a sentence; nil where that is known. Then
    /// the history begins anew.
    public let obstacle: String?

    /// Describes how a history is taken along.
    public init(before: [String], after: [String]) {
        (self.before, self.after, obstacle) = (before, after, nil)
    }

    /// Describes why it is not.
    public init(obstacle: String) {
        (before, after, self.obstacle) = ([], [], obstacle)
    }
}
