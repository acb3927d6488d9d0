/// What a batch operation does in its transaction.
protocol BatchWork {
    /// Whether the result names the objects.
    var resultType: BatchResultType { get }
    /// Whether to look at everything before anything is written, where a first try meets unique
    /// values of other rows. What reads its input once cannot try again.
    var canPlan: Bool { get }

    func run(in transaction: BatchTransaction) throws
}

/// The key, the version and the entity of a row.
struct RowHead {
    let entity: Int
    let key: Int64
    let version: Int64
}
