import Cambium
import ShopModel
import Testing

struct SmokeTests {
    @Test func `a saved object is found again`() throws {
        let container = try PersistentContainer(model: Shop.model, at: .memory)
        let context = container.newContext()
        let books = Category(in: context, name: "Books")
        _ = Product(in: context, sku: "AB-12", kind: .book, price: 12, category: books)
        try context.save()
        let other = container.newContext()
        let found = try other.fetch(
            Product.fetchRequest().filter(Product.price < 20 && Product.category.name == "Books"))
        #expect(found.map(\.sku) == ["AB-12"])
        #expect(found.first?.category?.name == "Books")
    }
}
