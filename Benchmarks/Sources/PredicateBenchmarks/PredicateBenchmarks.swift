import Cambium
import Foundation

/// Measures the time for one object when a condition is evaluated in memory. It compares Cambium's
/// condition, Foundation's evaluation of `#Predicate` and a Swift closure, in one process with the
/// same objects.
@main
enum PredicateBenchmarks {
    static let objects = 100_000
    static let rounds = 7

    static func main() throws {
        #if DEBUG
            print("Times of a debug build say nothing. Use -c release.")
            exit(64)
        #else
            try run()
        #endif
    }

    static func run() throws {
        let container = try PersistentContainer(model: Goods.model, at: .memory)
        let context = container.newContext()
        let categories = ["Books", "Toys", "Garments", "Tools"].map {
            Category(in: context, name: $0)
        }
        for number in 0..<objects {
            let product = Product(
                in: context, title: "Product \(number)", price: Decimal(number % 40),
                stock: Int32(number % 7))
            product.category = number % 5 == 4 ? nil : categories[number % 5]
        }
        try context.save()
        // The objects are read here, because a fault would add the time of the store.
        let products = try context.fetch(Product.fetchRequest())

        let predicate = #Predicate<Product> { $0.price < 20 && $0.category?.name == "Books" }
        let keys = Product.price < 20 && Product.category.name == "Books"
        let own = Product.stock > 3 && Product.title.hasPrefix("Product 1")
        var found: [String: Int] = [:]
        var times: [String: [Double]] = [:]
        func measure(_ name: String, _ body: () throws -> Int) rethrows {
            let clock = ContinuousClock()
            let start = clock.now
            found[name] = try body()
            let nanoseconds = Double((clock.now - start) / .nanoseconds(1))
            times[name, default: []].append(nanoseconds / Double(products.count))
        }
        for _ in 0..<rounds {
            try measure("price < 20 && category.name == 'Books'") {
                try products.filter(keys).count
            }
            try measure("the same as #Predicate, lowered") {
                try products.filter(Condition(predicate)).count
            }
            try measure("the same by Foundation's evaluate") {
                try products.count { try predicate.evaluate($0) }
            }
            measure("the same as a closure") {
                products.count { $0.price < 20 && $0.category?.name == "Books" }
            }
            try measure("stock > 3 && title BEGINSWITH 'Product 1'") {
                try products.filter(own).count
            }
        }
        for (name, values) in times.sorted(by: { $0.key < $1.key }) {
            let median = values.sorted()[values.count / 2]
            let text = String(format: "%8.1f ns/object  %@", median, name)
            print(text, "(\(found[name] ?? 0) found)")
        }
    }
}
