import Cambium
import CambiumSQLite
import EverythingModel
import Foundation
import Testing

/// Contexts whose store's history does not say what others have done: they read everything anew,
/// and miss nothing.
@MainActor
@Suite(.onSQLite("A store on a server is not followed yet."))
struct FollowingLossTests {
    /// Runs a body with a node that both containers have, and expects that the label which the body
    /// gives it comes to be known.
    private func expectLabel(
        _ label: String,
        _ body: @MainActor (Node, String) async throws -> Void
    ) async throws {
        try await withFollower { container, theirs, path in
            var changes = container.coordinator.remoteChanges.makeAsyncIterator()
            let node = Node(in: theirs, label: "a")
            try theirs.save()
            // The place in the history is behind the node.
            _ = await changes.next(isolation: #isolation)
            let mine = try container.viewContext.get(node.objectID, as: Node.self)
            #expect(mine.label == "a")
            try await body(node, path)
            try await eventually { mine.label == label }
            #expect(mine.label == label)
        }
    }

    @Test func `a history that others turn off`() async throws {
        try await expectLabel("c") { node, path in
            for label in ["b", "c"] {
                _ = try openHistory(at: .temporary(path), .off, Everything.model)
                node.label = label
                try node.managedObjectContext?.save()
            }
        }
    }

    @Test func `a history that others begin anew, with numbers that were there before`()
        async throws
    {
        try await expectLabel("b") { _, path in
            try execute(
                """
                BEGIN IMMEDIATE;
                UPDATE _metadata SET value = '\(UUID().uuidString)' WHERE name = 'history.epoch';
                DELETE FROM _history_changes; DELETE FROM _history_transactions;
                UPDATE Node SET label = 'b', _version = _version + 1; COMMIT
                """, in: path)
        }
    }

    @Test func `a history that cannot be read`() async throws {
        try await expectLabel("b") { _, path in
            try execute(
                """
                BEGIN IMMEDIATE;
                ALTER TABLE _history_transactions RENAME COLUMN process TO program;
                UPDATE Node SET label = 'b', _version = _version + 1; COMMIT
                """, in: path)
        }
    }

    @Test func `more changes than are listed are not even read`() async throws {
        let reads = StatementCount(of: "FROM \"_history_changes\" WHERE \"number\" BETWEEN")
        try await withFollower(hook: reads.hook) { container, _, path in
            var changes = container.coordinator.remoteChanges.makeAsyncIterator()
            try execute(
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <= 100000)
                INSERT INTO _history_changes (kind, entity, key) SELECT 1, 'Node', 1 FROM n
                """, in: path)
            let change = try #require(await changes.next(isolation: #isolation))
            #expect(!change.isComplete)
            try #expect(change.token == container.historyToken)
            #expect(reads.statements == 0)
        }
    }
}
