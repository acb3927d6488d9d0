import Cambium
import Foundation
import Testing

/// Rule 79: purging keeps the named transaction, a token from before is expired, tombstones hold
/// preserved attributes only.
@Suite(.onServers)
struct Rule79Tests {
    private func save(_ titles: [String], to container: PersistentContainer) throws
        -> [HistoryToken]
    {
        try titles.map { title in
            let context = container.newContext()
            try context.addBook(title)
            try context.save()
            return try container.historyToken
        }
    }

    @Test func `rule 79: deleting the history before a transaction keeps that transaction`() throws
    {
        try withHistory { container in
            let tokens = try save(["a", "b", "c"], to: container)
            try container.coordinator.deleteHistory(before: tokens[1])
            #expect(try container.history().map(\.token) == [tokens[1], tokens[2]])
            #expect(try container.history(after: tokens[1]).map(\.token) == [tokens[2]])
        }
    }

    @Test func `rule 79: a token from before a purge is expired`() throws {
        try withHistory { container in
            let start = try container.historyToken
            let tokens = try save(["a", "b", "c"], to: container)
            try container.coordinator.deleteHistory(before: tokens[2])
            // What it has seen is all that is gone.
            #expect(try container.history(after: tokens[1]).count == 1)
            for token in [start, tokens[0]] {
                let error = #expect(throws: StoreError.self) {
                    try container.history(after: token)
                }
                #expect(error?.code == .historyExpired)
                #expect(error?.coreDataCode == 134301)
            }
        }
    }

    @Test(arguments: [HistoryTracking.properties, .values])
    func `rule 79: a tombstone holds the preserved attributes, and none that may lie in a file`(
        _ tracking: HistoryTracking
    ) throws {
        try withHistory(tracking) { container in
            let context = container.newContext()
            let book = try context.addBook("a")
            try book.setValue(.int(9), forKey: "pages")
            try book.setValue(.data(Data([1])), forKey: "cover")
            try context.save()
            context.delete(book)
            try context.save()
            let changes = try container.history().flatMap(\.changes)
            #expect(changes.map(\.kind) == [.insert, .delete])
            #expect(changes[0].tombstone == nil)
            #expect(changes[1].tombstone == ["title": .string("a"), "isbn": .null])
        }
    }
}
