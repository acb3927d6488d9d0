import CambiumModel
import CambiumRecords

/// The transaction of a batch operation: finds rows, and writes them with all that belongs to them.
package protocol BatchTransaction: AnyObject {
    /// The store's.
    var identifier: StoreIdentifier { get }
    var model: ModelDescription { get }
    /// What the operation has changed until now.
    var changes: BatchChanges { get set }
    /// Whether everything is looked at before anything is written.
    var isPlanned: Bool { get }
    /// Whether writing rows may change derived attributes of others.
    var derivesValues: Bool { get }
    /// The rows as they are in the transaction.
    var lookup: any SaveLookup { get }

    /// Runs a part of the work. Where it throws, all that it has written and noted is taken back,
    /// and the work before it stays.
    func savepoint(_ body: () throws -> Void) throws

    /// The rows that a request finds: by a condition or by keys.
    func heads(_ request: RowRequest) throws -> [RowHead]

    /// The rows at the other end of a relationship, each with the key of this end.
    func related(
        _ relationship: RelationshipDescription, of entity: EntityDescription, _ keys: [Int64]
    ) throws -> [(source: Int64, head: RowHead)]

    /// The rows of an entity whose relationship, from which nothing leads back, leads to the keys,
    /// each with the key of that end.
    func owners(
        of relationship: RelationshipDescription, _ entity: EntityDescription, _ keys: [Int64]
    ) throws -> [(source: Int64, head: RowHead)]

    /// What computes values for rows of an entity.
    func computation(
        of expressions: [(expression: ModelExpression, type: AttributeType)],
        for entity: EntityDescription
    ) throws -> BatchComputation

    /// Reserves keys of a root entity; they are never given again.
    func reserveKeys(root: Int, count: Int) throws -> Range<Int64>

    /// Writes rows: the stages of their source, one after the other. The request's records stay
    /// alive by their owner.
    ///
    /// - Throws: ``RefusedRow`` where the store or a rule says no to a row that is updated or
    ///   inserted; then the transaction is to be taken back.
    func write(_ request: SaveRequest, from source: RowSource) throws

    /// The same for rows that want unique values of each other: all are looked at first.
    ///
    /// - Throws: What the arbiter throws where a row wants what another one keeps, and what
    ///   ``write(_:from:)`` throws.
    func writePlanned(_ request: SaveRequest, _ arbiter: any ConflictArbiter) throws
}

/// What computes values for rows, in the order in which it was asked for them.
package struct BatchComputation {
    /// Whether nothing but a row itself is looked at for its values.
    package let isOfOwnRow: Bool
    package let types: [ExpressionType]
    /// The values of rows, by their keys.
    package let values: (_ keys: [Int64]) throws -> [Int64: [StoredValue]]

    package init(
        isOfOwnRow: Bool, types: [ExpressionType],
        values: @escaping (_ keys: [Int64]) throws -> [Int64: [StoredValue]]
    ) {
        self.isOfOwnRow = isOfOwnRow
        self.types = types
        self.values = values
    }
}
