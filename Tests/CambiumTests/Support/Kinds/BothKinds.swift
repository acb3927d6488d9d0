import Testing

/// Calls each test of a suite twice: for objects of generated classes, then for plain ones. Its
/// stores have the model ``ObjectKind/everything`` of ``ObjectKind/current``.
struct BothKinds: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        for kind in ObjectKind.allCases {
            try await ObjectKind.$current.withValue(kind) {
                do {
                    try await function()
                } catch {
                    Issue.record("with \(kind) objects: \(error)")
                    throw error
                }
            }
        }
    }
}

extension Trait where Self == BothKinds {
    static var bothKinds: Self { BothKinds() }
}
