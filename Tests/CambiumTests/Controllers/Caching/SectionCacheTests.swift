@testable import Cambium
import CambiumSQLite
import Foundation
import ShopModel
import Testing

/// Sections that a controller keeps on the disk: they are used where they are right, and nowhere
/// else.
@Suite(.onSQLite("A cache lies beside the file of a store."))
struct SectionCacheTests {
    /// What a run of the program shows, and how often it asked for a name: for all of the sixty
    /// rows, or for the first and the last of each section.
    private struct Run: Equatable {
        let shown: [String]
        let usesCache: Bool
    }

    private static var all: FetchRequest<Product> {
        Product.fetchRequest().sorted(by: Product.stock.ascending, Product.title.ascending)
    }

    private static func level(_ stock: Int32?) -> String {
        (stock ?? 0) < 30 ? "few" : "many"
    }

    /// A program that shows products by their stock.
    ///
    /// - Parameter prepare: What it does before.
    private func run(
        _ path: String, _ request: FetchRequest<Product> = Self.all, cacheName: String? = "Master",
        named name: @escaping (Int32?) -> String = Self.level,
        after prepare: (ManagedObjectContext) throws -> Void = { _ in }
    ) throws -> Run {
        let container = try PersistentContainer(model: Shop.model, at: .temporary(path))
        let context = container.newContext()
        try prepare(context)
        var calls = 0
        let controller = FetchedResultsController(
            request, in: context, sectionedBy: Product.stock, cacheName: cacheName
        ) { stock in
            calls += 1
            return name(stock)
        }
        try controller.performFetch()
        return Run(
            shown: controller.sections.map { "\($0.name) \($0.numberOfObjects)" },
            usesCache: calls < 20)
    }

    /// A store with sixty products that was written long ago.
    private func withStore(_ body: (String) throws -> Void) throws {
        try withStoreFile { path throws in
            try write(path) { context in
                for stock in 0..<60 {
                    let product = Product(
                        in: context, sku: "AB-\(stock)", kind: .book, price: 1)
                    product.stock = Int32(stock)
                }
            }
            try body(path)
        }
    }

    private func write(_ path: String, _ body: (ManagedObjectContext) throws -> Void) throws {
        try save(path, body)
        try settle(path)
    }

    /// Lets whoever closes the store move its log into it, and some time go by.
    private func settle(_ path: String) throws {
        _ = try run(path, cacheName: nil)
        try Self.age(path)
    }

    private func save(_ path: String, _ body: (ManagedObjectContext) throws -> Void) throws {
        let container = try PersistentContainer(model: Shop.model, at: .temporary(path))
        let context = container.newContext()
        try body(context)
        try context.save()
    }

    /// Lets the files of a store look as if they had been written long ago.
    private static func age(_ path: String) throws {
        for file in [path, path + "-wal"] where FileManager.default.fileExists(atPath: file) {
            try FileManager.default.setAttributes(
                [.modificationDate: Date.now.addingTimeInterval(-100)], ofItemAtPath: file)
        }
    }

    private static func backUp(_ path: String, to copy: String) throws {
        let coordinator = try PersistentContainer(model: Shop.model, at: .temporary(path))
            .coordinator
        for store in coordinator.persistentStores { try coordinator.backUp(store, to: copy) }
    }

    private static func file(_ path: String, _ name: String = "Master") -> URL {
        URL(filePath: "\(path)-sections/\(name).json")
    }

    private static func kept(_ path: String) throws -> SectionCache {
        try JSONDecoder().decode(SectionCache.self, from: Data(contentsOf: file(path)))
    }

    private static let right = ["few 30", "many 30"]

    // MARK: Used

    @Test func `a later run takes the sections over`() throws {
        try withStore { path throws in
            #expect(try run(path) == Run(shown: Self.right, usesCache: false))
            #expect(try Self.kept(path).sections.map(\.count) == [30, 30])
            #expect(try run(path) == Run(shown: Self.right, usesCache: true))
            #expect(try run(path, cacheName: nil).usesCache == false)
        }
    }

    @Test func `what is in the log of the file that a link leads to counts`() throws {
        try withStore { path throws in
            let link = path + "-link"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
            defer {
                for name in ["", "-sections"] {
                    try? FileManager.default.removeItem(atPath: link + name)
                }
            }
            #expect(try run(link).usesCache == false)
            #expect(try run(link).usesCache)
            let container = try PersistentContainer(model: Shop.model, at: .temporary(path))
            let context = container.newContext()
            Product(in: context, sku: "AB-60", kind: .book, price: 1).stock = 5
            try context.save()
            // The file itself looks as before: only the log says that there is more.
            try FileManager.default.setAttributes(
                [.modificationDate: Date.now.addingTimeInterval(-100)],
                ofItemAtPath: path + "-wal")
            #expect(try run(link).shown == ["few 31", "many 30"])
            withExtendedLifetime(container) {}
        }
    }

