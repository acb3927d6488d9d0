/// What a batch operation does in its transaction.
package protocol BatchWork {
    /// Whether the result names the objects.
    var resultType: BatchResultType { get }
    /// Whether to look at everything before anything is written, where a first try meets unique
    /// values of other rows. What reads its input once cannot try again.
    var canPlan: Bool { get }

    func run(in transaction: any BatchTransaction) throws
}

/// The key, the version and the entity of a row.
package struct RowHead {
    package let entity: Int
    package let key: Int64
    package let version: Int64

    package init(entity: Int, key: Int64, version: Int64) {
        self.entity = entity
        self.key = key
        self.version = version
    }
}

/// What a batch operation answers with.
public enum BatchResultType: Sendable, Hashable {
    /// How many objects it concerned. Costs nothing.
    case count
    /// Which objects, too: some bytes of memory for each.
    case objectIDs
}
