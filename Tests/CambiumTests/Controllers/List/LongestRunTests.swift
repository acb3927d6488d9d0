@testable import Cambium
import Testing

/// What may stay where it is.
struct LongestRunTests {
    @Test func `the longest run is the longest`() {
        for permutation in Self.permutations(of: Array(0..<6)) {
            let run = longestRun(6) { permutation[$0] < permutation[$1] }
            let longest = Self.subsets(of: 6).filter { kept in
                zip(kept, kept.dropFirst()).allSatisfy { permutation[$0] < permutation[$1] }
            }.map(\.count).max()
            #expect(run.count == longest)
            #expect(zip(run, run.dropFirst()).allSatisfy { permutation[$0] < permutation[$1] })
        }
    }

    @Test func `what is settled stays, and between it as much as can`() {
        for permutation in Self.permutations(of: Array(0..<5)) {
            for settled in Self.subsets(of: 5) {
                func isInOrder(_ kept: [Int]) -> Bool {
                    zip(kept, kept.dropFirst()).allSatisfy { permutation[$0] < permutation[$1] }
                }
                guard isInOrder(settled) else { continue }
                let kept = keptInOrder(
                    permutation, areSettled: permutation.indices.map(settled.contains))
                #expect(isInOrder(kept) && kept == kept.sorted())
                #expect(Set(kept).isSuperset(of: settled))
                let most = Self.subsets(of: 5).filter {
                    isInOrder($0) && Set($0).isSuperset(of: settled)
                }.map(\.count).max()
                #expect(kept.count == most)
            }
        }
    }

    private static func subsets(of count: Int) -> [[Int]] {
        (0..<count).reduce([[]]) { subsets, element in subsets + subsets.map { $0 + [element] } }
    }

    private static func permutations(of elements: [Int]) -> [[Int]] {
        if elements.isEmpty { return [[]] }
        return elements.flatMap { first in
            permutations(of: elements.filter { $0 != first }).map { [first] + $0 }
        }
    }
}
