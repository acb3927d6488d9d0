import CambiumEngineSpecification
import Testing

@testable import CambiumPostgresStore

/// Lets saves of a tenth of the rows be copied, or written in several parts: objects by the ten thousand
/// take most of a test's time. In a run of full size all rows are there, as for a program.
struct ShortParts: SuiteTrait, TestScoping {
    /// So many rows, or a tenth of them.
    static func rows(_ count: Int) -> Int { TestSize.isFull ? count : tenth(count) }

    private static func tenth(_ count: Int) -> Int { (count + 9) / 10 }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        if TestSize.isFull { return try await function() }
        let (saved, inBatches) = (PostgresWriter.copiesFrom, PostgresWriter.batchCopiesFrom)
        try await PostgresWriter.$copiesFrom.withValue(Self.tenth(saved)) {
            try await PostgresWriter.$batchCopiesFrom.withValue(Self.tenth(inBatches)) {
                try await PostgresParts.$insertedRows.withValue(
                    Self.tenth(PostgresParts.insertedRows)
                ) {
                    try await function()
                }
            }
        }
    }
}

extension Trait where Self == ShortParts {
    /// A number of rows that tests name by ``ShortParts/rows(_:)`` counts as ten times as many.
    static var shortParts: Self { ShortParts() }
}
