import Dispatch
import Synchronization

extension RandomAccessCollection where Self: Sendable, Element: Sendable, Index == Int {
    /// The results for all elements, in their order, worked out on as many threads as there are
    /// processors; the caller's own thread is one of them.
    package func concurrentMap<Result: Sendable>(
        _ transform: @Sendable (Element) -> Result
    ) -> [Result] {
        guard count > 1 else { return map(transform) }
        let results = Mutex([Result?](repeating: nil, count: count))
        DispatchQueue.concurrentPerform(iterations: count) { offset in
            let result = transform(self[startIndex + offset])
            results.withLock { $0[offset] = result }
        }
        return results.withLock { $0.compactMap(\.self) }
    }
}
