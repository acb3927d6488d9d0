import Cambium
import EverythingModel
import Foundation
import ShopModel
import Testing

struct FetchTests {
    /// A shop of two categories and six products, saved, and a context that has read nothing.
    private func withShop(
        on kind: StoreKind = .memory, _ body: (ManagedObjectContext) throws -> Void
    ) throws {
        try withContainer(Shop.model, on: kind) { container in
            let context = container.newContext()
            let books = Category(in: context, name: "Books")
            let toys = Category(in: context, name: "Toys", isBrand: true)
            for (index, price) in [30, 10, 20].enumerated() {
                _ = Product(
                    in: context, sku: "BO-\(index)", title: "Book \(index)", kind: .book,
                    price: Decimal(price), stock: Int32(index), category: books)
            }
            _ = Product(
                in: context, sku: "TO-0", title: "bear", kind: .toy, price: 10, salePrice: 5,
                stock: 10, category: toys)
            _ = Product(in: context, sku: "TO-1", kind: .toy, price: 40, category: toys)
            _ = Product(in: context, sku: "XX-0", title: "Ärmel", kind: .garment, price: 5)
            try context.save()
            try body(container.newContext())
        }
    }

    private func skus(
        _ context: ManagedObjectContext, _ request: FetchRequest<Product>
    ) throws -> [String] {
        let found = try context.fetch(request).map(\.sku)
        #expect(try context.count(for: request) == found.count)
        return found
    }

    @Test(arguments: StoreKind.allCases)
    func `a condition selects objects`(_ kind: StoreKind) throws {
        try withShop(on: kind) { context in
            let request = Product.fetchRequest().sorted(by: Product.sku)
            func found(_ condition: Condition<Product>) throws -> [String] {
                try skus(context, request.filter(condition))
            }
            try #expect(found(Product.price < 20) == ["BO-1", "TO-0", "XX-0"])
            try #expect(found(Product.kind == .toy && Product.price > 10) == ["TO-1"])
            try #expect(found(Product.category == nil) == ["XX-0"])
            try #expect(found(Product.category.name == "Toys") == ["TO-0", "TO-1"])
            try #expect(found(Product.category.isBrand != true).count == 4)
            try #expect(found(Product.salePrice == nil).count == 5)
            try #expect(found(!(Product.salePrice < 10)).count == 5)
            try #expect(found(Product.title.hasPrefix("b")) == ["TO-0"])
            try #expect(found(Product.title.hasPrefix("b", .caseInsensitive)).count == 4)
            try #expect(found(Product.title.contains("oo")).count == 3)
            try #expect(found(Product.price.between(10...20)).count == 3)
            try #expect(found(Product.stock.in([0, 10])).count == 4)
            try #expect(found(Product.salePrice < Product.price) == ["TO-0"])
        }
    }

    @Test func `a condition looks through to-many relationships`() throws {
        try withShop { context in
            func names(_ condition: Condition<ShopModel.Category>) throws -> [String] {
                try context.fetch(
                    ShopModel.Category.fetchRequest().filter(condition)
                        .sorted(by: ShopModel.Category.name)
                ).map(\.name)
            }
            try #expect(names(Category.products.count > 2) == ["Books"])
            try #expect(names(Category.products.any(Product.price > 30)) == ["Toys"])
            try #expect(names(Category.products.all(Product.kind == .book)) == ["Books"])
            try #expect(names(Category.products.none(Product.stock == 10)) == ["Books"])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `objects come in the order that was asked for`(_ kind: StoreKind) throws {
        try withShop(on: kind) { context in
            let request = Product.fetchRequest()
            try #expect(
                skus(
                    context, request.sorted(by: Product.price.descending, Product.sku.ascending))
                    == ["TO-1", "BO-0", "BO-2", "BO-1", "TO-0", "XX-0"])
            // Nil before any value; text by its bytes.
            try #expect(
                skus(context, request.sorted(by: Product.category.name.ascending)).first
                    == "XX-0")
            try #expect(
                skus(context, request.sorted(by: Product.title.ascending)).suffix(3)
                    == ["TO-1", "TO-0", "XX-0"])
        }
    }

    @Test(arguments: [(0, 2), (2, 2), (4, 10), (6, 1), (10, 1), (0, 0)])
    func `limit and offset cut a window out of the order`(_ offset: Int, _ limit: Int) throws {
        try withShop { context in
            let request = Product.fetchRequest().sorted(by: Product.sku)
            let all = try skus(context, request)
            let window = try skus(context, request.offset(offset).limit(limit))
            #expect(window == Array(all.dropFirst(offset).prefix(limit)))
        }
    }

    @Test func `a negative limit is an error`() throws {
        try withShop { context in
            let error = #expect(throws: StoreError.self) {
                try context.fetch(Product.fetchRequest().limit(-1))
            }
            #expect(error?.code == .invalidRequest)
        }
    }

    @Test func `a template of the model is fetched by its name`() throws {
        try withShop { context in
            try #expect(skus(context, Product.cheaper(limit: 25)) == ["BO-1", "TO-0", "BO-2"])
            try #expect(skus(context, Product.cheaper(limit: 5)).isEmpty)
        }
    }

    @Test func `a condition in text takes arguments`() throws {
        try withShop { context in
            let request = Product.fetchRequest().sorted(by: Product.sku)
            try #expect(
                skus(
                    context,
                    request.filter(
                        format: "price < %@ AND stock > %@", Decimal(25), 0))
                    == ["BO-1", "BO-2", "TO-0"])
            try #expect(
                skus(
                    context,
                    request.filter(
                        format: "title BEGINSWITH[c] %@ OR category.name == 'Toys'",
                        "BOOK"))
                    == ["BO-0", "BO-1", "BO-2", "TO-0", "TO-1"])
        }
    }

    @Test func `an argument is a value and never text of the condition`() throws {
        try withShop { context in
            let request = Product.fetchRequest()
                .filter(
                    format: "title == %@", "x' OR TRUEPREDICATE OR title == 'x")
            try #expect(skus(context, request).isEmpty)
        }
    }

    @Test(arguments: ["pirce < 5", "price <", "price < 'x'", "ANY price == 1", ""])
    func `a condition in text that does not fit the model is an error`(_ text: String) throws {
        try withShop { context in
            #expect(throws: (any Error).self) {
                try context.fetch(Product.fetchRequest().filter(format: text))
            }
        }
    }

    @Test func `an unknown entity is an error`() throws {
        try withShop { context in
            let error = #expect(throws: StoreError.self) {
                try context.fetch(FetchRequest<ManagedObject>(entityName: "Nothing"))
            }
            #expect(error?.code == .unknownName)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `an entity's objects are those of its sub-entities too`(_ kind: StoreKind) throws {
        try withContainer(Everything.model, on: kind) { container in
            let context = container.newContext()
            _ = Person(in: context, name: "Ada")
            _ = Robot(in: context, name: "Marvin", serial: "1")
            try context.save()
            let reader = container.newContext()
            var request = Being.fetchRequest().sorted(by: Being.name)
            #expect(try reader.fetch(request).map { $0 is Person } == [true, false])
            #expect(try reader.fetch(Robot.fetchRequest()).map(\.name) == ["Marvin"])
            request.includesSubentities = false
            #expect(try reader.fetch(request).isEmpty)
            #expect(try reader.count(for: request) == 0)
        }
    }
}
