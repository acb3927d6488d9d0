import Cambium
import Foundation
import Testing

/// Places in histories.
struct HistoryTokenTests {
    private func tokens(_ container: PersistentContainer) throws -> [HistoryToken] {
        try (0..<3).map { _ in
            let context = container.newContext()
            try context.addBook("a")
            try context.save()
            return try container.historyToken
        }
    }

    @Test func `a token is read as it was written`() throws {
        try withHistory { container in
            let token = try #require(try tokens(container).last)
            let data = try JSONEncoder().encode(token)
            #expect(try JSONDecoder().decode(HistoryToken.self, from: data) == token)
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(
                    HistoryToken.self, from: Data(#"{"no uuid": {"epoch": 1}}"#.utf8))
            }
        }
    }

    @Test func `tokens of a store are in the order of its commits`() throws {
        try withHistory { container in
            let tokens = try tokens(container)
            let store = try #require(container.coordinator.persistentStores.first).identifier
            #expect(tokens[1].contains(tokens[0], inStore: store) == true)
            #expect(tokens[0].contains(tokens[1], inStore: store) == false)
            #expect(tokens[1].contains(tokens[1]))
            #expect(tokens[1].contains(tokens[0], inStore: UUID()) == nil)
        }
    }

    @Test func `tokens of several stores become one that has seen them all`() throws {
        try withHistory { one in
            try withHistory { other in
                let (mine, theirs) = (try tokens(one), try tokens(other))
                var union = mine[1]
                union.formUnion(theirs[2])
                #expect(union.storeIdentifiers.count == 2)
                #expect(union.contains(mine[1]) && union.contains(theirs[2]))
                #expect(!union.contains(mine[2]))
                #expect(!mine[2].contains(theirs[0]))
                // It does not go back.
                union.formUnion(mine[0])
                #expect(union.contains(mine[1]))
            }
        }
    }

    @Test func `a token of a history that was removed and begun anew is no good`() throws {
        try withStoreFile { path in
            let token = try tokens(openHistory(at: .temporary(path)))[1]
            _ = try openHistory(at: .temporary(path), .off)
            let container = try openHistory(at: .temporary(path))
            _ = try tokens(container)
            let error = #expect(throws: StoreError.self) { try container.history(after: token) }
            #expect(error?.code == .historyExpired)
            #expect(error?.coreDataCode == 134301)
        }
    }

    @Test(.onSQLite("It is about files."))
    func `a token of what a restored backup does not have is no good`() throws {
        try withStoreFile { path in
            var container: PersistentContainer? = try openHistory(at: .temporary(path))
            let tokens = try tokens(try #require(container))
            let store = try #require(container?.coordinator.persistentStores.first)
            try container?.coordinator.backUp(store, to: path + ".copy")
            container = nil
            try PersistentStoreCoordinator.replacePersistentStore(
                at: path, withStoreFrom: path + ".copy")
            let restored = try openHistory(at: .temporary(path))
            let error = #expect(throws: StoreError.self) {
                try restored.history(after: tokens[2])
            }
            #expect(error?.code == .historyExpired)
            #expect(try restored.history().count == 3)
        }
    }
}
