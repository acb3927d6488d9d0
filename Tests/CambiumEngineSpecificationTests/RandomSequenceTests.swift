import CambiumEngineSpecification
import Testing

/// Random work of programs with everything in it: insertions, changes, links, lists, deletions, undo,
/// child contexts, saves under every policy, batches, requests, unique and derived values, the history.
struct RandomSequenceTests {
    @Test func `the same work leaves the same on every engine`() throws {
        try EngineSequences.run()
    }

    @Test(arguments: [EngineEntry.file] + EngineEntry.someServers())
    func `what a store keeps up to date is right whoever writes at the same time`(
        _ engine: EngineEntry
    ) throws {
        try EngineSequences.runSideBySide(on: engine)
    }
}
