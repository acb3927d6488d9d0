/// What a transaction has read and appended to lists, each under a key. Every value is appended once, so
/// a list that is read says which transactions came before, and in which order.
struct AppendTransaction {
    enum Outcome {
        case committed
        case aborted
        /// The connection was lost while it was to be committed.
        case unknown
    }

    var outcome = Outcome.aborted
    /// The lists as they were read, without what the transaction has appended itself.
    var reads: [Int: [Int]] = [:]
    /// Which value was appended to which list.
    var appends: [Int: Int] = [:]
}

/// What is wrong with the result of concurrent transactions. The names of cycles are those of Adya's
/// thesis ("Weak Consistency", 1999), which tools such as Elle use.
enum Anomaly: Hashable, CustomStringConvertible {
    /// A value of a committed transaction is not in its list.
    case lostAppend(key: Int, value: Int)
    /// A value is in a list twice, or its transaction was taken back.
    case strayValue(key: Int, value: Int)
    /// A list was read that is no beginning of what it became.
    case otherOrder(key: Int, list: [Int])
    /// A transaction has appended to another list than it had read.
    case lostUpdate(key: Int, value: Int)
    /// Each transaction follows the next one, by what was written and read (G0, G1c).
    case circularFlow([Int])
    /// Like that, but one has read what the next one has overwritten (G-single).
    case readSkew([Int])
    /// Like that, but several have (G2).
    case writeSkew([Int])

    /// Whether plain saves may have it.
    var isSkew: Bool {
        switch self {
        case .readSkew, .writeSkew: true
        default: false
        }
    }

    var description: String {
        switch self {
        case .lostAppend(let key, let value): "value \(value) is missing in list \(key)"
        case .strayValue(let key, let value): "value \(value) should not be in list \(key)"
        case .otherOrder(let key, let list): "list \(key) was read as \(list)"
        case .lostUpdate(let key, let value):
            "value \(value) of list \(key) follows others than read"
        case .circularFlow(let transactions): "circular flow: \(transactions)"
        case .readSkew(let transactions): "read skew: \(transactions)"
        case .writeSkew(let transactions): "write skew: \(transactions)"
        }
    }
}

/// Transactions, and what the lists were in the end.
struct AppendHistory {
    var transactions: [AppendTransaction]
    var lists: [Int: [Int]]

    /// All that is wrong, each kind of cycle once.
    func anomalies() -> [Anomaly] {
        let writers = writers()
        let committed = transactions.indices.filter { isCommitted($0) }
        return wrongLists(writers) + committed.flatMap { wrongReads(of: transactions[$0]) }
            + cycles(edges(committed, writers))
    }

    /// One whose outcome is unknown counts as committed where its values are there.
    private func isCommitted(_ number: Int) -> Bool {
        let transaction = transactions[number]
        switch transaction.outcome {
        case .committed: return true
        case .aborted: return false
        case .unknown:
            return transaction.appends.contains { lists[$0.key]?.contains($0.value) == true }
        }
    }

    private func writers() -> [Int: Int] {
        var writers: [Int: Int] = [:]
        for (number, transaction) in transactions.enumerated() {
            for value in transaction.appends.values { writers[value] = number }
        }
        return writers
    }

    private func wrongLists(_ writers: [Int: Int]) -> [Anomaly] {
        var found: [Anomaly] = []
        for (key, list) in lists.sorted(by: { $0.key < $1.key }) {
            var seen: Set<Int> = []
            for value in list {
                let isExpected = writers[value].map { isCommitted($0) } ?? false
                if !isExpected || !seen.insert(value).inserted {
                    found.append(.strayValue(key: key, value: value))
                }
            }
        }
        for number in transactions.indices where isCommitted(number) {
            for (key, value) in transactions[number].appends
            where lists[key]?.contains(value) != true {
                found.append(.lostAppend(key: key, value: value))
            }
        }
        return found
    }

    private func wrongReads(of transaction: AppendTransaction) -> [Anomaly] {
        transaction.reads.compactMap { key, list in
            let whole = lists[key] ?? []
            if !whole.starts(with: list) { return .otherOrder(key: key, list: list) }
            if let value = transaction.appends[key], whole.firstIndex(of: value) != list.count {
                return .lostUpdate(key: key, value: value)
            }
            return nil
        }
    }

    // MARK: Cycles

