import CambiumEngineSpecification
import Testing

/// Lets the stores of a suite on servers record what other programs write, as SQLite does anyway.
struct RecordingOthers: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await StoreKind.$recordsOthers.withValue(true, operation: function)
    }
}

extension Trait where Self == RecordingOthers {
    static var recordingOthers: Self { RecordingOthers() }
}
