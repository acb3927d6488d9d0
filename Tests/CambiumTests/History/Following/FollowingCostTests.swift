import Cambium
import EverythingModel
import Foundation
import Testing

/// What it costs to follow others.
@MainActor
@Suite(.onSQLite("A store on a server is not followed yet."))
struct FollowingCostTests {
    @Test func `no values are read of what others have changed`() async throws {
        let reads = StatementCount(of: "FROM \"_history_values\" WHERE")
        try await withFollower(.values, hook: reads.hook) { container, theirs, _ in
            var changes = container.coordinator.remoteChanges.makeAsyncIterator()
            _ = Node(in: theirs, label: "a")
            try theirs.save()
            let change = try #require(await changes.next(isolation: #isolation))
            #expect(change.isComplete)
            #expect(reads.statements == 0)
            #expect(try container.history().first?.changes.first?.newValues.isEmpty == false)
            #expect(reads.statements > 0)
        }
    }

    @Test func `after an own save the writer is asked once, not again and again`() async throws {
        let questions = StatementCount(of: "PRAGMA data_version")
        try await withFollower(hook: questions.hook) { container, _, _ in
            let node = Node(in: container.viewContext, label: "a")
            try container.viewContext.save()
            // It is followed for a second; six or seven questions fall into this time.
            try await Task.sleep(for: .milliseconds(60))
            node.label = "b"
            try container.viewContext.save()
            try await Task.sleep(for: .milliseconds(60))
            // When it is opened, when the watch begins, and for each of the commits: those that
            // reserve keys are commits, too.
            #expect(questions.statements <= 7)
        }
    }
}
