import Cambium
import CambiumEngineSpecification
import EverythingModel
import Foundation
import ShopModel
import Testing

struct FetchTests {
    @Test func `a negative limit is an error`() throws {
        try StoreKind.current.withShop { context in
            let error = #expect(throws: StoreError.self) {
                try context.fetch(Product.fetchRequest().limit(-1))
            }
            #expect(error?.code == .invalidRequest)
        }
    }

    @Test func `a template of the model is fetched by its name`() throws {
        try StoreKind.current.withShop { context in
            try #expect(skus(context, Product.cheaper(limit: 25)) == ["BO-1", "TO-0", "BO-2"])
            try #expect(skus(context, Product.cheaper(limit: 5)).isEmpty)
        }
    }

    @Test func `a condition in text takes arguments`() throws {
        try StoreKind.current.withShop { context in
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

    @Test(arguments: ["pirce < 5", "price <", "price < 'x'", "ANY price == 1", ""])
    func `a condition in text that does not fit the model is an error`(_ text: String) throws {
        try StoreKind.current.withShop { context in
            #expect(throws: (any Error).self) {
                try context.fetch(Product.fetchRequest().filter(format: text))
            }
        }
    }

    @Test func `an unknown entity is an error`() throws {
        try StoreKind.current.withShop { context in
            let error = #expect(throws: StoreError.self) {
                try context.fetch(FetchRequest<ManagedObject>(entityName: "Nothing"))
            }
            #expect(error?.code == .unknownName)
        }
    }
}
