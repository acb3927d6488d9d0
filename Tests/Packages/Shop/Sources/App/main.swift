import Cambium

let container = try PersistentContainer(model: Shop.model, at: .memory)
let context = container.viewContext
let books = Category(in: context, name: "Books")
_ = Product(in: context, sku: "AB-1", price: 12, category: books)
_ = Product(in: context, sku: "AB-2", price: 40, category: books)
try context.save()

let request = Product.fetchRequest()
    .filter(Product.price < 20)
    .sorted(by: Product.title)
for product in try context.fetch(request) {
    print(product.sku, product.title, product.category?.name ?? "none")
}
