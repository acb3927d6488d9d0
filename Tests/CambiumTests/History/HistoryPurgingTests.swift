import Cambium
import CambiumEngineSpecification
import CambiumSQLite
import Foundation
import Testing

/// What is removed from a history, and what stays.
struct HistoryPurgingTests {
    private func fill(_ container: PersistentContainer, _ count: Int) throws {
        for number in 1...count {
            let context = container.newContext()
            context.transactionAuthor = "\(number)"
            try context.addBook("a")
            try context.save()
        }
    }

    private func authors(_ container: PersistentContainer) throws -> [String?] {
        try container.history().map(\.author)
    }

    @Test func `what came before a date goes`() throws {
        try withHistory { container in
            try fill(container, 3)
            let date = try container.history()[1].date
            try container.coordinator.deleteHistory(before: date)
            #expect(try authors(container) == ["2", "3"])
        }
    }

    @Test func `all goes, and what comes is numbered on`() throws {
        try withStoreFile { path in
            let container = try openHistory(at: .temporary(path))
            try fill(container, 2)
            let token = try container.historyToken
            try container.coordinator.deleteHistory(before: .distantFuture)
            #expect(try container.history().isEmpty)
            #expect(try container.historyToken == token)
            #expect(try container.history(after: token).isEmpty)
            let table = StoreKind.isSQLite ? "_history_values" : "_history_changes"
            let values = try rows("SELECT count(*) FROM \(table)", in: path)
            #expect(values == [[.integer(0)]])
            try fill(container, 1)
            let history = try container.history(after: token)
            #expect(history.map(\.number) == [3])
            #expect(history.first?.changes.count == 1)
        }
    }

    @Test func `nothing goes where nothing is older`() throws {
        try withHistory { container in
            try container.coordinator.deleteHistory(before: .distantFuture)
            try fill(container, 2)
            try container.coordinator.deleteHistory(before: .distantPast)
            #expect(try authors(container) == ["1", "2"])
        }
    }

    @Test func `a store that is read only keeps what it has`() throws {
        try withStoreFile { path in
            try fill(openHistory(at: .temporary(path)), 2)
            var options = StoreOptions()
            options.isReadOnly = true
            let container = try PersistentContainer(
                model: Chronicle.model, at: .temporary(path), options: options)
            #expect(try authors(container) == ["1", "2"])
            #expect(throws: StoreError.self) {
                try container.coordinator.deleteHistory(before: .distantFuture)
            }
        }
    }

    @Test func `saves keep to the retention by count`() throws {
        try withStoreFile { path in
            let container = try openHistory(
                at: .temporary(path), retention: HistoryRetention(maximumCount: 2))
            try fill(container, 5)
            #expect(try authors(container) == ["4", "5"])
        }
    }

    @Test func `opening removes all that is too much`() throws {
        try withStoreFile { path in
            try fill(openHistory(at: .temporary(path)), 6)
            let retention = HistoryRetention(maximumCount: 3)
            #expect(
                try authors(openHistory(at: .temporary(path), retention: retention)) == [
                    "4", "5", "6",
                ])
        }
    }

    @Test func `a save removes two transactions at most`() throws {
        try withStoreFile { path in
            let container = try openHistory(
                at: .temporary(path), retention: HistoryRetention(maximumCount: 6))
            try fill(container, 6)
            // Another container keeps all of them.
            try fill(openHistory(at: .temporary(path)), 4)
            try fill(container, 1)
            #expect(try authors(container) == ["3", "4", "5", "6", "1", "2", "3", "4", "1"])
        }
    }

    @Test func `what is too old goes`() throws {
        try withStoreFile { path in
            try fill(openHistory(at: .temporary(path)), 3)
            try execute(
                "UPDATE _history_transactions SET date = date - \(seconds(100)) WHERE number < 3",
                in: path)
            let container = try openHistory(
                at: .temporary(path), retention: HistoryRetention(maximumAge: .seconds(50)))
            #expect(try authors(container) == ["3"])
            try execute("UPDATE _history_transactions SET date = date - \(seconds(100))", in: path)
            try fill(container, 1)
            #expect(try authors(container) == ["1"])
        }
    }
}
