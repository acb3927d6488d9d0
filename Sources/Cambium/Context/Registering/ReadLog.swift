import CambiumRecords

/// What a context asked its stores for, while somebody counts.
final class ReadLog {
    /// What was asked for.
    enum Event {
        /// A request by a condition, its number of rows, or what is computed from them.
        case fetch(EntityDescription, what: String)
        /// The row of one fault, of which nobody knew that it would be needed.
        case fault(root: EntityDescription, key: Int64)
        /// The rows of many faults at once.
        case faults(EntityDescription, count: Int)
        /// The far end of a relationship of one object.
        case links(owner: EntityDescription, RelationshipDescription)
        /// The far ends of a relationship of many objects at once.
        case allLinks(RelationshipDescription, count: Int)
    }

    private(set) var events: [Event] = []

    func note(_ event: Event) {
        events.append(event)
    }

    func note(_ request: RowRequest, what: String = "objects") {
        switch request.selection {
        case .key(let key): note(.fault(root: request.entity, key: key))
        case .keys(let keys): note(.faults(request.entity, count: keys.count))
        case .matching: note(.fetch(request.entity, what: what))
        case .farEnd(let origin): note(.links(owner: origin.entity, origin.relationship))
        }
    }
}

/// A store whose reads are noted.
final class WatchedStore: ReadableStore {
    private let store: any ReadableStore
    private let log: ReadLog

    init(_ store: any ReadableStore, _ log: ReadLog) {
        self.store = store
        self.log = log
    }

    func fetch(_ request: RowRequest, _ receive: (StoreRow) throws -> Void) throws {
        log.note(request)
        try store.fetch(request, receive)
    }

    func readRow(
        _ key: Int64, ofRoot root: EntityDescription, at commit: Int64?, into writer: RecordWriter
    ) throws -> ReadRow? {
        log.note(.fault(root: root, key: key))
        return try store.readRow(key, ofRoot: root, at: commit, into: writer)
    }

    func greatestKey(ofRoot root: EntityDescription) throws -> Int64? {
        try store.greatestKey(ofRoot: root)
    }

    func count(_ request: RowRequest) throws -> Int {
        log.note(request, what: "the number of objects")
        return try store.count(request)
    }

    func results(_ request: RowRequest, _ query: TypedResults) throws -> [[Value]] {
        log.note(request, what: "values")
        return try store.results(request, query)
    }

    func members(
        of owners: [Int64], _ relationship: RelationshipDescription
    ) throws -> [Int64: [LinkSet.Member]]? {
        let members = try store.members(of: owners, relationship)
        if members != nil { log.note(.allLinks(relationship, count: owners.count)) }
        return members
    }

    func plan(of request: RowRequest, _ query: TypedResults?) throws -> FetchPlan {
        try store.plan(of: request, query)
    }
}
