import Cambium
import Foundation

// What the blocks of Swift in the pages use and do not declare. Nothing of it runs.

let container: PersistentContainer = some()
let model: CompiledModel = Shop.model
let path = "shop.sqlite"
let url = "postgresql://localhost/shop"
let limit: Decimal = 20
let prefix = "a"
/// A store that Core Data wrote.
let oldStore = URL(filePath: "Shop.old.sqlite")
let id: ObjectID = some()

@MainActor var context: ManagedObjectContext { some() }
@MainActor var coordinator: PersistentStoreCoordinator { container.coordinator }
@MainActor var product: Product { some() }
@MainActor var products: [Product] { some() }
@MainActor var category: Category { some() }
@MainActor var categories: [Category] { some() }
@MainActor var books: Category { some() }
@MainActor var tag: Tag { some() }
@MainActor var order: Order { some() }
@MainActor var price: Price { some() }
@MainActor var show: Show { some() }

extension Shop {
    /// What the compiler writes if it is asked to.
    static var earlierVersions: [Model] { some() }
}

/// A value of any type that only the compiler looks at.
func some<Value>() -> Value { fatalError() }
