import Cambium
import Foundation

let file = FileManager.default.temporaryDirectory
    .appendingPathComponent("\(UUID().uuidString).sqlite")
let container = try PersistentContainer(model: Old_Shop.model, at: .file(file.path))
try await container.performBackgroundTask { context in
    let ada = Customer(in: context, name: "Ada")
    ada.city = "London"
    _ = Order(in: context, number: 7, customer: ada)
    try context.save()
}
try await container.performBackgroundTask { context in
    for order in try context.fetch(Order.fetchRequest().filter(Order.customer.city == "London")) {
        print(order.number, order.customer?.name ?? "")
    }
}
