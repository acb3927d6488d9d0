import Cambium
import Foundation
import ShopModel
import Testing

struct KeyExpressionTests {
    @Test func `keys are compared with each other`() throws {
        try withPredicateShops { shop in
            try #expect(shop.skus(Product.salePrice <= Product.price) == ["TO-0"])
            try #expect(shop.skus(Product.price >= Product.salePrice) == ["TO-0"])
            try #expect(shop.skus(Product.title.hasPrefix(Product.sku)) == ["TO-1"])
            try #expect(shop.skus(Product.title.contains(Product.category.name)) == [])
            try #expect(shop.skus(Product.title == Product.sku) == [])
        }
    }

    @Test func `keys are computed with`() throws {
        try withPredicateShops { shop in
            try #expect(shop.skus(Product.price * 2 > 60) == ["TO-1"])
            try #expect(shop.skus(100 - Product.price == 90) == ["BO-1", "TO-0"])
            try #expect(shop.skus(Product.price - Product.salePrice == 5) == ["TO-0"])
            try #expect(shop.skus(Product.price * Product.stock >= 40) == ["BO-2", "TO-0"])
            try #expect(shop.skus(Product.stock % 2 == 1) == ["BO-1"])
            try #expect(shop.skus((Product.price / 3).magnitude > 10) == ["TO-1"])
            try #expect(
                shop.skus((Product.salePrice ?? Product.price) < 10) == ["TO-0", "XX-0"])
            try #expect(shop.skus((Product.salePrice ?? 100) < 10) == ["TO-0"])
        }
    }

    @Test func `strings are computed with`() throws {
        try withPredicateShops { shop in
            try #expect(shop.skus(Product.title.length == 4) == ["TO-0"])
            try #expect(shop.skus(Product.title.uppercased() == "ÄRMEL") == ["XX-0"])
            try #expect(shop.skus(Product.title.canonical() == "armel") == ["XX-0"])
            try #expect(
                shop.skus(Product.title.lowercased().hasPrefix("book")).count == 3)
            try #expect(shop.skus(Product.sku + "!" == "TO-0!") == ["TO-0"])
            try #expect(shop.skus(Product.sku.matches("T.-[0-9]")) == ["TO-0", "TO-1"])
            try #expect(shop.skus(Product.sku.prefix(2) == "TO") == ["TO-0", "TO-1"])
            try #expect(shop.skus(Product.sku.suffix(1) == "1") == ["BO-1", "TO-1"])
            try #expect(shop.skus(Product.sku.substring(from: 1, length: 2) == "X-") == ["XX-0"])
            try #expect(shop.skus(Product.sku.firstIndex(of: "O-1") == 1) == ["BO-1", "TO-1"])
            try #expect(shop.skus(Product.sku.firstIndex(of: "B") == nil).count == 3)
            try #expect(shop.skus(Product.sku.replacing("-", with: "") == "XX0") == ["XX-0"])
            try #expect(shop.skus((" " + Product.sku + " ").trimmed() == "XX-0") == ["XX-0"])
        }
    }

    @Test func `members are counted and added up`() throws {
        try withPredicateShops { shop in
            try #expect(shop.names(Category.products.price.sum == 60) == ["Books"])
            try #expect(shop.names(Category.products.price.sum == 0) == ["Empty"])
            try #expect(shop.names(Category.products.price.min == 10) == ["Books", "Toys"])
            try #expect(shop.names(Category.products.price.max == nil) == ["Empty"])
            try #expect(shop.names(Category.products.price.average > 20) == ["Toys"])
            try #expect(shop.names(Category.products.salePrice.count == 1) == ["Toys"])
            try #expect(shop.names(Category.products.isEmpty) == ["Empty"])
            let cheap = Category.products.filter(Product.price < 25)
            try #expect(shop.names(cheap.count == 2) == ["Books"])
            try #expect(shop.names(cheap.filter(Product.stock > 1).price.sum == 20) == ["Books"])
            try #expect(shop.names(Category.products.any(Product.price > 30)) == ["Toys"])
            try #expect(shop.names(Category.products.none(Product.price > 30)).count == 2)
            try #expect(
                shop.names(Category.products.all(Product.price > 5 && Product.stock < 5))
                    == ["Books", "Empty"])
        }
    }

    @Test func `constants are conditions`() throws {
        try withPredicateShops { shop in
            try #expect(shop.skus(.true).count == 6)
            try #expect(shop.skus(.false).isEmpty)
            try #expect(shop.skus(!(.true && Product.price < 40)) == ["TO-1"])
            try #expect(shop.skus(.false || Product.price == 40) == ["TO-1"])
        }
    }

    @Test func `a condition prints in the words of the text format, which reads it back`() throws {
        let condition: Condition<Product> =
            (Product.price * 2 > 60 || Product.category.name == "It's")
            && Product.salePrice == nil && !Product.title.hasPrefix("b", .caseInsensitive)
        let text = """
            (price * 2 > 60 OR category.name == 'It\\'s') AND salePrice == nil \
            AND NOT title BEGINSWITH[c] 'b'
            """
        #expect(condition.description == text)
        #expect(try Condition<Product>(format: text).description == text)
        let request = Product.fetchRequest().filter(condition)
            .sorted(by: Product.price.descending, Product.sku.ascending).limit(3)
        #expect(
            request.description == "Product where \(text) sorted by price descending, sku, limit 3")
    }
}
