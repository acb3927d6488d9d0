import Cambium
import CambiumCustomStores
import CambiumEngineSpecification
import CambiumModel
import CambiumSQLite
import Foundation
import Testing

/// One coordinator, a store for each configuration.
struct SeveralStoresTests {
    private func withStores(
        _ body: (
            PersistentStoreCoordinator, _ catalogue: PersistentStore, _ visits: PersistentStore,
            _ count: (_ table: String, _ store: PersistentStore) throws -> Int64?
        ) throws -> Void
    ) throws {
        try withStoreFile { path in
            let coordinator = PersistentStoreCoordinator(model: Library.model)
            let visitsPath = "\(path).visits"
            let catalogue = try coordinator.addPersistentStore(
                configuration: "Catalogue", at: .temporary(path))
            let visits = try coordinator.addPersistentStore(
                configuration: "Visits", at: .temporary(visitsPath))
            try body(coordinator, catalogue, visits) { table, store in
                try rows(
                    "SELECT count(*) FROM \"\(table)\"", in: store == visits ? visitsPath : path
                ).first?.first?.integer
            }
        }
    }

    @Test func `a row lies in the file of its configuration alone`() throws {
        try withStores { coordinator, catalogue, visits, count in
            let context = coordinator.newContext()
            _ = Book(in: context, title: "Notes", author: Author(in: context, name: "Ada"))
            _ = Visit(in: context, page: "/", visitor: Visitor(in: context, name: "V"))
            try context.save()
            #expect(try count("Book", catalogue) == 1 && count("Book", visits) == 0)
            #expect(try count("Visit", visits) == 1 && count("Visit", catalogue) == 0)
        }
    }

    @Test func `each store resolves its own conflicts`() throws {
        try withStores { coordinator, catalogue, visits, count in
            let context = coordinator.newContext()
            let author = Author(in: context)
            let visitor = Visitor(in: context)
            let book = Book(in: context, title: "taken", author: author)
            let visit = Visit(in: context, page: "taken", visitor: visitor)
            try context.save()
            let other = coordinator.newContext()
            other.mergePolicy = .objectTrump
            let (sameAuthor, sameVisitor): (Author, Visitor) = (
                try other.get(author.objectID), try other.get(visitor.objectID)
            )
            let newBook = Book(in: other, title: "taken", author: sameAuthor)
            let newVisit = Visit(in: other, page: "taken", visitor: sameVisitor)
            try other.save()
            #expect(!other.hasChanges)
            #expect(newBook.objectID == book.objectID && newVisit.objectID == visit.objectID)
            #expect(try count("Book", catalogue) == 1 && count("Visit", visits) == 1)
        }
    }

    @Test func `an object of one store is looked at when objects of another are saved`() throws {
        try withStores { coordinator, _, visits, count in
            let context = coordinator.newContext()
            let author = Author(in: context, name: "base")
            _ = Visitor(in: context)
            try context.save()
            let other = coordinator.newContext()
            let theirs: Author = try other.get(author.objectID)
            theirs.name = "theirs"
            try other.save()
            context.detectConflicts(for: author)
            _ = Visitor(in: context)
            #expect(throws: ConflictError.self) { try context.save() }
            #expect(try count("Visitor", visits) == 1)
            context.refresh(author, mergeChanges: false)
            context.detectConflicts(for: author)
            try context.save()
            #expect(try count("Visitor", visits) == 2)
        }
    }

