extension CustomEngine {
    func readNodes(
        of roots: [Int], _ receive: (_ nodes: [StoreNode], _ root: Int) throws -> Void
    ) throws {
        // Nobody saves meanwhile.
        try saving.withLock {
            for root in roots {
                let name = model.entities[root].name
                let nodes = try makeGraph().nodes(root: root)
                    .filter { try Self.root(of: $0, in: model.model) == name }
                for start in stride(from: 0, to: nodes.count, by: MovedRows.readAtOnce) {
                    let end = min(start + MovedRows.readAtOnce, nodes.count)
                    try receive(Array(nodes[start..<end]), root)
                }
            }
        }
    }

    func nextKey(ofRoot root: Int) throws -> Int64? {
        try backend.nextKey(ofEntity: model.entities[root].name, mayReserve: !isReadOnly)
    }

    func takeOver(_ rows: MovedRows) throws {
        try requireNoRows(ofRoots: rows.roots)
        var request = StoreSaveRequest()
        let nextKeys = try rows.read { request.inserted += $0 }
        // Not nil, even where there are none: a store without rows is to be written too.
        request.notes = try rows.source.notes()
        try saving.withLock {
            for (root, next) in nextKeys.sorted(by: { $0.key < $1.key }) {
                try reserveKeys(upTo: next, root: root)
            }
            try backend.save(request)
        }
    }

    /// - Throws: ``StoreError`` where there are rows of one of the hierarchies.
    private func requireNoRows(ofRoots roots: [Int]) throws {
        for root in roots {
            if try makeGraph().nodes(root: root).isEmpty { continue }
            throw StoreError.invalidRequest(
                "The store already has objects of \(model.entities[root].name), and only "
                    + "an empty store can receive the objects of another one.",
                remedy: "Delete those objects, or choose another location.")
        }
    }

    /// Lets the backend give no key that one of the rows may have.
    private func reserveKeys(upTo next: Int64, root: Int) throws {
        let name = model.entities[root].name
        var free: Int64 = 1
        while free < next {
            let range = try backend.reserveKeys(ofEntity: name, count: Int(next - free))
            guard range.upperBound > free else {
                throw StoreError.invalidRequest(
                    "The custom store reserves keys for \(name) that do not increase, so "
                        + "that rows would have equal keys.",
                    remedy: "Let reserveKeys(ofEntity:count:) return keys that it never returned "
                        + "before.")
            }
            free = range.upperBound
        }
    }
}
