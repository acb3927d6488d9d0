import Cambium
import EverythingModel
import Foundation
import Testing

/// What is asked of a history.
struct HistoryRequestTests {
    /// Saves a book as an author.
    private func save(
        _ titles: String..., as author: String? = nil, name: String? = nil,
        to container: PersistentContainer
    ) throws {
        let context = container.newContext()
        context.transactionAuthor = author
        context.name = name
        for title in titles { try context.addBook(title) }
        try context.save()
    }

    private func find(
        _ request: HistoryRequest, in container: PersistentContainer
    ) throws -> [String] {
        try container.coordinator.fetchHistory(request).transactions.map {
            $0.author ?? $0.contextName ?? "-"
        }
    }

    @Test func `what came after a token is found, and nothing else`() throws {
        try withHistory { container in
            var tokens: [HistoryToken] = []
            for number in 1...4 {
                tokens.append(try container.historyToken)
                try save("b", as: "\(number)", to: container)
            }
            for (index, token) in tokens.enumerated() {
                let authors = try container.history(after: token).map(\.author)
                #expect(authors == ((index + 1)...4).map { "\($0)" })
            }
            #expect(try container.history(after: container.historyToken).isEmpty)
        }
    }

    @Test func `a transaction's own token leads on`() throws {
        try withHistory { container in
            for number in 1...3 { try save("b", as: "\(number)", to: container) }
            let second = try container.history()[1]
            #expect(try container.history(after: second.token).map(\.author) == ["3"])
        }
    }

    @Test func `what came after a date is found`() throws {
        try withHistory { container in
            try save("a", as: "1", to: container)
            try save("b", as: "2", to: container)
            let date = try container.history()[0].date
            #expect(try find(HistoryRequest(after: date), in: container) == ["2"])
            #expect(try find(HistoryRequest(after: .distantFuture), in: container) == [])
        }
    }

    @Test func `authors and contexts are chosen by name`() throws {
        try withHistory { container in
            try save("a", as: "sync", to: container)
            try save("b", as: "user", to: container)
            try save("c", name: "main", to: container)
            let request = HistoryRequest()
            #expect(try find(request.by(author: "user"), in: container) == ["user"])
            #expect(
                try find(request.by(author: "user").by(author: "sync"), in: container) == [
                    "sync", "user",
                ])
            #expect(
                try find(request.excluding(author: "sync"), in: container) == ["user", "main"])
            var named = request
            named.contextNames = ["main"]
            #expect(try find(named, in: container) == ["main"])
        }
    }

    @Test func `changes are chosen by entity, with its sub-entities`() throws {
        try withHistory(.properties) { container in
            let context = container.newContext()
            try context.addBook("a")
            try context.addBook("b", entity: "Novel")
            _ = try context.insertObject(ofEntity: "Person")
            try context.save()
            func words(_ names: Set<String>) throws -> [[String]] {
                var request = HistoryRequest()
                request.entityNames = names
                return try container.coordinator.fetchHistory(request).transactions.words
            }
            #expect(try words(["Book"]) == [["insert Book", "insert Novel"]])
            #expect(try words(["Novel"]) == [["insert Novel"]])
            #expect(try words(["Person", "Novel"]) == [["insert Novel", "insert Person"]])
            #expect(try words(["Nobody"]) == [])
        }
    }

    @Test func `changes are chosen by class, object and kind`() throws {
        try withHistory(.properties, Everything.model) { container in
            let context = container.newContext()
            let (node, other) = (Node(in: context), Node(in: context))
            _ = Box(in: context)
            try context.save()
            node.label = "new"
            context.delete(other)
            try context.save()
            func words(_ request: HistoryRequest) throws -> [[String]] {
                try container.coordinator.fetchHistory(request).transactions.words
            }
            let request = HistoryRequest()
            #expect(try words(request.of(Box.self)) == [["insert Box"]])
            #expect(try words(request.only(.delete)) == [["delete Node"]])
            var ofOne = request
            ofOne.objectIDs = [node.objectID]
            #expect(try words(ofOne) == [["insert Node"], ["update Node label"]])
        }
    }

    @Test func `transactions come without changes where these are not wanted`() throws {
        try withHistory { container in
            try save("a", as: "1", to: container)
            var request = HistoryRequest()
            request.includesChanges = false
            let found = try container.coordinator.fetchHistory(request).transactions
            #expect(found.map(\.author) == ["1"])
            #expect(found.allSatisfy { $0.changes.isEmpty })
            // Nobody can tell which of them have changes of some kind.
            let error = #expect(throws: StoreError.self) {
                try container.coordinator.fetchHistory(request.only(.delete))
            }
            #expect(error?.code == .invalidRequest)
        }
    }

    @Test func `a token and a date may be missing`() throws {
        try withHistory { container in
            try save("a", as: "1", to: container)
            let (token, date): (HistoryToken?, Date?) = (nil, nil)
            for request in [
                HistoryRequest(after: nil), HistoryRequest(after: token),
                HistoryRequest(after: date),
            ] {
                #expect(try find(request, in: container) == ["1"])
            }
            let later: Date? = .distantFuture
            #expect(try find(HistoryRequest(after: later), in: container) == [])
        }
    }

    @Test func `a long history is read in parts`() throws {
        try withHistory { container in
            for number in 1...5 { try save("b", as: "\(number)", to: container) }
            var request = HistoryRequest().excluding(author: "2")
            request.fetchLimit = 2
            var parts: [[String?]] = []
            while true {
                let result = try container.coordinator.fetchHistory(request)
                if result.transactions.isEmpty { break }
                parts.append(result.transactions.map(\.author))
                request.token = result.token
            }
            #expect(parts == [["1", "3"], ["4", "5"]])
            try #expect(request.token == container.historyToken)
        }
    }

    @Test(.onSQLite("A server reads a history in blocks."))
    func `of a long history no more is read than a part needs`() throws {
        try withStoreFile { path in
            let reads = StatementCount(of: "FROM \"_history_transactions\" WHERE")
            let container = try openHistory(at: .temporary(path), hook: reads.hook)
            for number in 1...9 { try save("b", as: "\(number)", to: container) }
            var request = HistoryRequest()
            request.fetchLimit = 2
            let before = reads.rows
            #expect(try find(request, in: container) == ["1", "2"])
            #expect(reads.rows - before == 2)
        }
    }

    @Test(.onSQLite("It counts rows of statements of SQLite."))
    func `values are read of what is wanted only`() throws {
        try withStoreFile { path in
            let reads = StatementCount(of: "FROM \"_history_values\" WHERE")
            let container = try openHistory(at: .temporary(path), hook: reads.hook)
            let context = container.newContext()
            for title in ["a", "b", "c"] { try context.addBook(title) }
            _ = try context.insertObject(ofEntity: "Person")
            try context.save()
            var request = HistoryRequest()
            request.entityNames = ["Person"]
            let result = try container.coordinator.fetchHistory(request)
            let values = result.transactions.first?.changes.first?.newValues
            #expect(values?["name"] == .value(.string("")))
            // Those of the books are three of each.
            #expect(reads.rows == values?.count)
        }
    }

    @Test func `the token of a result has seen what the request passed over`() throws {
        try withHistory { container in
            try save("a", as: "sync", to: container)
            let request = HistoryRequest().excluding(author: "sync")
            let result = try container.coordinator.fetchHistory(request)
            #expect(result.transactions.isEmpty)
            #expect(try container.history(after: result.token).isEmpty)
        }
    }
}
