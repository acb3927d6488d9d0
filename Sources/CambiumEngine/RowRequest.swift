import CambiumModel
import CambiumRecords

/// A request for rows.
package struct RowRequest {
    /// The near end of a relationship.
    package struct Origin {
        /// The entity of the object.
        package let entity: EntityDescription
        package let key: Int64
        package let relationship: RelationshipDescription

        package init(entity: EntityDescription, key: Int64, relationship: RelationshipDescription) {
            self.entity = entity
            self.key = key
            self.relationship = relationship
        }
    }

    /// The near ends of a relationship.
    package struct Owners {
        package let keys: [Int64]
        package let relationship: RelationshipDescription

        package init(keys: [Int64], relationship: RelationshipDescription) {
            self.keys = keys
            self.relationship = relationship
        }
    }

    /// The selection of the rows.
    package enum Selection {
        /// The rows that match a condition; all without one.
        case matching(ModelExpression?, [String: Value])
        /// The one with the key.
        case key(Int64)
        /// The rows with the keys.
        case keys([Int64])
        /// The far end of a relationship that the other side or pairs keep, in its order if that is
        /// stored.
        case farEnd(Origin)
    }

    package let entity: EntityDescription
    package let selection: Selection
    package var includesSubentities = true
    /// The order; equal rows are ordered by their keys.
    package var sort: [SortTerm] = []
    /// Whether the order does not matter, not even that of the keys.
    package var isUnordered = false
    /// Whether the keys, versions and entities of the rows will do.
    package var readsKeysOnly = false
    /// Whether an engine may evaluate in memory parts that its store does not support. If its store
    /// is in memory, it always does.
    package var allowsInMemoryFiltering = true
    /// Can end the request early, from another thread.
    package var interruption: Interruption?
    package var limit: Int?
    package var offset = 0
    /// The paths along relationships with far ends that will be requested next.
    package var prefetched: [[RelationshipDescription]] = []
    /// The owners of far ends, if only their far ends are requested. More rows may match the
    /// condition.
    package var owners: Owners?

    package init(
        entity: EntityDescription, selection: Selection, includesSubentities: Bool = true,
        sort: [SortTerm] = [], isUnordered: Bool = false, readsKeysOnly: Bool = false,
        interruption: Interruption? = nil, limit: Int? = nil, offset: Int = 0
    ) {
        self.entity = entity
        self.selection = selection
        self.includesSubentities = includesSubentities
        self.sort = sort
        self.isUnordered = isUnordered
        self.readsKeysOnly = readsKeysOnly
        self.interruption = interruption
        self.limit = limit
        self.offset = offset
    }

    /// The request for a reader that sorts by key itself if no other order is requested. The rows
    /// of a table are already in the order of their keys, and a store reads faster without a
    /// required order.
    package var leavingOrderFree: RowRequest {
        var request = self
        request.isUnordered = sort.isEmpty && limit == nil && offset == 0
        return request
    }

    /// The requested keys in any order, perhaps with duplicates, if the request selects rows by
    /// their keys alone. Nil if it does something else, or if there are too few keys to make a
    /// difference.
    package var keysAlone: [Int64]? {
        guard isUnordered, !readsKeysOnly, includesSubentities,
            case .matching(.comparison(let subject, .in, .list(let items), _)?, _) = selection,
            subject == .keyPath(root: .subject, names: []), items.count >= 64
        else { return nil }
        var keys: [Int64] = []
        keys.reserveCapacity(items.count)
        for item in items {
            guard case .literal(.int(let key)) = item else { return nil }
            keys.append(key)
        }
        return keys
    }
}

/// The plan of a request in its store: the statement, and how the engine finds the rows. It shows
/// whether an index is used. The words are the engine's and change with its version. Parts that are
/// evaluated in memory have lines that begin with `in memory:`.
public struct FetchPlan: Sendable, Hashable, CustomStringConvertible {
    /// The statement, with `?` for values; nil if the store has no statements.
    public let sql: String?
    /// A line for each step, indented by its depth, such as `SEARCH t USING INDEX Product_sku
    /// (sku=?)`, then one for each part that is decided in memory.
    public let steps: [String]
    /// Whether a step reads a complete table, or a complete index.
    public let scansTable: Bool

    package init(sql: String?, steps: [String], scansTable: Bool) {
        self.sql = sql
        self.steps = steps
        self.scansTable = scansTable
    }

    /// The statement and the steps, line by line.
    public var description: String {
        ([sql].compactMap(\.self) + steps).joined(separator: "\n")
    }
}

extension StoreRow {
    /// Reads the row's values into a record.
    ///
    /// - Throws: ``StoreError`` if only its key was requested; any error of reading.
    package func record(in writer: RecordWriter) throws -> PlacedRecord {
        guard let placed = try values(in: writer) else {
            throw StoreError(
                code: .missingRow, message: "The values of row \(key) were not read.",
                remedy: "Fetch the object again.")
        }
        return placed
    }
}

/// The source of rows that an engine writes. It determines the stages.
///
/// Work without a store is done before: defaults and conversions, and the validation of a context.
/// Two sources are not included, because their rows are written differently: a move copies rows as
/// they are, and an imported Core Data store is repaired and reported.
package enum RowSource: CaseIterable, Sendable {
    /// The save of a context.
    case save
    /// A batch insertion or update, or an import.
    case batch
    /// A batch deletion, with the links that it cuts.
    case deletion

    /// The stages of their rows.
    package var stages: RowStages {
        switch self {
        case .save: .all.subtracting(.rules)
        case .batch: .all
        case .deletion: .all.subtracting([.partners, .rules])
        }
    }

    /// Whether an engine names the first rejected row, in the order of the keys. A save is notified
    /// of a conflict, and checks for conflicts itself.
    package var namesRefusedRow: Bool { self != .save }
}

/// The stages of rows that an engine writes, in this order. Before any row is written, the engine
/// finds rows that will lose a relationship and have derived values.
package struct RowStages: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// Large values are written to files.
    package static let files = RowStages(rawValue: 1)
    /// Rows are deleted, updated and inserted. The engine checks its own constraints.
    package static let rows = RowStages(rawValue: 2)
    /// Links outside of rows are inserted and deleted.
    package static let links = RowStages(rawValue: 4)
    /// Lists get their order, when all their members exist.
    package static let lists = RowStages(rawValue: 8)
    /// No object of a one-to-one has two partners.
    package static let partners = RowStages(rawValue: 16)
    /// Derived values are updated.
    package static let derivedValues = RowStages(rawValue: 32)
    /// Rules without a constraint in the engine are checked. A context has already validated its
    /// objects.
    package static let rules = RowStages(rawValue: 64)

    static let all: RowStages = [.files, .rows, .links, .lists, .partners, .derivedValues, .rules]
}
