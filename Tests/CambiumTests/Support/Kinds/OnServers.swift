import CambiumEngineSpecification
import Testing

/// Calls each test of a suite on what its tests run on, and then on a server that runs, or on all of
/// them in a run of full size. Those that stay on SQLite are called once.
struct OnServers: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        try await function()
        if test.traits.contains(where: { $0 is OnSQLite }) { return }
        for kind in StoreKind.someServers() where kind != .current {
            try await StoreKind.$current.withValue(kind) {
                do {
                    try await function()
                } catch {
                    Issue.record("on \(kind.name)")
                    throw error
                }
            }
        }
    }
}

extension Trait where Self == OnServers {
    static var onServers: Self { OnServers() }
}
