/// One kind of work, in the order in which a round does it: later workloads use and change the
/// rows that W1 inserted.
enum Workload: String, CaseIterable {
    case insert = "W1"
    case scan = "W2"
    case filter = "W3"
    case lookUp = "W4"
    case traverse = "W7"
    case count = "W8"
    case observe = "W10"
    case update = "W5"
    case delete = "W6"
    case insertIndexed = "W9"

    static let departments = 100
    static let salaryFloor = 128_000.0
    static let ageCeiling = 31
    static let filterLimit = 1000
    /// How many committed changes W10 observes.
    static let renames = 20

    var title: String {
        switch self {
        case .insert: "insert, 1 index"
        case .scan: "fetch all, touch"
        case .filter: "filter, sort, limit"
        case .lookUp: "look up by id"
        case .traverse: "relationships"
        case .count: "count"
        case .observe: "observed update"
        case .update: "update"
        case .delete: "delete"
        case .insertIndexed: "insert, 3 indexes"
        }
    }

    /// How often the work is done within a round; times are per repetition.
    var repetitions: Int {
        switch self {
        case .scan: 3
        case .filter, .count: 10
        default: 1
        }
    }

    /// Whether a store can be left with work that a commit put off.
    var isWriting: Bool {
        switch self {
        case .insert, .update, .delete, .insertIndexed, .observe: true
        case .scan, .filter, .lookUp, .traverse, .count: false
        }
    }

    /// W9 has its own model; all others work on the rows of W1.
    var needsRows: Bool {
        self != .insert && self != .insertIndexed
    }

    /// The parts of a checksum that every correct answer has in common.
    func comparable(_ checksum: Checksum) -> Checksum {
        var result = checksum
        switch self {
        case .filter, .observe:
            // Rows of equal name may come in any order, and any of them may be the last one.
            result.values = 0
            result.links = 0
        default:
            result.order = 0
        }
        return result
    }
}
