import Cambium
import CambiumEngineSpecification
import CambiumSQLite
import Foundation
import Testing

/// What becomes of an open store whose history another process turns on and off.
struct SharedHistoryTests {
    private func save(
        _ title: String, as author: String = "me", to container: PersistentContainer
    ) throws {
        let context = container.newContext()
        context.transactionAuthor = author
        try context.addBook(title)
        try context.save()
    }

    private func code(_ body: () throws -> Void) -> StoreError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? StoreError)?.code
        }
    }

    @Test func `a history that another process has turned off is none`() throws {
        try withStoreFile { path in
            let container = try openHistory(at: .temporary(path))
            try save("a", to: container)
            let token = try container.historyToken
            _ = try openHistory(at: .temporary(path), .off)
            let coordinator = container.coordinator
            #expect(code { _ = try container.history() } == .noHistory)
            #expect(code { _ = try container.history(after: token) } == .noHistory)
            #expect(code { _ = try container.historyToken } == .noHistory)
            #expect(code { try coordinator.deleteHistory(before: token) } == .noHistory)
            #expect(code { try coordinator.deleteHistory(before: .distantFuture) } == .noHistory)
            try save("b", to: container)
            #expect(try rows("SELECT count(*) FROM \"Book\"", in: path) == [[.integer(2)]])
        }
    }

    @Test func `one that was turned off and on again is another one`() throws {
        try withStoreFile { path in
            let container = try openHistory(at: .temporary(path))
            try save("a", to: container)
            let token = try container.historyToken
            _ = try openHistory(at: .temporary(path), .off)
            let other = try openHistory(at: .temporary(path))
            try save("b", to: other)
            try save("c", to: other)
            // Its numbers go beyond the token's.
            #expect(code { _ = try container.history(after: token) } == .historyExpired)
            let coordinator = container.coordinator
            #expect(code { try coordinator.deleteHistory(before: token) } == .historyExpired)
            try #expect(container.historyToken == other.historyToken)
            try #expect(container.historyToken.contains(token) == false)
            #expect(try container.history().count == 2)
        }
    }

    @Test func `saves have their author in one that was turned on again`() throws {
        try withStoreFile { path in
            let container = try openHistory(at: .temporary(path), .properties)
            try save("a", to: container)
            _ = try openHistory(at: .temporary(path), .off)
            try save("b", to: container)
            _ = try openHistory(at: .temporary(path), .properties)
            try save("c", to: container)
            let history = try container.history()
            #expect(history.map(\.author) == ["me"])
            #expect(history.words == [["insert Book"]])
        }
    }

    @Test func `one that another process turns on is used at once`() throws {
        try withStoreFile { path in
            let container = try PersistentContainer(model: Chronicle.model, at: .temporary(path))
            try save("a", to: container)
            _ = try openHistory(at: .temporary(path), .properties)
            try save("b", to: container)
            #expect(try container.history().map(\.author) == ["me"])
        }
    }

    @Test func `what is kept can be changed by another process`() throws {
        try withStoreFile { path in
            let container = try openHistory(at: .temporary(path), .properties)
            try save("a", to: container)
            let token = try container.historyToken
            _ = try openHistory(at: .temporary(path), .values)
            try save("b", to: container)
            let history = try container.history(after: token)
            #expect(history.map(\.author) == ["me"])
            #expect(history.first?.changes.first?.newValues["title"] == .value(.string("b")))
        }
    }

    @Test(.onSQLite("A server has no triggers of the history."))
    func `one whose tables somebody has removed is none, and can be begun anew`() throws {
        try withStoreFile { path in
            let container = try openHistory(at: .temporary(path))
            let triggers = try rows(
                "SELECT name FROM sqlite_schema WHERE type = 'trigger'", in: path)
            for case .text(let name)? in triggers.map(\.first) {
                try execute("DROP TRIGGER \"\(name)\"", in: path)
            }
            try execute("DROP TABLE _history_changes", in: path)
            try save("a", to: container)
            #expect(code { _ = try container.history() } == .noHistory)
            let other = try openHistory(at: .temporary(path))
            try save("b", to: other)
            #expect(try container.history().words == [["insert Book"]])
        }
    }
}
