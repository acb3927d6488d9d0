import CambiumModel
import CambiumRecords

/// The rows of a store that are moved to a store of another kind.
package struct MovedRows: Sendable {
    /// The number of rows that are read at once.
    package static let readAtOnce = 500

    package let source: any StoreEngine
    /// The numbers of the root entities.
    package let roots: [Int]
    package let model: ModelDescription
    /// Notified of how far the move is.
    let progress: (@Sendable (MoveProgress) -> Void)?
    /// Whether the move is to end, with nothing moved.
    private let isCancelled: @Sendable () -> Bool

    package init(
        source: any StoreEngine, roots: [Int], model: ModelDescription,
        progress: (@Sendable (MoveProgress) -> Void)? = nil,
        isCancelled: @escaping @Sendable () -> Bool = { Task.isCancelled }
    ) {
        self.source = source
        self.roots = roots
        self.model = model
        self.progress = progress
        self.isCancelled = isCancelled
    }

    /// - Throws: `CancellationError` if the move was cancelled.
    package func requireUncancelled() throws {
        if isCancelled() { throw CancellationError() }
    }

    /// Creates and opens a store with all rows of the source.
    ///
    /// - Parameter opener: The opener of the new store.
    package func open(
        with opener: any StoreOpening
    ) throws -> (store: any StoreEngine, report: MoveReport?) {
        if let copy = try source.opened(byCopyingTo: opener) { return (copy, nil) }
        return try opener.open(filledWith: self)
    }

    /// Reads all of them.
    ///
    /// - Returns: By the number of the root entity, the first key that was never given.
    package func read(_ receive: ([StoreNode]) throws -> Void) throws -> [Int: Int64] {
        var lastKeys: [Int: Int64] = [:]
        try source.readNodes(of: roots) { nodes, root in
            try requireUncancelled()
            lastKeys[root] = nodes.reduce(lastKeys[root] ?? 0) { max($0, $1.key) }
            try receive(nodes)
        }
        var nextKeys: [Int: Int64] = [:]
        for root in roots {
            let (afterLast, isFull) = (lastKeys[root] ?? 0).addingReportingOverflow(1)
            if isFull { throw StoreError.noKeysLeft(for: model.entities[root].name) }
            nextKeys[root] = max(try source.nextKey(ofRoot: root) ?? 1, afterLast)
        }
        return nextKeys
    }
}