    @Test func `sections by value are kept too`() throws {
        try withStore { path throws in
            for _ in 0..<2 {
                let container = try PersistentContainer(model: Shop.model, at: .temporary(path))
                let controller = FetchedResultsController(
                    Self.all, in: container.newContext(), sectionedBy: Product.kind,
                    cacheName: "Kinds")
                try controller.performFetch()
                #expect(controller.sections.map(\.name) == ["book"])
                #expect(controller.sections[0].value(of: Product.kind) == .book)
            }
            let data = try Data(contentsOf: Self.file(path, "Kinds"))
            let kept = try JSONDecoder().decode(SectionCache.self, from: data)
            #expect(kept.sections == [.init(name: "book", count: 60)])
        }
    }

    @Test func `a program without rows keeps that there are no sections`() throws {
        try withStoreFile { path throws in
            try write(path) { _ in }
            #expect(try run(path).shown == [])
            #expect(try Self.kept(path).sections == [])
            #expect(try run(path).shown == [])
        }
    }

    // MARK: Stale

    /// Each finds the same rows in the same sections, so only what was asked for tells them apart.
    private static var others: [FetchRequest<Product>] {
        var withoutSubentities = all
        withoutSubentities.includesSubentities = false
        return [
            all.filter(Product.stock >= 0), all.filter(Product.stock >= -1), all.limit(1000),
            Product.fetchRequest().sorted(by: Product.stock.ascending, Product.sku.ascending),
            Product.fetchRequest().sorted(by: Product.stock.ascending, Product.title.descending),
            all.filter(format: "stock >= %@", 0), withoutSubentities,
        ]
    }

    @Test(arguments: 0..<7)
    func `another request is fetched anew`(_ number: Int) throws {
        try withStore { path throws in
            #expect(try run(path, Self.all).usesCache == false)
            #expect(try run(path, Self.others[number]).usesCache == false)
            #expect(try run(path, Self.others[number]).usesCache)
        }
    }

    @Test func `what another model has kept does not count`() throws {
        try withStore { path throws in
            _ = try run(path)
            let kept = try Self.kept(path)
            let hash = Shop.model.modelDescription.model.versionHash
            #expect(kept.request.contains(hash))
            let other = SectionCache(
                request: kept.request.replacing(hash, with: "another"), store: kept.store,
                sections: kept.sections)
            try JSONEncoder().encode(other).write(to: Self.file(path))
            #expect(try run(path).usesCache == false)
            #expect(try Self.kept(path) == kept)
        }
    }

    @Test func `whatever is written to the store makes it stale`() throws {
        try withStore { path throws in
            func isStale(after change: () throws -> Void) throws {
                _ = try run(path)
                try #require(try run(path).usesCache)
                try change()
                try settle(path)
                #expect(try run(path).usesCache == false)
            }
            try isStale {
                try write(path) { context in
                    let first = try context.fetch(Self.all.limit(1)).first
                    first?.title = "new"  // in the same section
                }
            }
            try isStale { try execute("UPDATE Product SET title = 'newer'", in: path) }
            let copy = path + "-copy"
            try isStale {
                try Self.backUp(path, to: copy)
                try PersistentStoreCoordinator.replacePersistentStore(
                    at: path, withStoreFrom: copy)
            }
        }
    }

    @Test func `so soon after a commit nothing is kept, as the next might look the same`() throws {
        try withStoreFile { path throws in
            let container = try PersistentContainer(model: Shop.model, at: .temporary(path))
            let context = container.newContext()
            _ = Product(in: context, sku: "AB-1", kind: .book, price: 1)
            try context.save()
            #expect(try run(path).shown == ["few 1"])
            #expect(!FileManager.default.fileExists(atPath: Self.file(path).path()))
        }
    }

