import Foundation

/// How many of their cases tests have: as many as take two minutes, or all.
package enum TestSize {
    private static let environment = ProcessInfo.processInfo.environment

    /// Whether all are there: `CAMBIUM_FULL_SIZE`, which `Scripts/test-long.sh` sets, asks for it.
    package static let isFull = environment["CAMBIUM_FULL_SIZE"] != nil

    /// Where samples begin: elsewhere at each commit, whose number `Scripts/run-tests.sh` gives.
    private static let turn =
        environment["CAMBIUM_SEED_BASE"].flatMap { UInt64($0) } ?? .random(in: 0...UInt64.max >> 1)

    /// One in so many of some cases, others at each commit, or all.
    ///
    /// - Parameter place: Samples of places that follow each other have different cases.
    package static func sample<Element>(
        _ elements: [Element], oneIn count: Int, place: Int = 0
    ) -> [Element] {
        guard !isFull, count > 1 else { return elements }
        let first = Int((turn &+ UInt64(place)) % UInt64(count))
        return stride(from: first, to: elements.count, by: count).map { elements[$0] }
    }
}

extension EngineEntry {
    /// One of the servers, or all in a run of full size.
    ///
    /// - Parameter place: At the next one it is another server's turn.
    package static func someServers(_ place: Int = 0) -> [EngineEntry] {
        TestSize.sample(servers, oneIn: servers.count, place: place)
    }

    /// All engines, of the servers ``someServers(_:)``.
    package static func some(_ place: Int = 0) -> [EngineEntry] {
        let others = servers.filter { !someServers(place).contains($0) }
        return all.filter { !others.contains($0) }
    }
}
