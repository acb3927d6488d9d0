import Cambium
import Foundation
import ShopModel
import Testing

/// Results that are rows of values. Each test runs with everything saved, and with everything
/// unsaved: the outcome is the same.
struct SelectingTests {
    /// A shop of two categories and six products.
    private func withShop(
        on kind: StoreKind = .memory, isSaved: Bool = true,
        _ body: (ManagedObjectContext) throws -> Void
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
            guard isSaved else { return try body(context) }
            try context.save()
            try body(container.newContext())
        }
    }

    private struct Line: Equatable {
        let sku: String
        let price: Decimal
    }

    @Test(arguments: StoreKind.allCases, [true, false])
    func `selected keys come as a tuple for each object`(
        _ kind: StoreKind, _ isSaved: Bool
    ) throws {
        try withShop(on: kind, isSaved: isSaved) { context in
            let request = Product.fetchRequest().filter(Product.kind == .toy)
                .sorted(by: Product.sku.descending)
                .select(
                    Product.sku, Product.price.required, Product.category.name, Product.kind,
                    Product.salePrice ?? 0)
            let rows = try context.fetch(request)
            #expect(rows.map(\.0) == ["TO-1", "TO-0"])
            #expect(rows.map(\.1) == [40, 10])
            #expect(rows.map(\.2) == ["Toys", "Toys"])
            #expect(rows.map(\.3) == [.toy, .toy])
            #expect(rows.map(\.4) == [0, 5])
        }
    }

    @Test func `a row becomes a struct, and a single column a value`() throws {
        try withShop { context in
            let lines = try context.fetch(
                Product.fetchRequest().sorted(by: Product.sku).limit(1)
                    .select(Product.sku.required, Product.price.required)
                    .map { Line(sku: $0.0, price: $0.1) })
            #expect(lines == [Line(sku: "BO-0", price: 30)])
            let titles = try context.fetch(
                Product.fetchRequest().sorted(by: Product.price).select(Product.sku.required))
            #expect(titles.first == "XX-0")
        }
    }

    @Test(arguments: StoreKind.allCases, [true, false])
    func `groups have aggregates, conditions and an order`(
        _ kind: StoreKind, _ isSaved: Bool
    ) throws {
        try withShop(on: kind, isSaved: isSaved) { context in
            let groups = Product.fetchRequest()
                .select(
                    Product.category.name, Product.objectID.count, Product.price.sum,
                    Product.price.average, Product.title.min, Product.salePrice.max
                )
                .grouped(by: Product.category.name)
            let rows = try context.fetch(groups)
            #expect(rows.map(\.0) == [nil, "Books", "Toys"])
            #expect(rows.map(\.1) == [1, 3, 2])
            #expect(rows.map(\.2) == [5, 60, 50])
            #expect(rows.map(\.3) == [5, 20, 25])
            #expect(rows.map(\.4) == ["Ärmel", "Book 0", "Untitled"])
            #expect(rows.map(\.5) == [nil, nil, 5])

            let rich = try context.fetch(
                groups.having(Product.price.sum >= 50 && Product.objectID.count != 7)
                    .sorted(by: Product.price.sum.ascending))
            #expect(rich.map(\.0) == ["Toys", "Books"])
            let unsold = try context.fetch(groups.having(!(Product.salePrice.max > 1)))
            #expect(unsold.map(\.0) == [nil, "Books"])
            let window = try context.fetch(
                groups.sorted(by: Product.objectID.count.descending).limit(1).offset(1))
            #expect(window.map(\.0) == ["Toys"])
        }
    }

    @Test(arguments: StoreKind.allCases, [true, false])
    func `aggregates without groups are of all objects`(
        _ kind: StoreKind, _ isSaved: Bool
    ) throws {
        try withShop(on: kind, isSaved: isSaved) { context in
            let totals = Product.fetchRequest()
                .select(
                    Product.objectID.count, Product.salePrice.count, Product.stock.sum,
                    Product.price.max)
            let all = try #require(try context.fetch(totals).first)
            #expect(all.0 == 6 && all.1 == 1 && all.2 == 13)
            #expect(all.3 == 40)
            let none = try #require(
                try context.fetch(totals.filter(Product.price > 1000)).first)
            #expect(none.0 == 0 && none.1 == 0 && none.2 == 0)
            #expect(none.3 == nil)
        }
    }

    @Test(arguments: StoreKind.allCases, [true, false])
    func `distinct results appear once, in the order of their columns`(
        _ kind: StoreKind, _ isSaved: Bool
    ) throws {
        try withShop(on: kind, isSaved: isSaved) { context in
            let kinds = Product.fetchRequest().select(Product.kind.required).distinct()
            try #expect(context.fetch(kinds) == [.toy, .book, .garment])
            try #expect(
                context.fetch(kinds.sorted(by: Product.kind.descending).limit(1)) == [.garment])
        }
    }

    @Test(arguments: StoreKind.allCases, [true, false])
    func `objects come as their identities`(_ kind: StoreKind, _ isSaved: Bool) throws {
        try withShop(on: kind, isSaved: isSaved) { context in
            let rows = try context.fetch(
                Product.fetchRequest().sorted(by: Product.sku)
                    .select(Product.objectID, Product.category))
            let products = try context.fetch(Product.fetchRequest().sorted(by: Product.sku))
            #expect(rows.map(\.0) == products.map(\.objectID))
            #expect(rows.map(\.1) == products.map { $0.category?.objectID })
        }
    }

    @Test func `what is required and has no value is an error`() throws {
        try withShop { context in
            let error = #expect(throws: StoreError.self) {
                try context.fetch(Product.fetchRequest().select(Product.salePrice.required))
            }
            #expect(error?.code == .invalidRequest)
            #expect(error?.message.contains("salePrice") == true)
        }
    }

    @Test func `a column that is neither common to its group nor an aggregate is refused`() throws {
        try withShop { context in
            let error = #expect(throws: ExpressionDiagnostics.self) {
                try context.fetch(
                    Product.fetchRequest().select(Product.title, Product.price.sum)
                        .grouped(by: Product.kind))
            }
            #expect(error?.description.contains("title") == true)
        }
    }

    @Test func `distinct results cannot be sorted by what is not selected`() throws {
        try withShop { context in
            #expect(throws: ExpressionDiagnostics.self) {
                try context.fetch(
                    Product.fetchRequest().sorted(by: Product.price).select(Product.kind)
                        .distinct())
            }
        }
    }

    @Test func `a constant that does not fit the aggregate is refused`() throws {
        try withShop { context in
            #expect(throws: ExpressionDiagnostics.self) {
                try context.fetch(
                    Product.fetchRequest().select(Product.kind, Product.price.sum)
                        .grouped(by: Product.kind)
                        .having(Product.price.sum > Decimal(string: "0.0001")!))
            }
        }
    }

    @Test func `a child computes from its parent's objects as they are`() throws {
        try withShop { context in
            let product = try #require(
                try context.fetch(Product.fetchRequest().filter(Product.sku == "XX-0")).first)
            product.price = 7
            let child = context.newChildContext()
            let sum = Product.fetchRequest().select(Product.price.sum)
            try #expect(child.fetch(sum) == [117])
            try #expect(context.fetch(sum) == [117])
        }
    }

    @Test func `without unsaved changes that count the store answers`() throws {
        try withShop { context in
            let products = try context.fetch(Product.fetchRequest())
            for product in products { product.price = 1 }
            var request = Product.fetchRequest()
            request.includesPendingChanges = false
            let sums = try context.fetch(request.select(Product.price.sum))
            #expect(sums == [115])
        }
    }
}