    /// Who came before whom.
    private struct Edges {
        /// By what was written, and by what was written and then read.
        var flow: [Int: Set<Int>] = [:]
        /// By what was read, and then overwritten.
        var overwritten: [Int: Set<Int>] = [:]

        var all: [Int: Set<Int>] { flow.merging(overwritten) { $0.union($1) } }
    }

    private func edges(_ committed: [Int], _ writers: [Int: Int]) -> Edges {
        var edges = Edges()
        func add(_ from: Int?, _ to: Int?, _ path: WritableKeyPath<Edges, [Int: Set<Int>]>) {
            guard let from, let to, from != to else { return }
            edges[keyPath: path][from, default: []].insert(to)
        }
        for list in lists.values {
            for (one, next) in zip(list, list.dropFirst()) {
                add(writers[one], writers[next], \.flow)
            }
        }
        for number in committed {
            for (key, list) in transactions[number].reads {
                if let last = list.last { add(writers[last], number, \.flow) }
                let whole = lists[key] ?? []
                if whole.count > list.count {
                    add(number, writers[whole[list.count]], \.overwritten)
                }
            }
        }
        return edges
    }

    /// One cycle of each kind.
    private func cycles(_ edges: Edges) -> [Anomaly] {
        var found: [Anomaly] = []
        if let cycle = Self.inner(edges.flow, of: Self.groups(edges.flow)).first.flatMap({
            Self.path(from: $0.to, to: $0.from, edges.flow)
        }) {
            found.append(.circularFlow(cycle))
        }
        var (readSkew, writeSkew): ([Int]?, [Int]?)
        for edge in Self.inner(edges.overwritten, of: Self.groups(edges.all)) {
            if readSkew != nil, writeSkew != nil { break }
            if let cycle = Self.path(from: edge.to, to: edge.from, edges.flow) {
                readSkew = readSkew ?? cycle
            } else if let cycle = Self.path(from: edge.to, to: edge.from, edges.all) {
                writeSkew = writeSkew ?? cycle
            }
        }
        if let readSkew { found.append(.readSkew(readSkew)) }
        if let writeSkew { found.append(.writeSkew(writeSkew)) }
        return found
    }

    /// The edges between transactions of the same group, in their order.
    private static func inner(
        _ edges: [Int: Set<Int>], of groups: [Int: Int]
    ) -> [(from: Int, to: Int)] {
        edges.sorted { $0.key < $1.key }.flatMap { from, next in
            next.sorted().filter { groups[$0] == groups[from] && groups[from] != nil }
                .map { (from, $0) }
        }
    }

    /// A number for each group of transactions that lead to each other (Kosaraju's algorithm).
    private static func groups(_ edges: [Int: Set<Int>]) -> [Int: Int] {
        var backwards: [Int: Set<Int>] = [:]
        for (from, next) in edges { for to in next { backwards[to, default: []].insert(from) } }
        var seen: Set<Int> = []
        var finished: [Int] = []
        for start in edges.keys { visit(start, edges, &seen) { finished.append($0) } }
        var groups: [Int: Int] = [:]
        seen = []
        for start in finished.reversed() where !seen.contains(start) {
            visit(start, backwards, &seen) { groups[$0] = start }
        }
        return groups
    }

    /// Calls a body for each transaction that can be reached, after those that follow it.
    private static func visit(
        _ start: Int, _ edges: [Int: Set<Int>], _ seen: inout Set<Int>, _ finish: (Int) -> Void
    ) {
        guard seen.insert(start).inserted else { return }
        var stack = [(start, Array(edges[start] ?? []))]
        while let (number, next) = stack.last {
            if let follower = next.last {
                stack[stack.count - 1].1.removeLast()
                if seen.insert(follower).inserted {
                    stack.append((follower, Array(edges[follower] ?? [])))
                }
            } else {
                finish(number)
                stack.removeLast()
            }
        }
    }

    /// The shortest way from one transaction to another.
    private static func path(from start: Int, to end: Int, _ edges: [Int: Set<Int>]) -> [Int]? {
        var before = [start: start]
        var queue = [start]
        var next = 0
        while next < queue.count {
            let number = queue[next]
            next += 1
            if number == end {
                var path = [end]
                while let last = path.last, last != start { path.append(before[last] ?? start) }
                return path.reversed()
            }
            for follower in edges[number]?.sorted() ?? [] where before[follower] == nil {
                before[follower] = number
                queue.append(follower)
            }
        }
        return nil
    }
}