    @Test func `with unsaved changes nothing is taken over and nothing is kept`() throws {
        try withStore { path throws in
            func change(_ context: ManagedObjectContext) throws {
                try context.fetch(Self.all.limit(1)).first?.stock = 40
            }
            #expect(try run(path, after: change).shown == ["few 29", "many 31"])
            #expect(!FileManager.default.fileExists(atPath: Self.file(path).path()))
            _ = try run(path)
            #expect(
                try run(path, after: change)
                    == Run(shown: ["few 29", "many 31"], usesCache: false))
            #expect(try Self.kept(path).sections.map(\.count) == [30, 30])
        }
    }

    @Test func `a context that has not merged what others saved keeps nothing`() throws {
        try withStore { path throws in
            let container = try PersistentContainer(model: Shop.model, at: .temporary(path))
            let (context, other) = (container.newContext(), container.newContext())
            let held = try context.fetch(Self.all)
            try other.fetch(Self.all.limit(1)).first?.stock = 40
            try other.save()
            try Self.age(path)
            let controller = FetchedResultsController(
                Self.all, in: context, sectionedBy: Product.stock, cacheName: "Master",
                named: Self.level)
            try controller.performFetch()
            #expect(controller.sections.map(\.numberOfObjects) == [30, 30])
            #expect(!FileManager.default.fileExists(atPath: Self.file(path).path()))
            context.mergePending()
            try controller.performFetch()
            #expect(try Self.kept(path).sections.map(\.count) == [29, 31])
            withExtendedLifetime(held) {}
        }
    }

    // MARK: Wrong

    @Test(arguments: ["", "{", "[]", "{\"sections\":3}", "\u{0}\u{1}"])
    func `a damaged file is ignored and written anew`(_ text: String) throws {
        try withStore { path throws in
            _ = try run(path)
            let kept = try Self.kept(path)
            try Data(text.utf8).write(to: Self.file(path))
            #expect(try run(path) == Run(shown: Self.right, usesCache: false))
            #expect(try Self.kept(path) == kept)
        }
    }

    @Test(
        arguments: [
            [], [("few", 60)], [("few", 29), ("many", 31)], [("few", 30), ("few", 30)],
            [("few", 15), ("few", 15), ("many", 30)], [("many", 30), ("few", 30)],
            [("few", 30)], [("few", 30), ("many", 31)], [("few", 30), ("many", 30), ("", 0)],
            [("few", 30), ("many", .max)], [("few", -30), ("many", 90)],
        ] as [[(String, Int)]])
    func `sections that do not fit the rows are worked out again`(
        _ wrong: [(String, Int)]
    ) throws {
        try withStore { path throws in
            _ = try run(path)
            let kept = try Self.kept(path)
            let lie = SectionCache(
                request: kept.request, store: kept.store,
                sections: wrong.map { .init(name: $0.0, count: $0.1) })
            try JSONEncoder().encode(lie).write(to: Self.file(path))
            #expect(try run(path).shown == Self.right)
            #expect(try Self.kept(path) == kept)
        }
    }

    @Test func `names that are derived in another way are worked out again`() throws {
        try withStore { path throws in
            _ = try run(path)
            let other = try run(path, named: { ($0 ?? 0) < 10 ? "few" : "many" })
            #expect(other == Run(shown: ["few 10", "many 50"], usesCache: false))
            #expect(try Self.kept(path).sections.map(\.count) == [10, 50])
        }
    }

    // MARK: Removing

    @Test func `a cache is deleted by its name, which may be any text`() throws {
        try withStore { path throws in
            let names = ["Master", "a/../b", "", "\u{DC}bersicht"]
            for name in names { _ = try run(path, cacheName: name) }
            let container = try PersistentContainer(model: Shop.model, at: .temporary(path))
            let context = container.newContext()
            func files() -> [String] {
                (try? FileManager.default.contentsOfDirectory(atPath: path + "-sections")) ?? []
            }
            #expect(files().count == 4)
            FetchedResultsController<Product>.deleteCache(withName: "a/../b", in: context)
            #expect(Set(files()) == [".json", "%c3%9cbersicht.json", "Master.json"])
            FetchedResultsController<Product>.deleteCache(withName: "unknown", in: context)
            #expect(files().count == 3)
            FetchedResultsController<Product>.deleteCache(withName: nil, in: context)
            #expect(files() == [])
            #expect(try run(path).usesCache == false)
        }
    }

    @Test func `a store takes its caches along when it is destroyed`() throws {
        try withStore { path throws in
            _ = try run(path)
            try PersistentStoreCoordinator.destroyPersistentStore(at: path)
            #expect(!FileManager.default.fileExists(atPath: path + "-sections"))
        }
    }

    @Test func `a store in memory, and one that is only read, keep nothing`() throws {
        try withStore { path throws in
            var options = StoreOptions()
            options.isReadOnly = true
            let places: [(StoreLocation, StoreOptions)] = [
                (.file(path), options), (.memory, StoreOptions()),
            ]
            for (place, options) in places {
                let container = try PersistentContainer(
                    model: Shop.model, at: place, options: options)
                let controller = FetchedResultsController(
                    Self.all, in: container.newContext(), sectionedBy: Product.stock,
                    cacheName: "Master")
                try controller.performFetch()
            }
            #expect(!FileManager.default.fileExists(atPath: path + "-sections"))
        }
    }
}
