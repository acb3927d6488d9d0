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

    /// Writes rows: deletes, updates and inserts, with their large values in files and what is
    /// derived from them. The request's records stay alive by their owner.
    ///
    /// - Throws: ``RefusedRow`` where a check of the store says no to a row that is updated or
    ///   inserted; then the transaction is to be taken back.
    func write(_ request: SaveRequest) throws

    /// The same for rows that want unique values of each other: all are looked at first.
    ///
    /// - Throws: What the arbiter throws where a row wants what another one keeps.
    func writePlanned(_ request: SaveRequest, _ arbiter: any ConflictArbiter) throws

    /// Writes the order of lists, of which all members are there.
    func write(_ order: SaveRequest.Order) throws

    /// Makes sure that what was written gives no object two partners in a one-to-one.
    func checkPartners(_ request: SaveRequest) throws

    /// Makes sure that rows which were written lead to nobody whom another row has in a one-to-one.
    ///
    /// - Parameter slots: Those that were written; nil for new rows.
    /// - Throws: ``RefusedRow``
    func checkPartners(
        _ placed: [PlacedRecord], _ slots: SlotSet?, of entity: EntityDescription) throws

    /// Looks at rules that the store's checks do not hold, over rows that were written.
    ///
    /// - Throws: ``RefusedRow`` where one does not hold.
    func checkRules(_ keys: [Int64], of entity: EntityDescription) throws
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