    @Test func `the rows of a removed store are not remembered`() throws {
        try withStores { coordinator, _, visits, _ in
            let context = coordinator.newContext()
            let visitor = Visitor(in: context, name: "V")
            let another = Visitor(in: context, name: "W")
            try context.save()
            context.refresh(visitor, mergeChanges: false)
            try coordinator.remove(visits)
            context.refresh(another, mergeChanges: false)
            for id in [visitor.objectID, another.objectID] {
                #expect(throws: StoreError.self) {
                    try coordinator.newContext().existingObject(with: id)
                }
            }
        }
    }

    /// Two stores, of which the first cannot be written any more when it has to commit; stores
    /// write in the order of their identities, and the last one commits first.
    private func withFailingStore(
        _ body: (
            ManagedObjectContext, _ failing: PersistentStore, _ committed: PersistentStore,
            _ repair: () throws -> Void
        ) throws -> Void
    ) throws {
        try withStoreFile { path in
            let coordinator = PersistentStoreCoordinator(model: Library.model)
            let stores = try ["Catalogue", "Visits"].map { configuration in
                let folder = URL(filePath: "\(path).\(configuration)")
                try FileManager.default.createDirectory(
                    at: folder, withIntermediateDirectories: true)
                var description = try StoreKind.json.description(
                    path: folder.appending(path: "store.json").path())
                description.configuration = configuration
                return try coordinator.addPersistentStore(with: description)
            }.sorted { $0.identifier.uuidString < $1.identifier.uuidString }
            let folder = URL(filePath: try #require(stores[0].location.path))
                .deletingLastPathComponent()
            let context = coordinator.newContext()
            _ = Author(in: context, name: "Ada")
            _ = Visitor(in: context, name: "V")
            try context.save()
            try FileManager.default.removeItem(at: folder)
            try body(context, stores[0], stores[1]) {
                try FileManager.default.createDirectory(
                    at: folder, withIntermediateDirectories: true)
            }
        }
    }

    @Test func `a commit that fails after another one says which stores have the changes`() throws {
        try withFailingStore { context, failing, committed, repair in
            let (author, visitor) = (Author(in: context), Visitor(in: context))
            let isCatalogueFailing = failing.storeDescription.configuration == "Catalogue"
            let error = #expect(throws: IncompleteSaveError.self) { try context.save() }
            #expect(error?.failedStores == [failing])
            #expect(error?.committedStores == [committed])
            #expect(error?.coreDataCode == 134040)
            #expect(author.isInserted == isCatalogueFailing)
            #expect(visitor.isInserted == !isCatalogueFailing)
            try repair()
            try context.save()
            #expect(!author.isInserted && !visitor.isInserted && !context.hasChanges)
        }
    }

    @Test func `observers and siblings hear of the stores that have committed alone`() throws {
        try withFailingStore { context, failing, _, repair in
            let isCatalogueFailing = failing.storeDescription.configuration == "Catalogue"
            let author = try #require(try context.fetch(Author.fetchRequest()).first)
            let visitor = try #require(try context.fetch(Visitor.fetchRequest()).first)
            let sibling = context.coordinator.newContext()
            let (sameAuthor, sameVisitor): (Author, Visitor) = (
                try sibling.get(author.objectID), try sibling.get(visitor.objectID)
            )
            #expect(sameAuthor.name == "Ada" && sameVisitor.name == "V")
            var told: [SavedObjects] = []
            let token = context.observe(.didSave) { told.append($0) }
            (author.name, visitor.name) = ("Eve", "W")
            let (newAuthor, newVisitor) = (Author(in: context), Visitor(in: context))
            #expect(throws: IncompleteSaveError.self) { try context.save() }
            #expect(told.map(\.updated) == [isCatalogueFailing ? [visitor] : [author]])
            #expect(told.map(\.inserted) == [isCatalogueFailing ? [newVisitor] : [newAuthor]])
            #expect(told.map(\.changeSets.count) == [1])
            sibling.mergePending()
            #expect(sameAuthor.name == (isCatalogueFailing ? "Ada" : "Eve"))
            #expect(sameVisitor.name == (isCatalogueFailing ? "W" : "V"))
            try repair()
            try context.save()
            #expect(told.map(\.updated).last == (isCatalogueFailing ? [author] : [visitor]))
            sibling.mergePending()
            #expect(sameAuthor.name == "Eve" && sameVisitor.name == "W")
            withExtendedLifetime(token) {}
        }
    }

    /// Of what is deleted here while somebody else links to it, nothing but the foreign keys tells.
    /// Stores write in the order of their identities, and the last one commits first: the commit
    /// of the first would be refused too late.
    @Test(arguments: [true, false])
    func `a key that leads nowhere is found before any store commits`(_ isFirst: Bool) throws {
        try withStores { coordinator, catalogue, visits, count in
            let isCatalogueFirst =
                catalogue.identifier.uuidString < visits.identifier.uuidString
            let deletesAuthor = isCatalogueFirst == isFirst
            let context = coordinator.newContext()
            let author = Author(in: context, name: "Ada")
            let visitor = Visitor(in: context, name: "V")
            try context.save()
            #expect(author.books.isEmpty && visitor.visits.isEmpty)
            // Another process, as it were: the context is told nothing.
            let others = PersistentStoreCoordinator(model: Library.model)
            for store in [catalogue, visits] {
                try others.addPersistentStore(
                    configuration: store.configuration, at: store.location)
            }
            let rival = others.newContext()
            if deletesAuthor {
                _ = try Book(
                    in: rival, title: "b",
                    author: rival.fetch(Author.fetchRequest()).first)
            } else {
                _ = try Visit(
                    in: rival, page: "v",
                    visitor: rival.fetch(Visitor.fetchRequest()).first)
            }
            try rival.save()
            if deletesAuthor {
                context.delete(author)
                visitor.name = "W"
            } else {
                context.delete(visitor)
                author.name = "Eve"
            }
            let error = #expect(throws: (any Error).self) { try context.save() }
            #expect(!(error is IncompleteSaveError), "\(String(describing: error))")
            #expect(context.hasChanges)
            #expect(try count("Author", catalogue) == 1)
            #expect(try count("Visitor", visits) == 1)
            let reader = coordinator.newContext()
            let (sameAuthor, sameVisitor): (Author, Visitor) = (
                try reader.get(author.objectID), try reader.get(visitor.objectID)
            )
            #expect(sameAuthor.name == "Ada" && sameVisitor.name == "V")
        }
    }

    @Test func `an entity is in one store only`() throws {
        try withStores { coordinator, _, _, _ in
            for configuration in [nil, "Visits"] {
                let error = #expect(throws: StoreLoadingError.self) {
                    try coordinator.addPersistentStore(
                        configuration: configuration, at: .temporary)
                }
                #expect(error?.code == .invalidRequest)
                try #expect("\(#require(error))".contains("an entity is in one store only"))
            }
            #expect(coordinator.persistentStores.count == 2)
        }
    }

    @Test func `a configuration must exist and hold what belongs together`() throws {
        let coordinator = PersistentStoreCoordinator(model: Library.model)
        let unknown = #expect(throws: StoreLoadingError.self) {
            try coordinator.addPersistentStore(configuration: "Catalog", at: .temporary)
        }
        try #expect("\(#require(unknown))".contains("Did you mean Catalogue?"))
        let torn = #expect(throws: StoreLoadingError.self) {
            try coordinator.addPersistentStore(configuration: "Torn", at: .temporary)
        }
        try #expect("\(#require(torn))".contains("has Author, but not Book"))
    }

    @Test func `entities without a store of theirs are missed only when they are used`() throws {
        let coordinator = PersistentStoreCoordinator(model: Library.model)
        try coordinator.addPersistentStore(configuration: "Catalogue", at: .temporary)
        let context = coordinator.newContext()
        _ = Author(in: context)
        try context.save()
        let error = #expect(throws: StoreError.self) { try context.fetch(Visit.fetchRequest()) }
        #expect(error?.code == .noStore)
        try coordinator.addPersistentStore(configuration: "Visits", at: .temporary)
        #expect(try context.fetch(Visit.fetchRequest()).isEmpty)
    }

    @Test func `one store may be read-only while another is written`() throws {
        try withStoreFile { path in
            _ = try PersistentContainer(model: Library.model, at: .temporary(path))
            var options = StoreOptions()
            options.isReadOnly = true
            let coordinator = PersistentStoreCoordinator(model: Library.model)
            try coordinator.addPersistentStore(
                configuration: "Catalogue", at: .temporary(path), options: options)
            try coordinator.addPersistentStore(configuration: "Visits", at: .temporary)
            let context = coordinator.newContext()
            _ = Visitor(in: context)
            try context.save()
            _ = Author(in: context)
            _ = Visitor(in: context)
            let error = #expect(throws: StoreError.self) { try context.save() }
            #expect(error?.code == .readOnly)
            #expect(try coordinator.newContext().count(for: Visitor.fetchRequest()) == 1)
        }
    }
}
