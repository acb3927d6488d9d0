import Cambium
import CambiumSQLite
import Foundation
import Testing

/// Several stores of a coordinator that keep a history each.
struct SeveralHistoriesTests {
    /// Runs a body with a coordinator of two stores, and their paths.
    private func withTwo(
        _ body: (PersistentStoreCoordinator, [String]) throws -> Void
    ) throws {
        try withStoreFile { path in
            let coordinator = PersistentStoreCoordinator(model: SeparateStores.model)
            var options = StoreOptions()
            options.history = .properties
            let names = ["Left", "Right"]
            for name in names {
                try coordinator.addPersistentStore(
                    configuration: name, at: .temporary(path + name), options: options)
            }
            try body(coordinator, names.map { path + $0 })
        }
    }

    private func save(_ names: String..., to coordinator: PersistentStoreCoordinator) throws {
        let context = coordinator.newContext()
        for name in names {
            _ = try context.insertObject(ofEntity: name)
            try context.save()
        }
    }

    @Test func `they are read as one`() throws {
        try withTwo { coordinator, _ in
            try save("One", "Two", "One", to: coordinator)
            let result = try coordinator.fetchHistory(HistoryRequest())
            #expect(result.transactions.words == [["insert One"], ["insert Two"], ["insert One"]])
            try #expect(result.token == coordinator.currentHistoryToken())
            #expect(result.token.storeIdentifiers.count == 2)
            try save("Two", to: coordinator)
            let more = try coordinator.fetchHistory(HistoryRequest(after: result.token))
            #expect(more.transactions.words == [["insert Two"]])
        }
    }

    @Test func `a store's own stay in their order where a clock went back`() throws {
        try withTwo { coordinator, paths in
            try save("One", "One", "Two", "Two", to: coordinator)
            let start = StoreKind.isSQLite ? "0" : "timestamptz '2001-01-01 00:00:00+00'"
            func setDates(_ dates: [Int], _ path: String) throws {
                for (index, date) in dates.enumerated() {
                    try execute(
                        """
                        UPDATE _history_transactions SET date = \(start) + \(seconds(date)) \
                        WHERE number = \(index + 1)
                        """, in: path)
                }
            }
            try setDates([100, 50], paths[0])
            try setDates([70, 80], paths[1])
            let found = try coordinator.fetchHistory(HistoryRequest()).transactions
            #expect(found.map(\.date.timeIntervalSinceReferenceDate) == [70, 80, 100, 50])
        }
    }

    @Test func `one that is turned off leaves the other one`() throws {
        try withTwo { coordinator, paths in
            try save("One", "Two", to: coordinator)
            let token = try coordinator.currentHistoryToken()
            var options = StoreOptions()
            options.history = .off
            _ = try PersistentStoreCoordinator(model: SeparateStores.model)
                .addPersistentStore(
                    configuration: "Right", at: .temporary(paths[1]), options: options)
            let result = try coordinator.fetchHistory(HistoryRequest())
            #expect(result.transactions.words == [["insert One"]])
            #expect(result.token.storeIdentifiers.count == 1)
            // Who has seen some of it must hear that nobody knows the rest.
            let error = #expect(throws: StoreError.self) {
                try coordinator.fetchHistory(HistoryRequest(after: token))
            }
            #expect(error?.code == .noHistory)
        }
    }
}

/// Two entities that have nothing to do with each other.
private enum SeparateStores {
    static let model = CompiledModel(
        Model(
            name: "Separate", version: "1",
            entities: ["One", "Two"].map { name in
                Entity(
                    name: name,
                    attributes: [Attribute(name: "name", type: .string, isOptional: true)])
            },
            configurations: [
                Configuration(name: "Left", entities: ["One"]),
                Configuration(name: "Right", entities: ["Two"]),
            ]))
}
