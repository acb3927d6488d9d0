import Cambium
import ShopModel
import Testing

/// What a results controller tells, when, and in which order.
@Suite(.onServers)
struct Rules39To48Tests {
    private typealias Category = ShopModel.Category

    // MARK: When

    @Test func `rule 39: a setter alone tells nothing, processing the changes does`() throws {
        try withCategories { context, controller, log in
            let books = try #require(controller.object(at: ItemPath(section: 0, item: 0)))
            books.name = "Books and maps"
            _ = Category(in: context, name: "Games")
            #expect(log.calls == [])
            #expect(controller.fetchedObjects?.count == 2)
            context.processPendingChanges()
            #expect(
                log.calls == [
                    "will change", "insert Games at 0.1", "update Books and maps from 0.0 to 0.0",
                    "did change",
                ])
        }
    }

    @Test func `rule 39: the end of perform tells what happened in it`() async throws {
        let container = try PersistentContainer(model: Shop.model, at: .temporary)
        let background = container.newBackgroundContext()
        let kept = try await background.perform { context in
            let controller = FetchedResultsController(
                Category.fetchRequest().sorted(by: Category.name), in: context)
            try controller.performFetch()
            let log = CallLog<Category>(name: \.name)
            controller.delegate = log
            _ = Category(in: context, name: "Books")
            #expect(log.calls == [])
            return Kept(log: log, controller: controller)
        }
        let calls = try await background.perform { _ in kept.log.calls }
        #expect(calls == ["will change", "insert Books at 0.0", "did change"])
        try await background.perform { _ in withExtendedLifetime(kept) {} }
    }

    // Safety: what is in it is looked at within `perform` only.
    private struct Kept: @unchecked Sendable {
        let log: CallLog<Category>
        let controller: FetchedResultsController<Category>
    }

    // MARK: In which order

    @Test func `rule 40: will change, sections, objects, did change`() throws {
        try withCategories { context, controller, log in
            let books = try #require(controller.object(at: ItemPath(section: 0, item: 0)))
            books.isBrand = true
            let games = Category(in: context, name: "Games")
            games.isBrand = false
            context.processPendingChanges()
            #expect(
                log.calls == [
                    "will change", "insert section true at 1", "insert Games at 0.0",
                    "move Books from 0.0 to 1.0", "did change",
                ])
        }
    }

    @Test func `rule 40: nothing is told of other entities or of who does not belong`() throws {
        try withCategories(where: Category.name != "Secret") { context, _, log in
            _ = Product(in: context, sku: "AB-1", kind: .book, price: 1)
            let secret = Category(in: context, name: "Secret")
            context.processPendingChanges()
            secret.isBrand.toggle()
            try context.save()
            #expect(log.calls == [])
        }
    }

    @Test func `rule 40: an update is told whichever property of a member changed`() throws {
        try withCategories { context, controller, log in
            let books = try #require(controller.object(at: ItemPath(section: 0, item: 0)))
            books.created = books.created.addingTimeInterval(1)
            context.processPendingChanges()
            #expect(log.calls == ["will change", "update Books from 0.0 to 0.0", "did change"])
        }
    }

    // MARK: Places

    @Test func `rule 41: deletes descending and inserts ascending lead from old to new`() throws {
        try forEachSeed { seed in
            var generator = SeededGenerator(seed: seed)
            try withContainer(Shop.model) { container in
                let context = container.newContext()
                for _ in 0..<8 { _ = Category(in: context, name: generator.letter()) }
                let controller = FetchedResultsController(
                    Category.fetchRequest().sorted(by: Category.name), in: context)
                try controller.performFetch()
                let delegate = MirrorDelegate(controller)
                controller.delegate = delegate
                var array = try #require(controller.fetchedObjects)
                for category in array where generator.chance(0.4) { context.delete(category) }
                for _ in 0..<6 { _ = Category(in: context, name: generator.letter()) }
                context.processPendingChanges()
                let changes = try #require(delegate.told.first).changes.map(\.parts)
                for item in changes.compactMap({ $0.from?.item }).sorted(by: >) {
                    array.remove(at: item)
                }
                let arriving = changes.compactMap { change in
                    change.to.map { (category: change.object, item: $0.item) }
                }
                for (category, item) in arriving.sorted(by: { $0.item < $1.item }) {
                    array.insert(category, at: item)
                }
                #expect(array == controller.fetchedObjects, "CAMBIUM_SEED=\(seed)")
            }
        }
    }

    @Test func `rule 42: an update names its old place and its new one`() throws {
        try withCategories { context, controller, log in
            let books = try #require(controller.object(at: ItemPath(section: 0, item: 0)))
            books.created = books.created.addingTimeInterval(1)
            _ = Category(in: context, name: "Art")
            context.processPendingChanges()
            #expect(
                log.calls == [
                    "will change", "insert Art at 0.0", "update Books from 0.0 to 0.1",
                    "did change",
                ])
        }
    }

    /// Core Data may tell a move with equal paths.
    @Test func `rule 43, bettered: a sort value that keeps the place is an update, no move`() throws
    {
        try withCategories { context, controller, log in
            let toys = try #require(controller.object(at: ItemPath(section: 0, item: 1)))
            toys.name = "Toys and games"
            context.processPendingChanges()
            #expect(
                log.calls == [
                    "will change", "update Toys and games from 0.1 to 0.1", "did change",
                ])
        }
    }

    @Test func `rule 44: the last object of a section moves, and its section goes`() throws {
        try withCategories { context, controller, log in
            for category in controller.fetchedObjects ?? [] { category.isBrand = true }
            context.processPendingChanges()
            #expect(
                log.calls == [
                    "will change", "delete section false at 0", "insert section true at 0",
                    "move Books from 0.0 to 0.0", "move Toys from 0.1 to 0.1", "did change",
                ])
            #expect(controller.sections.map(\.name) == ["true"])
        }
    }

    // MARK: Sections

    @Test func `rule 45: sections count the objects that they have, after any edits`() throws {
        try forEachSeed { seed in
            var generator = SeededGenerator(seed: seed)
            try withCategories(where: Category.name > "b") { context, controller, _ in
                for step in 0..<200 {
                    let all = try context.fetch(Category.fetchRequest())
                    let category =
                        all.count < 12 && generator.chance(0.3)
                        ? Category(in: context, name: "x") : all.randomElement(using: &generator)
                    if generator.chance(0.1), let category {
                        context.delete(category)
                    } else {
                        category?.name =
                            ["a", "b", "c", "d", "e"].randomElement(using: &generator) ?? "c"
                        category?.isBrand = generator.chance(0.5)
                    }
                    if generator.chance(0.1) { try context.save() }
                    if generator.chance(0.05) { context.rollback() }
                    context.processPendingChanges()
                    let sections = controller.sections
                    #expect(
                        sections.map(\.numberOfObjects) == sections.map(\.objects.count),
                        "CAMBIUM_SEED=\(seed), step \(step)")
                    #expect(
                        try sections.reduce(0) { $0 + $1.numberOfObjects }
                            == context.count(for: controller.fetchRequest),
                        "CAMBIUM_SEED=\(seed), step \(step)")
                }
            }
        }
    }

    // MARK: Tracking

    @Test func `rule 47: a fetch tells no delegate, and one set after it is told what follows`()
        throws
    {
        try withCategories { context, controller, log in
            controller.delegate = nil
            _ = Category(in: context, name: "Games")
            try controller.performFetch()
            controller.delegate = log
            #expect(log.calls == [])
            try controller.performFetch()
            #expect(log.calls == [])
            _ = Category(in: context, name: "Records")
            context.processPendingChanges()
            #expect(log.calls == ["will change", "insert Records at 0.2", "did change"])
        }
    }

    /// In Core Data the identity of an inserted object changes with the save, unless a permanent
    /// one was obtained before.
    @Test func `rule 48, bettered: a save changes no identity, and no item of the list`() throws {
        try withCategories { context, controller, log in
            let games = Category(in: context, name: "Games")
            context.processPendingChanges()
            let path = try #require(controller.indexPath(for: games))
            let before = controller.snapshot.itemIDs
            log.calls = []
            try context.obtainPermanentIDs(for: [games])
            try context.save()
            #expect(controller.snapshot.itemIDs == before)
            #expect(controller.object(at: path) === games)
            #expect(log.calls == [])
        }
    }

    // MARK: Categories

    /// Two categories, which are not brands, and a controller that sections them by being one.
    private func withCategories(
        where condition: Condition<Category>? = nil,
        _ body: (
            ManagedObjectContext, FetchedResultsController<Category>, CallLog<Category>
        ) throws -> Void
    ) throws {
        try withContainer(Shop.model) { container in
            let context = container.newContext()
            for name in ["Books", "Toys"] { _ = Category(in: context, name: name) }
            try context.save()
            var request = Category.fetchRequest().sorted(by: Category.name)
            request.condition = condition
            let controller = FetchedResultsController(
                request, in: context, sectionedBy: Category.isBrand)
            try controller.performFetch()
            let log = CallLog<Category>(name: \.name)
            controller.delegate = log
            try body(context, controller, log)
        }
    }
}

extension SeededGenerator {
    fileprivate mutating func letter() -> String {
        "abcdef".randomElement(using: &self).map { String($0) } ?? "a"
    }
}
