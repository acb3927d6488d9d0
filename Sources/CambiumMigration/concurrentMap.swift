import Dispatch
import Synchronization

extension RandomAccessCollection where Self: Sendable, Element: Sendable, Index == Int {
    /// The results for all elements, in their order, computed on as many threads as there are
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

/// Returns the results for the elements of two arrays. All are computed concurrently, the first
/// array's elements first. A map inside another map runs on one thread.
package func concurrentMap<First: Sendable, Second: Sendable, X: Sendable, Y: Sendable>(
    _ first: [First], _ transformFirst: @Sendable (First) -> X,
    _ second: [Second], _ transformSecond: @Sendable (Second) -> Y
) -> ([X], [Y]) {
    let results = (0..<first.count + second.count).concurrentMap { number -> (X?, Y?) in
        number < first.count
            ? (transformFirst(first[number]), nil)
            : (nil, transformSecond(second[number - first.count]))
    }
    return (results.compactMap(\.0), results.compactMap(\.1))
}
