import Cambium
import EverythingModel
import ShopModel
import Testing

struct BooleanConditionTests {
    @Test func `a Boolean is a condition by itself`() throws {
        try withPredicateShops { shop in
            let isOfBrand = Product.category.isBrand
            func skus(_ request: FetchRequest<Product>) throws -> [String] {
                try shop.context.fetch(request.sorted(by: Product.sku)).map(\.sku)
            }
            let all = Product.fetchRequest()
            #expect(try skus(all.filter(isOfBrand)) == ["TO-0", "TO-1"])
            #expect(
                try shop.context.fetch(
                    all.select(Product.sku.required).filter(isOfBrand).sorted(by: Product.sku))
                    == ["TO-0", "TO-1"])
            // Nil is not true: the last product has no category.
            #expect(try skus(all.filter(!isOfBrand)) == ["BO-0", "BO-1", "BO-2", "XX-0"])
            #expect(try shop.skus(isOfBrand && Product.price > 10) == ["TO-1"])
            #expect(try shop.skus(Product.price > 10 && isOfBrand) == ["TO-1"])
            #expect(try shop.skus(isOfBrand || Product.price < 10) == ["TO-0", "TO-1", "XX-0"])
            #expect(try shop.skus(Product.price < 10 || isOfBrand) == ["TO-0", "TO-1", "XX-0"])
            #expect(try shop.names(Category.isBrand && !Category.isBrand) == [])
            #expect(try shop.names(Condition(Category.isBrand)) == ["Toys"])
            let categories = try shop.context.fetch(Category.fetchRequest().filter(.true))
            #expect(try categories.filter(Category.isBrand).map(\.name) == ["Toys"])
            #expect(categories.count == 3)
        }
    }

    @Test func `two Booleans are combined`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            for flag in [true, false] { Sample(in: context).flag = flag }
            let flag = Sample.flag
            let counts = try [flag && flag, flag || flag, !flag || flag].map {
                try context.count(for: Sample.fetchRequest().filter($0))
            }
            #expect(counts == [1, 1, 2])
        }
    }
}
