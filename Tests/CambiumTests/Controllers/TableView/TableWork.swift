@testable import Cambium
import Foundation
import ShopModel

/// A context with lists that are followed, and a sibling that changes, deletes and saves beside it.
struct TableWork {
    private(set) var log: [String] = []
    private var generator: SeededGenerator
    private let container: PersistentContainer
    private let main: ManagedObjectContext
    private let sibling: ManagedObjectContext
    private var lists: [(name: String, faults: (Bool) throws -> [String])] = []
    /// What somebody holds stays in memory, so that it must follow.
    private var held: Set<ManagedObject> = []
    private var number = 0

    private static let policies: [MergePolicy] = [
        .error, .objectTrump, .storeTrump, .overwrite, .rollback,
    ]

    init(_ container: PersistentContainer, seed: UInt64) throws {
        generator = SeededGenerator(seed: seed)
        self.container = container
        main = container.newContext()
        main.automaticallyMergesChangesFromParent = true
        main.mergePolicy = Self.policies.randomElement(using: &generator) ?? .error
        sibling = container.newContext()
        sibling.automaticallyMergesChangesFromParent = true
        sibling.mergePolicy = .objectTrump
        log.append("policy \(main.mergePolicy)")
        for _ in 0..<2 { insertCategory(into: main) }
        for _ in 0..<4 { try insertProduct(into: main) }
        try main.save()
        main.undoManager = ContextUndoManager()
        try makeLists()
    }

    // MARK: Lists

