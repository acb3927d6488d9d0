import Cambium
import EverythingModel
import Foundation
import Testing

extension EngineSuite {
    /// The history records every transaction, with what it changed.
    package static let history = EngineSuite("history", requires: .history) {
        EngineCase("a save is a transaction with author, context and time") { engine in
            try withHistory(engine) { container in
                let context = container.newContext()
                context.transactionAuthor = "import"
                context.name = "lines"
                let start = Date.now
                try context.addBook("a")
                try context.save()
                let transaction = try #require(try container.history().first)
                #expect(transaction.author == "import")
                #expect(transaction.contextName == "lines")
                #expect(transaction.number == 1)
                #expect((start...Date.now).contains(transaction.date))
                #expect(
                    transaction.processIdentifier == Int(ProcessInfo.processInfo.processIdentifier))
                #expect(transaction.processName == ProcessInfo.processInfo.processName)
                let store = try #require(container.coordinator.persistentStores.first)
                #expect(transaction.storeIdentifier == store.identifier)
            }
        }

        EngineCase("a save that changes nothing is no transaction") { engine in
            try withHistory(engine) { container in
                let context = container.newContext()
                let book = try context.addBook("a")
                try context.save()
                try book.setValue(.string("a"), forKey: "title")
                try context.save()
                #expect(try container.history().count == 1)
            }
        }

        EngineCase("a save that fails is no transaction") { engine in
            try withHistory(engine) { container in
                let context = container.newContext()
                try context.addBook("a", isbn: "1")
                try context.save()
                try context.addBook("b", isbn: "1")
                #expect(throws: ConstraintConflictError.self) { try context.save() }
                #expect(try container.history().count == 1)
            }
        }

