import Cambium
import EverythingModel
import Foundation
import ShopModel
import Testing

struct PredicateMacroTests {
    /// What a predicate finds, in memory, in the store, and by Foundation's own evaluation.
    private func skus(_ predicate: Predicate<Product>) throws -> [String] {
        var results: [[String]] = []
        let condition = try Condition(predicate)
        try withPredicateShops { shop in
            let found = try shop.skus(condition)
            let others = try shop.skus(!condition)
            #expect(Set(found).isDisjoint(with: others))
            #expect(found.count + others.count == 6)
            let all = try shop.context.fetch(Product.fetchRequest().sorted(by: Product.sku))
            #expect(try all.filter { try predicate.evaluate($0) }.map(\.sku) == found)
            results.append(found)
        }
        #expect(results[0] == results[1])
        return results[0]
    }

    private func names(_ predicate: Predicate<ShopModel.Category>) throws -> [String] {
        var found: [String] = []
        try withPredicateShops { shop in
            found = try shop.names(Condition(predicate))
            let all = try shop.context.fetch(
                Category.fetchRequest().sorted(by: ShopModel.Category.name))
            #expect(try all.filter { try predicate.evaluate($0) }.map(\.name) == found)
        }
        return found
    }

    @Test func `comparisons, logic and captured values`() throws {
        let (limit, kind, title): (Decimal, Kind, String?) = (20, .toy, nil)
        try #expect(skus(#Predicate { $0.price < limit }) == ["BO-1", "TO-0", "XX-0"])
        try #expect(skus(#Predicate { $0.price <= 20 && $0.stock >= 2 }) == ["BO-2", "TO-0"])
        try #expect(skus(#Predicate { $0.kind == kind || $0.price == 5 }).count == 3)
        try #expect(skus(#Predicate { !($0.kind != kind) }) == ["TO-0", "TO-1"])
        try #expect(skus(#Predicate { $0.title == title ?? "bear" }) == ["TO-0"])
        try #expect(skus(#Predicate { _ in true }).count == 6)
    }

    @Test func `arithmetic and choices`() throws {
        try #expect(skus(#Predicate { $0.price * 2 + 1 > 60 }) == ["BO-0", "TO-1"])
        try #expect(skus(#Predicate { $0.stock % 2 == 1 }) == ["BO-1"])
        try #expect(skus(#Predicate { $0.stock / 2 == 5 }) == ["TO-0"])
        try #expect(skus(#Predicate { -$0.stock < -5 }) == ["TO-0"])
        try #expect(skus(#Predicate { $0.stock > 0 ? $0.price < 20 : $0.price > 35 }).count == 3)
    }

    @Test func `optionals`() throws {
        try #expect(skus(#Predicate { $0.salePrice == nil }).count == 5)
        try #expect(skus(#Predicate { $0.salePrice == 5 }) == ["TO-0"])
        try #expect(skus(#Predicate { ($0.salePrice ?? $0.price) < 10 }) == ["TO-0", "XX-0"])
        try #expect(skus(#Predicate { $0.category == nil }) == ["XX-0"])
        try #expect(skus(#Predicate { $0.category?.name == "Books" }).count == 3)
        try #expect(skus(#Predicate { $0.category?.name != "Books" }).count == 3)
        try #expect(skus(#Predicate { $0.category?.isBrand ?? true }).count == 3)
        try #expect(skus(#Predicate { $0.category?.name.contains("oo") == true }).count == 3)
        try #expect(skus(#Predicate { $0.category?.name.contains("oo") ?? true }).count == 4)
        try #expect(skus(#Predicate { $0.category?.name.contains("oo") == nil }) == ["XX-0"])
        try #expect(
            skus(#Predicate { $0.salePrice.flatMap { $0 > 3 } ?? false }) == ["TO-0"])
        try #expect(
            skus(
                #Predicate { product in
                    if let category = product.category { category.isBrand } else { true }
                }
            ).count == 3)
        try #expect(
            skus(#Predicate { $0.category != nil && $0.category!.name == "Toys" }).count == 2)
    }

