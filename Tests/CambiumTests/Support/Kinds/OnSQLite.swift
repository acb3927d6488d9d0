import CambiumEngineSpecification
import Testing

/// A suite or a test of what only SQLite has: it does not run where the tests run on a server.
///
/// `SQLiteTests.txt` lists them with their reasons, in one line each; ``SQLiteTestsTests`` compares.
struct OnSQLite: SuiteTrait, TestTrait {
    let isRecursive = true
    fileprivate let condition: ConditionTrait

    var comments: [Comment] { condition.comments }

    func prepare(for test: Test) async throws { try await condition.prepare(for: test) }
}

extension Trait where Self == OnSQLite {
    static func onSQLite(_ reason: Comment) -> Self {
        OnSQLite(condition: .enabled(if: StoreKind.isSQLite, reason))
    }
}
