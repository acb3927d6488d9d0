/// A kind of work. A round runs the workloads in this order, because later ones use and change the
/// rows that W1 inserts.
enum Workload: String, CaseIterable {
    case insert = "W1"
    case scan = "W2"
    case fetch = "W2a"
    case refetch = "W2b"
    case filter = "W3"
    case lookUp = "W4"
    case lookUpTogether = "W4a"
    case traverse = "W7"
    case prefetch = "W7a"
    case count = "W8"
    case observe = "W10"
    case update = "W5"
    case delete = "W6"
    case insertIndexed = "W9"
    case insertBatch = "W11"

    static let departments = 100
    static let salaryFloor = 128_000.0
    static let ageCeiling = 31
    static let filterLimit = 1000
    /// The number of committed changes that W10 observes.
    static let renames = 20

    var title: String {
        switch self {
        case .insert: "insert, 1 index"
        case .scan: "fetch all, touch"
        case .fetch: "fetch all, no more"
        case .refetch: "fetch all again"
        case .filter: "filter, sort, limit"
        case .lookUp: "look up by id"
        case .lookUpTogether: "…, all at once"
        case .traverse: "relationships"
        case .prefetch: "…, prefetched"
        case .count: "count"
        case .observe: "observed update"
        case .update: "update"
        case .delete: "delete"
        case .insertIndexed: "insert, 3 indexes"
        case .insertBatch: "batch insert"
        }
    }

    /// The number of repetitions in a round. Times are per repetition.
    var repetitions: Int {
        switch self {
        case .scan, .fetch, .refetch: 3
        case .filter, .count: 10
        default: 1
        }
    }

    /// The goal for the ratio to the C loop on the same tables, or nil if there is no goal for the
    /// ratio.
    var goal: Double? {
        switch self {
        case .insert, .refetch, .lookUpTogether, .insertBatch: 1
        case .scan, .lookUp, .traverse: 1.5
        case .fetch: 1.2
        case .filter: 1.1
        case .prefetch: 1.35
        case .count, .delete: 1.05
        case .update: 1.15
        case .insertIndexed: 0.95
        case .observe: nil
        }
    }

    /// Whether a commit can leave work for later.
    var isWriting: Bool {
        switch self {
        case .insert, .update, .delete, .insertIndexed, .insertBatch, .observe: true
        case .scan, .fetch, .refetch, .filter, .lookUp, .lookUpTogether, .traverse, .prefetch,
            .count:
            false
        }
    }

    /// Whether it inserts into a separate empty table. W9 has its own model, and W11 has the model
    /// of W1.
    var hasOwnFile: Bool { self == .insertIndexed || self == .insertBatch }

    /// Whether it uses the rows of W1.
    var needsRows: Bool { self != .insert && !hasOwnFile }

    /// The parts of a checksum that every correct answer has in common.
    func comparable(_ checksum: Checksum) -> Checksum {
        var result = checksum
        switch self {
        case .fetch, .refetch:
            // The C side always reads the values of rows. Cambium only fetches here.
            result = Checksum()
            result.rows = checksum.rows
        case .filter, .observe:
            // Rows with the same name may come in any order, and any of them may be the last one.
            result.values = 0
            result.links = 0
        default:
            result.order = 0
        }
        return result
    }
}