    /// Three lists out of all kinds.
    private mutating func makeLists() throws {
        let byTitle = Product.fetchRequest().sorted(by: Product.title)
        let byCategory = Product.fetchRequest()
            .sorted(by: Product.category.name.descending, Product.stock.ascending)
        let requests: [(String, FetchRequest<Product>, Bool)] = [
            ("all", byTitle, false),
            ("in sections", byTitle, true),
            ("in sections, by others", byCategory, true),
            ("by others", byCategory, false),
            ("of a category", byTitle.filter(Product.category.name < "c"), false),
            ("of a category, in sections", byTitle.filter(Product.category.isBrand == true), true),
            ("without a category", byTitle.filter(Product.category == nil), false),
            ("in stock, in sections", byTitle.filter(Product.stock > 2), true),
            ("of full categories", byTitle.filter(Product.category.products.count > 1), true),
        ]
        for _ in 0..<2 {
            let place = Int.random(in: 0..<requests.count, using: &generator)
            var (title, request, isSectioned) = requests[place]
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: (request, title) = (request.limit(3), title + ", limited")
            case 1: (request, title) = (request.offset(1), title + ", without the first")
            case 2: (request, title) = (request.offset(1).limit(2), title + ", a window")
            case 3, 4:
                request.batchSize = Int.random(in: 1...3, using: &generator)
                title += ", in batches of \(request.batchSize)"
            default: break
            }
            let main = main
            let found = request
            let contents = TableContents<Product> {
                "\($0.title) \($0.stock) \($0.category?.objectID.key ?? 0)"
            }
            let consumers = try TableConsumers(contents) {
                isSectioned
                    ? FetchedResultsController(
                        found, in: main, sectionedBy: Product.category.name)
                    : FetchedResultsController(found, in: main)
            }
            lists.append((title, consumers.faults))
        }
        let categories = try TableConsumers(
            TableContents<ShopModel.Category> { "\($0.name) \($0.products.count)" }
        ) { [main] in
            FetchedResultsController(
                ShopModel.Category.listed, in: main, sectionedBy: ShopModel.Category.isBrand)
        }
        lists.append(("categories", categories.faults))
        log.append("lists: \(lists.map(\.name))")
    }

    // MARK: Steps

    /// - Returns: What is wrong afterwards.
    mutating func run(_ step: UInt64) throws -> [String] {
        generator = SeededGenerator(seed: step)
        var faults: [String] = []
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            do {
                try act()
            } catch {
                log[log.count - 1] += ": \(error)"
                if !isExpected(error) { faults.append("\(error)") }
                main.rollback()
                sibling.rollback()
            }
        }
        _ = try main.count(for: Product.fetchRequest())  // merges and processes
        let looks = generator.chance(0.3)
        for list in lists {
            faults += try list.faults(looks).map { "the list \(list.name): \($0)" }
        }
        faults += main.invariantFaults() + sibling.invariantFaults(isMerged: false)
        return faults + linkFaults()
    }

    /// Conflicts are what policies are for, and the shop's categories deny their deletion.
    private func isExpected(_ error: any Error) -> Bool {
        switch error {
        case is ConflictError: main.mergePolicy.strategy == nil
        case let error as ValidationError: error.code == .deleteDenied
        case let errors as ValidationErrors: errors.errors.allSatisfy { $0.code == .deleteDenied }
        default: false
        }
    }

    /// Nothing leads to a row that is known to be deleted.
    private func linkFaults() -> [String] {
        main.registeredObjects.compactMap { $0 as? Product }.filter { !$0.isDeleted }
            .compactMap { product in
                guard let category = product.category, category.managedObjectContext == nil
                else { return nil }
                return "\(product) leads to \(category)"
            }
    }

    private mutating func act() throws {
        switch Int.random(in: 0..<32, using: &generator) {
        case 0..<5: try change(main)
        case 5..<11: try change(sibling)
        case 11..<14: try move(in: main)
        case 14, 15: try rename(in: main)
        case 16, 17: undo()
        case 18: redo()
        case 19, 20: try refresh()
        case 21: endEvent()
        case 22: try delete(by: sibling)
        case 23: try save(main)
        case 24, 25: try save(sibling)
        case 26: roll(main)
        case 27: hold()
        case 28: refreshAll()
        default: try mix()
        }
    }

    /// A link that is not saved, its destination deleted beside it, then something that takes back
    /// or reads again: what random steps meet rarely.
    private mutating func mix() throws {
        log.append("mix:")
        try move(in: main)
        if generator.chance(0.7) { endEvent() }
        if generator.chance(0.5) { try rename(in: main) }
        if generator.chance(0.5) { endEvent() }
        try delete(by: sibling)
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: undo()
            case 1: redo()
            case 2: try refresh()
            case 3: try save(sibling)
            case 4: try save(main)
            default: endEvent()
            }
        }
        try save(sibling)
        if generator.chance(0.5) { undo() }
        if generator.chance(0.3) { redo() }
    }

    private mutating func change(_ context: ManagedObjectContext) throws {
        log.append(context === main ? "main:" : "sibling:")
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: insertCategory(into: context)
        case 1, 2: try insertProduct(into: context)
        case 3, 4: try changeProduct(in: context)
        case 5, 6: try move(in: context)
        case 7: try rename(in: context)
        case 8: try deleteProduct(in: context)
        default: try delete(by: context)
        }
    }

    private mutating func note(_ text: String, _ context: ManagedObjectContext) {
        log.append("  \(context === main ? "main" : "sibling") \(text)")
    }

    private mutating func pick<Entity: ManagedObject>(
        _ request: FetchRequest<Entity>, in context: ManagedObjectContext
    ) throws -> Entity? {
        try context.fetch(request).sorted { $0.objectID.key < $1.objectID.key }
            .randomElement(using: &generator)
    }

    private mutating func anyName() -> String {
        ["a", "A", "b", "c", "d", "é"].randomElement(using: &generator) ?? "a"
    }

    private mutating func insertCategory(into context: ManagedObjectContext) {
        number += 1
        let category = ShopModel.Category(in: context, name: anyName())
        category.isBrand = generator.chance(0.5)
        category.created = Date(timeIntervalSinceReferenceDate: Double(number))
        note("inserts \(category.objectID) \(category.name)", context)
    }

    private mutating func insertProduct(into context: ManagedObjectContext) throws {
        number += 1
        let product = Product(in: context, sku: "AB-\(number)", kind: .toy, price: 1)
        product.title = anyName()
        product.stock = Int32.random(in: 0..<5, using: &generator)
        if generator.chance(0.8) {
            product.category = try pick(ShopModel.Category.fetchRequest(), in: context)
        }
        note("inserts \(product.objectID) \(product.title) \(place(product))", context)
    }

    private mutating func changeProduct(in context: ManagedObjectContext) throws {
        guard let product = try pick(Product.fetchRequest(), in: context) else { return }
        if generator.chance(0.5) {
            product.title = anyName()
        } else {
            product.stock = Int32.random(in: 0..<5, using: &generator)
        }
        note("changes \(product.objectID): \(product.title) \(product.stock)", context)
    }

    private mutating func move(in context: ManagedObjectContext) throws {
        guard let product = try pick(Product.fetchRequest(), in: context) else { return }
        product.category =
            generator.chance(0.1)
            ? nil : try pick(ShopModel.Category.fetchRequest(), in: context)
        note("moves \(product.objectID) to \(place(product))", context)
    }

    private func place(_ product: Product) -> String {
        product.category.map { "\($0.objectID) \($0.name)" } ?? "none"
    }

    private mutating func rename(in context: ManagedObjectContext) throws {
        guard let category = try pick(ShopModel.Category.fetchRequest(), in: context) else {
            return
        }
        if generator.chance(0.8) {
            category.name = anyName()
        } else {
            category.isBrand.toggle()
        }
        note("changes \(category.objectID): \(category.name) \(category.isBrand)", context)
    }

    private mutating func deleteProduct(in context: ManagedObjectContext) throws {
        guard let product = try pick(Product.fetchRequest(), in: context) else { return }
        note("deletes \(product.objectID)", context)
        context.delete(product)
    }

    /// Deletes a category; its products leave it first.
    private mutating func delete(by context: ManagedObjectContext) throws {
        guard let category = try pick(ShopModel.Category.fetchRequest(), in: context) else {
            return
        }
        for product in category.products { product.category = nil }
        note("deletes \(category.objectID)", context)
        context.delete(category)
        if context === sibling, generator.chance(0.7) { try save(sibling) }
    }

    // MARK: Events

    private mutating func endEvent() {
        note("ends the event", main)
        main.processPendingChanges()
    }

    private mutating func undo() {
        note("undoes", main)
        main.undo()
    }

    private mutating func redo() {
        note("redoes", main)
        main.redo()
    }

    private mutating func refresh() throws {
        let object: ManagedObject? =
            generator.chance(0.5)
            ? try pick(Product.fetchRequest(), in: main)
            : try pick(ShopModel.Category.fetchRequest(), in: main)
        guard let object else { return }
        let merges = generator.chance(0.4)
        note("refreshes \(object.objectID), merging \(merges)", main)
        main.refresh(object, mergeChanges: merges)
    }

    private mutating func refreshAll() {
        note("refreshes all", main)
        main.refreshAllObjects()
    }

    private mutating func hold() {
        held = generator.chance(0.5) ? main.registeredObjects : []
    }

    private mutating func roll(_ context: ManagedObjectContext) {
        note("rolls back", context)
        context.rollback()
    }

    private mutating func save(_ context: ManagedObjectContext) throws {
        note("saves", context)
        try context.save()
    }
}