        EngineCase("an object is changed once in a transaction, with its properties") { engine in
            try withHistory(engine) { container in
                let context = container.newContext()
                let book = try context.addBook("a")
                let person = try context.insertObject(ofEntity: "Person")
                try context.save()
                try book.setValue(.string("longer"), forKey: "title")
                try book.setRelatedObject(person, forKey: "author")
                try context.save()
                context.delete(book)
                try context.save()
                #expect(
                    try container.history().words == [
                        ["insert Book", "insert Person"],
                        ["update Book author title titleLength", "update Person bookCount books"],
                        ["delete Book", "update Person bookCount books"],
                    ])
            }
        }

        EngineCase("values before and after are those of the objects") { engine in
            try withHistory(engine) { container in
                let context = container.newContext()
                let person = try context.insertObject(ofEntity: "Person")
                let book = try context.addBook("a")
                try context.save()
                let token = try container.historyToken
                try book.setValue(.string("ab"), forKey: "title")
                try book.setRelatedObject(person, forKey: "author")
                try context.save()
                let changes = try #require(try container.history(after: token).first).changes
                let change = try #require(changes.first { $0.objectID == book.objectID })
                #expect(
                    change.oldValues == [
                        "title": .value(.string("a")), "titleLength": .value(.int(1)),
                        "author": .toOne(nil),
                    ])
                #expect(
                    change.newValues == [
                        "title": .value(.string("ab")), "titleLength": .value(.int(2)),
                        "author": .toOne(person.objectID),
                    ])
            }
        }

        EngineCase("a new object comes with its values, a deleted one with those that it had") {
            engine in
            try withHistory(engine) { container in
                let context = container.newContext()
                let book = try context.addBook("a")
                try context.save()
                context.delete(book)
                try context.save()
                let changes = try container.history().flatMap(\.changes)
                let expected: [String: PropertyValue] = [
                    "title": .value(.string("a")), "pages": .value(.int(0)),
                    "titleLength": .value(.int(1)),
                ]
                #expect(changes.map(\.newValues) == [expected, [:]])
                #expect(changes.map(\.oldValues) == [[:], expected])
            }
        }

        EngineCase("without values there are names only") { engine in
            try withHistory(engine, .properties) { container in
                let context = container.newContext()
                let book = try context.addBook("a")
                try context.save()
                try book.setValue(.int(3), forKey: "pages")
                try context.save()
                let changes = try container.history().flatMap(\.changes)
                #expect(changes.map(\.updatedProperties) == [[], ["pages"]])
                #expect(changes.allSatisfy { $0.oldValues.isEmpty && $0.newValues.isEmpty })
            }
        }

        EngineCase("an object of a sub-entity has its own entity") { engine in
            try withHistory(engine) { container in
                let context = container.newContext()
                let novel = try context.addBook("a", entity: "Novel")
                let person = try context.insertObject(ofEntity: "Person")
                try novel.setRelatedObject(person, forKey: "author")
                try context.save()
                context.delete(person)
                try context.save()
                #expect(
                    try container.history().words == [
                        ["insert Novel", "insert Person"],
                        ["delete Person", "update Novel author"],
                    ])
            }
        }

        for tracking in [HistoryTracking.properties, .values] as [HistoryTracking] {
            EngineCase(
                "objects that exchange unique values are changed, not deleted and inserted (\(tracking))"
            ) { engine in
                try withHistory(engine, tracking) { container in
                    let context = container.newContext()
                    let (one, other) = (
                        try context.addBook("a", isbn: "1"), try context.addBook("b", isbn: "2")
                    )
                    try context.save()
                    let token = try container.historyToken
                    try one.setValue(.string("2"), forKey: "isbn")
                    try other.setValue(.string("1"), forKey: "isbn")
                    try context.save()
                    let history = try container.history(after: token)
                    #expect(history.words == [["update Book isbn", "update Book isbn"]])
                    guard tracking == .values else { return }
                    let change = try #require(
                        history.first?.changes.first { $0.objectID == one.objectID })
                    #expect(change.oldValues == ["isbn": .value(.string("1"))])
                    #expect(change.newValues == ["isbn": .value(.string("2"))])
                }
            }
        }

        EngineCase("links and lists are named on both sides") { engine in
            try withHistory(engine, .properties, Everything.model) { container in
                let context = container.newContext()
                let node = Node(in: context)
                let topics = (0..<2).map { Topic(in: context, name: "\($0)") }
                let box = Box(in: context)
                try context.save()
                let token = try container.historyToken
                node.tags.insert(topics[0])
                node.queue.append(topics[1])
                box.topic = topics[0]
                try context.save()
                node.tags.remove(topics[0])
                try context.save()
                #expect(
                    try container.history(after: token).words == [
                        [
                            "update Box topic", "update Node queue tags",
                            "update Topic boxes nodes",
                            "update Topic waiting",
                        ], ["update Node tags", "update Topic nodes"],
                    ])
            }
        }

        EngineCase("the history names what the change set of a save names") { engine in
            try withHistory(engine, .properties, Everything.model) { container in
                let context = container.newContext()
                let nodes = (0..<3).map { Node(in: context, number: Int64($0)) }
                let box = Box(in: context)
                try context.save()
                let token = try container.historyToken
                var told: [ObjectID] = []
                let observation = context.observe(.didSaveObjectIDs) { ids in
                    told += Array(ids.updated) + Array(ids.deleted) + Array(ids.inserted)
                }
                nodes[0].box = box
                nodes[1].next = nodes[2]
                nodes[1].follows.insert(nodes[0])
                _ = Part(in: context, name: "p", node: nodes[2])
                try context.save()
                withExtendedLifetime(observation) {}
                let changes = try container.history(after: token).flatMap(\.changes)
                #expect(Set(changes.map(\.objectID)) == Set(told))
                #expect(changes.count == told.count)
            }
        }

        for tracking in [HistoryTracking.values, .properties] {
            EngineCase("derived values that end as they began are not named (\(tracking))") {
                engine in
                try withHistory(engine, tracking, Ledger.model) { container in
                    let context = container.newContext()
                    let patron = try context.make("Patron")
                    let (invoice, label) = try (context.make("Invoice"), context.make("Label"))
                    try patron.setValue(.int(0), forKey: "level")
                    invoice[one: "client"] = patron
                    try patron.many("labels").insert(label)
                    try context.save()
                    // The bonus, level × invoiceCount, is 0 × 1, then 1 × 1, and 1 × 0 in the end;
                    // the surplus, invoiceCount - labelCount, 1 - 1, 0 - 1 and 0 - 0.
                    try patron.setValue(.int(1), forKey: "level")
                    invoice[one: "client"] = nil
                    try patron.many("labels").remove(label)
                    let first = try namesSaved(of: patron, in: container, tracking)
                    #expect(
                        first == [
                            "grade", "invoiceCount", "invoices", "labelCount", "labels",
                            "level", "weight",
                        ])
                    // No row of a patron is written here for anything but what is computed.
                    invoice[one: "client"] = patron
                    try label.many("clients").insert(patron)
                    let second = try namesSaved(of: patron, in: container, tracking)
                    #expect(
                        second == [
                            "bonus", "invoiceCount", "invoices", "labelCount", "labels",
                            "weight",
                        ])
                }
            }

            EngineCase(
                "what objects reference as before is not named when they exchange values (\(tracking))"
            ) { engine in
                try withHistory(engine, tracking, Bazaar.model) { container in
                    let context = container.newContext()
                    let shelves = try (0..<2).map { _ in try context.make("Shelf") }
                    let mates = try (0..<2).map { _ in try context.make("Thing") }
                    let things = try ["a", "b"].map { try context.make("Gadget", ["code": $0]) }
                    for (index, thing) in things.enumerated() {
                        thing[one: "shelf"] = shelves[index]
                        thing[one: "mate"] = mates[index]
                    }
                    try context.save()
                    let token = try container.historyToken
                    for (index, thing) in things.enumerated() {
                        thing["code"] = ["b", "a"][index]
                        thing[one: "mate"] = mates[1 - index]
                    }
                    try context.save()
                    #expect(
                        try container.history(after: token).words == [
                            [
                                "update Gadget code mate", "update Gadget code mate",
                                "update Thing mateOf", "update Thing mateOf",
                            ]
                        ])
                }
            }

            EngineCase(
                "what references objects that exchange unique values is named there (\(tracking))"
            ) { engine in
                try withHistory(engine, tracking, Bazaar.model) { container in
                    let context = container.newContext()
                    let rooms = try ["a", "b"].map { try context.make("Room", ["name": $0]) }
                    let shelf = try context.make("Shelf")
                    try context.save()
                    let token = try container.historyToken
                    (rooms[0]["name"], rooms[1]["name"]) = ("b", "a")
                    shelf[one: "room"] = rooms[0]
                    try context.save()
                    #expect(
                        try container.history(after: token).words == [
                            [
                                "update Room name", "update Room name shelfCount shelves",
                                "update Shelf room",
                            ]
                        ])
                }
            }

            EngineCase("objects that exchange unique values are named as others (\(tracking))") {
                engine in
                try withHistory(engine, tracking, Ledger.model) { container in
                    let context = container.newContext()
                    let clients = try ["a", "b"].map { try context.make("Client", ["code": $0]) }
                    try context.save()
                    let token = try container.historyToken
                    clients[0]["name"] = "long"
                    (clients[0]["code"], clients[1]["code"]) = ("b", "a")
                    try context.save()
                    let changes = try container.history(after: token)[0].changes
                    let names = clients.map { client in
                        changes.first { $0.objectID == client.objectID }?.updatedProperties
                            .subtracting(["savedAt"]).sorted()
                    }
                    #expect(
                        names == [["code", "name", "nameLength", "shout", "title"], ["code"]])
                }
            }
        }

        EngineCase("objects that exchange unique values reference objects of their own entities") {
            engine in
            try withHistory(engine, .values, Bazaar.model) { container in
                let context = container.newContext()
                let things = try (0..<2).map { try context.make("Gadget", ["name": "\($0)"]) }
                let pieces = try things.map { thing in
                    let piece = try context.make("Piece", ["name": "p"])
                    piece[one: "thing"] = thing
                    return piece
                }
                try context.save()
                let token = try container.historyToken
                pieces[0][one: "thing"] = things[1]
                pieces[1][one: "thing"] = things[0]
                try context.save()
                let changes = try container.history(after: token)[0].changes
                for (piece, (old, new)) in zip(pieces, [(0, 1), (1, 0)]) {
                    let change = changes.first { $0.objectID == piece.objectID }
                    #expect(change?.oldValues["thing"] == .toOne(things[old].objectID))
                    #expect(change?.newValues["thing"] == .toOne(things[new].objectID))
                    for value in [change?.oldValues["thing"], change?.newValues["thing"]] {
                        guard case .toOne(let id)? = value else { continue }
                        #expect(id?.entityName == "Gadget")
                    }
                }
            }
        }

        EngineCase("a store without a history says so") { engine in
            try engine.withContainer(Chronicle.model) { container in
                let error = #expect(throws: StoreError.self) { try container.history() }
                #expect(error?.code == .noHistory)
                #expect(throws: StoreError.self) { try container.historyToken }
            }
        }
    }
}

/// Runs a body with a new store that keeps a history.
private func withHistory(
    _ engine: EngineEntry, _ tracking: HistoryTracking = .values,
    _ model: CompiledModel = Chronicle.model, _ body: (PersistentContainer) throws -> Void
) throws {
    var options = StoreOptions()
    options.history = tracking
    try engine.withContainer(model, options, body)
}

/// Saves an object, and says which of its properties the history names, but for the time.
private func namesSaved(
    of object: ManagedObject, in container: PersistentContainer, _ tracking: HistoryTracking
) throws -> Set<String> {
    let token = try container.historyToken
    try object.managedObjectContext?.save()
    let changes = try container.history(after: token)[0].changes
    let change = try #require(changes.first { $0.objectID == object.objectID })
    let old = Set(change.oldValues.keys)
    #expect(old == Set(change.newValues.keys))
    #expect(old.isSubset(of: change.updatedProperties))
    #expect(old.isEmpty == (tracking == .properties))
    return change.updatedProperties.subtracting(["savedAt"])
}
