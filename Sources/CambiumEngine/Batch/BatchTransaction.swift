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
    func rowKeys(_ request: RowRequest) throws -> [RowKey]

    /// The rows at the other end of a relationship, each with the key of this end.
    func related(
        _ relationship: RelationshipDescription, of entity: EntityDescription, _ keys: [Int64]
    ) throws -> [(source: Int64, row: RowKey)]

    /// The rows of an entity whose relationship, without an inverse, references the keys, each with
    /// the key of that end.
    func owners(
        of relationship: RelationshipDescription, _ entity: EntityDescription, _ keys: [Int64]
    ) throws -> [(source: Int64, row: RowKey)]

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
package struct RowKey {
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

/// How the values of a spool lie in its database: each as a record.
package protocol SpoolForm {
    associatedtype Element

    /// What the slots hold.
    var shape: RecordShape { get }

    /// The record of a value; the spool gives it a key.
    func record(of element: Element, by writer: RecordWriter) throws -> PlacedRecord

    /// The value of a record, whose key says how many values came before it.
    func element(of record: Record, by writer: RecordWriter) throws -> Element
}