    @Test func `strings, ranges and lists`() throws {
        let (list, range): ([String], ClosedRange<Decimal>) = (["TO-0", "XX-0"], 10...20)
        let regex = #/o+k/#
        try #expect(skus(#Predicate { $0.title.contains("ook") }).count == 3)
        try #expect(skus(#Predicate { $0.title.starts(with: "Book") }).count == 3)
        try #expect(skus(#Predicate { $0.title.contains(regex) }).count == 3)
        try #expect(skus(#Predicate { $0.title.isEmpty }).isEmpty)
        try #expect(skus(#Predicate { $0.title.count == 4 }) == ["TO-0"])
        try #expect(skus(#Predicate { list.contains($0.sku) }) == list)
        try #expect(skus(#Predicate { product in list.contains { product.sku == $0 } }) == list)
        try #expect(skus(#Predicate { range.contains($0.price) }).count == 3)
        try #expect(skus(#Predicate { (1..<10).contains($0.stock) }) == ["BO-1", "BO-2"])
        try #expect(skus(#Predicate { list.isEmpty || $0.sku == "TO-1" }) == ["TO-1"])
    }

    @Test func `related objects`() throws {
        try #expect(names(#Predicate { $0.products.isEmpty }) == ["Empty"])
        try #expect(names(#Predicate { $0.products.count > 2 }) == ["Books"])
        try #expect(names(#Predicate { $0.products.contains { $0.price > 30 } }) == ["Toys"])
        try #expect(
            names(#Predicate { $0.products.allSatisfy { $0.stock < 5 } }) == ["Books", "Empty"])
        try #expect(
            names(#Predicate { $0.products.filter { $0.price < 25 }.count == 2 }) == ["Books"])
        try #expect(
            names(
                #Predicate { category in
                    category.products.contains { $0.title.contains("o") && $0.sku != category.name }
                }) == ["Books", "Toys"])
        try #expect(skus(#Predicate { ($0.category?.products.count ?? 0) == 2 }).count == 2)
    }

    @Test func `classes of a hierarchy`() throws {
        let container = try PersistentContainer(model: Everything.model, at: .temporary)
        let context = container.newContext()
        for (index, name) in ["a", "b", "c"].enumerated() {
            let person = EverythingModel.Person(in: context, name: name)
            person.age = Int16(index)
            _ = Robot(in: context, name: name + "1", serial: name)
        }
        let predicates: [(Predicate<Being>, [String])] = [
            (#Predicate { $0 is EverythingModel.Person }, ["a", "b", "c"]),
            (#Predicate { $0 is Robot && $0.name != "b1" }, ["a1", "c1"]),
        ]
        for isSaved in [false, true] {
            for (predicate, names) in predicates {
                let request = try FetchRequest<Being>().filter(predicate)
                let found = try context.fetch(request).map(\.name).sorted()
                #expect(found == names)
                let all = try context.fetch(FetchRequest<Being>())
                #expect(try all.filter { try predicate.evaluate($0) }.map(\.name).sorted() == names)
            }
            if !isSaved { try context.save() }
        }
        #expect(throws: UnsupportedPredicateError.self) {
            try Condition<Being>(#Predicate { ($0 as? Robot)?.serial == "a" })
        }
    }

    @Test func `ids`() throws {
        try withPredicateShops { shop in
            let books = try #require(
                shop.context.fetch(Category.fetchRequest().filter(format: "name == 'Books'")).first)
            let ids = books.products.map(\.objectID)
            let id = books.objectID
            try #expect(
                shop.skus(Condition(#Predicate { ids.contains($0.objectID) })).count == 3)
            try #expect(
                shop.skus(Condition(#Predicate { $0.category?.objectID == id })).count == 3)
        }
    }

    @Test func `it runs as a request and prints`() throws {
        let request = try Product.fetchRequest().filter(#Predicate { $0.category?.name == "a" })
        #expect(request.description == "Product where category.name == 'a'")
    }

    @Test func `what a store cannot do is an error that names it`() throws {
        let error = try #require(throws: UnsupportedPredicateError.self) {
            try Condition<Product>(#Predicate { $0.shelf == "A" })
        }
        #expect(error.reason.contains("not a property of the entity Product"))
        #expect(throws: UnsupportedPredicateError.self) {
            try Condition<Product>(#Predicate { $0.kind.rawValue == "book" })
        }
        #expect(throws: UnsupportedPredicateError.self) {
            try Condition<Product>(#Predicate { $0.title.utf8.count == 3 })
        }
        #expect(throws: UnsupportedPredicateError.self) {
            try Condition<Product>(#Predicate { $0.isInserted })
        }
    }
}

extension Product {
    /// Computed: the store does not know it.
    var shelf: String { String(title.prefix(1)) }
}
