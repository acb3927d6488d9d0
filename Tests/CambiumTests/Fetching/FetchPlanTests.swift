import Cambium
import EverythingModel
import ShopModel
import Testing

struct FetchPlanTests {
    @Test func `a request tells its statement and how the rows are found`() throws {
        try withContainer(Shop.model, on: .lasting) { container in
            let context = container.newContext()
            let found = try Product.fetchRequest().filter(Product.sku == "AB-1").explain(
                in: context)
            #expect(found.sql?.contains("WHERE") == true)
            let words = StoreKind.isSQLite ? "USING INDEX" : "Index Scan using"
            #expect(found.steps.contains { $0.contains(words) }, "\(found)")
            #expect(!found.scansTable)
            let scan = try Product.fetchRequest().filter(Product.title == "x").explain(in: context)
            #expect(scan.scansTable, "\(scan)")
            let groups = try Product.fetchRequest().select(Product.kind, Product.price.sum)
                .grouped(by: Product.kind).explain(in: context.newChildContext())
            #expect(groups.sql?.contains("GROUP BY") == true)
        }
    }

    @Test func `a store without statements says so`() throws {
        try withContainer(Everything.model, on: .dictionary) { container in
            let plan = try Node.fetchRequest().explain(in: container.newContext())
            #expect(plan.sql == nil)
            #expect(plan.scansTable)
        }
    }
}
