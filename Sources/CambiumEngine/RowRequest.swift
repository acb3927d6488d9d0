import CambiumModel
import CambiumRecords

/// Which rows are wanted.
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

    /// What selects the rows.
    package enum Selection {
        /// Those that meet a condition; all without one.
        case matching(ModelExpression?, [String: Value])
        /// The one with the key.
        case key(Int64)
        /// Those with the keys.
        case keys([Int64])
        /// The far end of a relationship that the other side or pairs keep, in its order where that
        /// is stored.
        case farEnd(Origin)
    }

    package let entity: EntityDescription
    package let selection: Selection
    package var includesSubentities = true
    /// The order; rows that are equal in it come in the order of their keys.
    package var sort: [SortTerm] = []
    /// Whether the order does not matter, not even that of the keys.
    package var isUnordered = false
    /// Whether the keys, versions and entities of the rows will do.
    package var readsKeysOnly = false
    /// Whether an engine may decide in memory what its store cannot say. One whose store is in memory
    /// does so anyway.
    package var allowsInMemoryFiltering = true
    /// What can end the request before its time, from another thread.
    package var interruption: Interruption?
    package var limit: Int?
    package var offset = 0
    /// The paths along relationships whose far ends will be asked for next.
    package var prefetched: [[RelationshipDescription]] = []
    /// Whose far ends are wanted of the rows that meet the condition, which may be more.
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

    /// The request for a reader that sorts by keys itself where nothing else is wanted: the order
    /// of the keys is that of the table, and a store that is left free delivers faster.
    package var leavingOrderFree: RowRequest {
        var request = self
        request.isUnordered = sort.isEmpty && limit == nil && offset == 0
        return request
    }

    /// The keys that the rows have and that are all that is asked of them, in any order, some perhaps
    /// twice; nil where the request asks for something else, or for so few that it makes no
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

/// How a store answers a request: the statement, and how its engine finds the rows. For people, to
/// see whether an index helps; the words are the engine's and change with its version. What the engine
/// cannot say, so that it is decided in memory, is named in lines that begin with `in memory:`.
public struct FetchPlan: Sendable, Hashable, CustomStringConvertible {
    /// The statement, with `?` for values; nil where the store has no statements.
    public let sql: String?
    /// A line for each step, indented by its depth, such as
    /// `SEARCH t USING INDEX Product_sku (sku=?)`, then one for each part that is decided in memory.
    public let steps: [String]
    /// Whether a step reads a whole table, or an index as a whole.
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
    /// - Throws: ``StoreError`` where only its key was asked for; what reading throws.
    package func record(in writer: RecordWriter) throws -> PlacedRecord {
        guard let placed = try values(in: writer) else {
            throw StoreError(
                code: .missingRow, message: "The values of row \(key) were not read.",
                remedy: "Fetch the object again.")
        }
        return placed
    }
}

/// Where rows come from that an engine writes, and so what is done on their way.
///
/// What needs no store has happened before: defaults and conversions, and what a context validates.
/// Two sources are not here, since their rows take another way: a move copies rows as they are, and
/// an imported Core Data store is repaired and reported.
package enum RowSource: CaseIterable, Sendable {
    /// The save of a context.
    case save
    /// A batch insertion or update, or an import.
    case batch
    /// A batch deletion, with the links that it cuts.
    case deletion

    /// What an engine does with their rows.
    package var stages: RowStages {
        switch self {
        case .save: .all.subtracting(.rules)
        case .batch: .all
        case .deletion: .all.subtracting([.partners, .rules])
        }
    }

    /// Whether an engine names the first row, in the order of the keys, whose values are refused. A
    /// save is notified of a conflict, and looks for conflicts.
    package var namesRefusedRow: Bool { self != .save }
}

/// What an engine does with rows that it writes, in this order. Derived values of rows that cease to
/// be related are looked up before any row is written.
package struct RowStages: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// Large values go to files.
    package static let files = RowStages(rawValue: 1)
    /// Rows are deleted, updated and inserted, and the engine's own checks hold for them.
    package static let rows = RowStages(rawValue: 2)
    /// Links that are in no row are made and cut.
    package static let links = RowStages(rawValue: 4)
    /// Lists get their order, when all their members exist.
    package static let lists = RowStages(rawValue: 8)
    /// No object of a one-to-one has two partners.
    package static let partners = RowStages(rawValue: 16)
    /// What is derived from the rows is brought up to date.
    package static let derivedValues = RowStages(rawValue: 32)
    /// Rules hold that the engine's own checks do not know. A context has validated its objects.
    package static let rules = RowStages(rawValue: 64)

    static let all: RowStages = [.files, .rows, .links, .lists, .partners, .derivedValues, .rules]
}
