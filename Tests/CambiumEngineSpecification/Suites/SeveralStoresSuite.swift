import Cambium
import Testing

extension EngineSuite {
    /// One container, a store for each configuration.
    package static let severalStores = EngineSuite("several stores") {

        EngineCase("an object is saved in the store of its configuration, and found there") {
            engine in
            try withStores(engine) { coordinator, catalogue, visits in
                let context = coordinator.newContext()
                let author = Author(in: context, name: "Ada")
                let book = Book(in: context, title: "Notes", author: author)
                let visit = Visit(in: context, page: "/", visitor: Visitor(in: context, name: "V"))
                try context.save()
                #expect(book.objectID.uri.contains(catalogue.identifier.uuidString))
                #expect(visit.objectID.uri.contains(visits.identifier.uuidString))
                #expect(coordinator.persistentStore(of: book.objectID) == catalogue)
                #expect(coordinator.persistentStore(of: visit.objectID) == visits)

                let reader = coordinator.newContext()
                #expect(try reader.fetch(Book.fetchRequest()).map(\.author?.name) == ["Ada"])
                #expect(try reader.fetch(Visitor.fetchRequest()).first?.visits.count == 1)
                for id in [book.objectID, visit.objectID] {
                    let same = try #require(coordinator.objectID(forURI: id.uri))
                    #expect(try reader.existingObject(with: same).objectID == id)
                }
            }
        }

        EngineCase("a sibling receives what each store committed") { engine in
            try withStores(engine) { coordinator, _, _ in
                let context = coordinator.newContext()
                let author = Author(in: context, name: "Ada")
                let visitor = Visitor(in: context, name: "V")
                try context.save()
                let sibling = coordinator.newContext()
                let (sameAuthor, sameVisitor): (Author, Visitor) = (
                    try sibling.get(author.objectID), try sibling.get(visitor.objectID)
                )
                #expect(sameAuthor.name == "Ada" && sameVisitor.name == "V")
                author.name = "Eve"
                visitor.name = "W"
                try context.save()
                sibling.mergePending()
                #expect(sameAuthor.name == "Eve" && sameVisitor.name == "W")
                context.delete(visitor)
                try context.save()
                sibling.mergePending()
                #expect(sameVisitor.isDeleted && !sameAuthor.isDeleted)
            }
        }

        EngineCase("what one store refuses is kept in none") { engine in
            try withStores(engine) { coordinator, _, _ in
                let context = coordinator.newContext()
                let author = Author(in: context)
                let visitor = Visitor(in: context)
                _ = Book(in: context, title: "taken", author: author)
                _ = Visit(in: context, page: "taken", visitor: visitor)
                try context.save()
                func expectRows(_ count: Int) throws {
                    let reader = coordinator.newContext()
                    let books = try reader.count(for: Book.fetchRequest())
                    let visits = try reader.count(for: Visit.fetchRequest())
                    #expect(books == count && visits == count)
                }
                for (title, page) in [("taken", "new"), ("new", "taken")] {
                    let book = Book(in: context, title: title, author: author)
                    let visit = Visit(in: context, page: page, visitor: visitor)
                    #expect(throws: (any Error).self) { try context.save() }
                    try expectRows(1)
                    #expect(book.isInserted && visit.isInserted)
                    context.rollback()
                }
                _ = Book(in: context, title: "new", author: author)
                _ = Visit(in: context, page: "new", visitor: visitor)
                try context.save()
                try expectRows(2)
            }
        }

        EngineCase("a conflict in one store keeps the other from saving, too") { engine in
            try withStores(engine) { coordinator, _, _ in
                let context = coordinator.newContext()
                let author = Author(in: context, name: "base")
                let visitor = Visitor(in: context, name: "base")
                try context.save()
                let other = coordinator.newContext()
                other.mergePending()
                let theirs: Author = try other.get(author.objectID)
                theirs.name = "theirs"
                try other.save()
                author.name = "ours"
                visitor.name = "ours"
                #expect(throws: ConflictError.self) { try context.save() }
                func names() throws -> [String] {
                    let reader = coordinator.newContext()
                    return try reader.fetch(Author.fetchRequest()).map(\.name)
                        + reader.fetch(Visitor.fetchRequest()).map(\.name)
                }
                #expect(try names() == ["theirs", "base"])
                context.mergePolicy = .objectTrump
                try context.save()
                #expect(try names() == ["ours", "ours"])
            }
        }
    }
}

/// Runs a body with a coordinator of two stores of an engine.
private func withStores(
    _ engine: EngineEntry,
    _ body: (
        PersistentStoreCoordinator, _ catalogue: PersistentStore, _ visits: PersistentStore
    ) throws -> Void
) throws {
    try engine.withDescriptions(2) { descriptions in
        let coordinator = PersistentStoreCoordinator(model: Library.model)
        let stores = try zip(descriptions, ["Catalogue", "Visits"]).map {
            var description = $0
            description.configuration = $1
            return try coordinator.addPersistentStore(with: description)
        }
        try body(coordinator, stores[0], stores[1])
    }
}
