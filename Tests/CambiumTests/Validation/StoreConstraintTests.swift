import Cambium
import CambiumSQLite
import EverythingModel
import ShopModel
import Testing

/// What the store refuses comes as the same error as a failed validation.
struct StoreConstraintTests {
    @Test(arguments: StoreKind.allCases)
    func `a unique value that the store has is refused`(_ kind: StoreKind) throws {
        try withContainer(Everything.model, on: kind) { container in
            let context = container.newContext()
            _ = Robot(in: context, name: "One", serial: "1")
            try context.save()
            let other = container.newContext()
            _ = Robot(in: other, name: "Two", serial: "1")
            let error = #expect(throws: ConstraintConflictError.self) { try other.save() }
            #expect(error?.coreDataCode == 133021)
            #expect(error?.conflicts.map(\.constraint) == [["serial"]])
        }
    }

    @Test func `a unique value twice in one save is refused`() throws {
        try withContainer(Shop.model) { container in
            let context = container.newContext()
            _ = Product(in: context, sku: "AB-1", kind: .toy, price: 1)
            _ = Product(in: context, sku: "AB-1", kind: .toy, price: 2)
            let error = #expect(throws: ConstraintConflictError.self) { try context.save() }
            #expect(error?.conflicts.first?.conflictingObjectIDs.count == 2)
            try #expect(container.newContext().count(for: Product.fetchRequest()) == 0)
        }
    }

    @Test func `nil never collides`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            for _ in 0..<2 { _ = Limited(in: context) }
            try context.save()
            #expect(try context.count(for: Limited.fetchRequest()) == 2)
        }
    }

    @Test func `objects that exchange unique values are saved`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let one = Robot(in: context, name: "One", serial: "1")
            let two = Robot(in: context, name: "Two", serial: "2")
            try context.save()
            (one.serial, two.serial) = ("2", "1")
            try context.save()
            let serials = try container.newContext()
                .fetch(Robot.fetchRequest().sorted(by: Robot.name)).map(\.serial)
            #expect(serials == ["2", "1"])
        }
    }

    @Test func `an outside writer is held to the checks of the schema`() throws {
        try withStoreFile { path in
            let container = try PersistentContainer(model: Shop.model, at: .file(path))
            let context = container.newContext()
            _ = Product(in: context, sku: "AB-1", kind: .toy, price: 10)
            try context.save()
            for change in [
                "price = -1", "stock = -1", "sku = 'A'", "salePrice = 1000", "sku = NULL",
            ] {
                #expect(throws: SQLiteError.self) {
                    try execute("UPDATE Product SET \(change)", in: path)
                }
            }
        }
    }
}
