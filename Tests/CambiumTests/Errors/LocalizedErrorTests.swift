import CambiumMigration
import CambiumSQL
import Foundation
import ShopModel
import Testing

@testable import Cambium
@testable import CambiumEngine
@testable import CambiumSQLiteStore
@testable import CambiumSQLite

/// What errors say to people.
struct LocalizedErrorTests {
    @Test func `every public error can be shown to people`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let modules = [
            "Cambium", "CambiumModel", "CambiumSQL", "CambiumSQLite", "CambiumMigration",
            "CambiumCoreDataStore", "CambiumCoreData", "CambiumCustomStores", "CambiumEngine",
            "CambiumExchange", "CambiumSQLiteStore",
        ]
        var texts = ""
        for module in modules {
            let folder = root.appending(path: "Sources/\(module)")
            for case let file as URL in FileManager.default.enumerator(
                at: folder, includingPropertiesForKeys: nil) ?? .init()
            where file.pathExtension == "swift" {
                texts += try String(contentsOf: file, encoding: .utf8)
            }
        }
        let errors = texts.matches(of: /public (?:struct|enum) (\w+): (?:\w+, )*Error\b/).map(\.1)
        #expect(errors.count > 20)
        for error in errors {
            #expect(texts.contains("extension \(error): LocalizedError"), "\(error)")
        }
    }

    @Test func `a value that breaks the model says so, without the value`() throws {
        let container = try PersistentContainer(model: Shop.model, at: .temporary)
        let context = container.newContext()
        let product = Product(in: context, sku: "A", kind: .toy, price: -7)
        let error: any Error = try #require(
            #expect(throws: ValidationErrors.self) { try context.save() })
        let words = error.localizedDescription
        #expect(words.split(separator: "\n").count > 1 && !words.contains("-7"))
        product.sku = "AB-1"
        product.price = 7
        product.stock = -1
        let one = try #require(#expect(throws: ValidationError.self) { try context.save() })
        #expect((one as any Error).localizedDescription == one.message)
        #expect(one.failureReason == "Product.stock is not valid by the model.")
    }

    @Test func `a thousand equal violations are ten and a number`() throws {
        let container = try PersistentContainer(model: Shop.model, at: .temporary)
        let context = container.newContext()
        for number in 0..<1_000 {
            _ = Product(in: context, sku: "A\(number)", kind: .toy, price: -1)
        }
        let other = Product(in: context, sku: "B", kind: .toy, price: 1)
        let errors = try #require(#expect(throws: ValidationErrors.self) { try context.save() })
        let lines = errors.description.split(separator: "\n")
        #expect(lines.count { $0.contains(".price: ") } == 10)
        #expect(lines.contains { $0.hasPrefix("990 more: ") })
        #expect(lines.contains { $0.hasPrefix("\(other.objectID).sku: ") })
        #expect(errors.errorDescription?.contains("(1000 objects)") == true)
    }

    @Test func `a conflict says what both have changed`() throws {
        let container = try PersistentContainer(model: Shop.model, at: .temporary)
        let context = container.newContext()
        let product = Product(in: context, sku: "AB-1", kind: .toy, price: 1)
        try context.save()
        let other = container.newContext()
        let theirs = try other.get(product.objectID, as: Product.self)
        theirs.title = "theirs"
        product.title = "mine"
        try context.save()
        let error = try #require(#expect(throws: ConflictError.self) { try other.save() })
        let summary = "Product/1 was changed here and by another context or process: title"
        #expect(error.description.hasPrefix("\(summary). Refresh the objects"))
        #expect(error.recoverySuggestion?.hasPrefix("Refresh the objects") == true)
        #expect("\(error.conflicts[0])" == summary)
    }

    @Test func `objects with the same unique value are named, without the value`() throws {
        let container = try PersistentContainer(model: Shop.model, at: .temporary)
        let context = container.newContext()
        _ = Product(in: context, sku: "AB-1", kind: .toy, price: 1)
        try context.save()
        _ = Product(in: context, sku: "AB-1", kind: .toy, price: 1)
        let error = try #require(
            #expect(throws: ConstraintConflictError.self) { try context.save() })
        let words = error.errorDescription
        #expect(words?.hasSuffix("have the same sku, which must be unique.") == true)
        #expect(error.recoverySuggestion == "Change or delete one of them.")
        #expect(!"\(error)".contains("AB-1") && "\(error.conflicts[0])".contains("Product/1 and"))
    }

    @Test func `an object is printed with its values where the program asks for them`() throws {
        let container = try PersistentContainer(model: Shop.model, at: .temporary)
        let context = container.newContext()
        let category = Category(in: context, name: "Books")
        let product = Product(
            in: context, sku: "AB-1", kind: .toy, price: 1, category: category)
        try context.save()
        #expect("\(product)" == "Product/1 (clean)")
        let words = product.descriptionWithValues
        #expect(words.hasPrefix("Product/1 (clean): ") && words.contains("sku = \"AB-1\""))
        #expect(words.contains("category = 1"))
        product.title = String(repeating: "x", count: 1_000)
        #expect(product.descriptionWithValues.count < 500)
        context.rollback()
        context.refresh(product, mergeChanges: false)
        #expect(product.descriptionWithValues == "Product/1 (fault)" && product.isFault)
    }

    @Test func `a store that another process has migrated says so`() throws {
        try withStoreFile { path in
            let container = try PersistentContainer(model: Shop.model, at: .temporary(path))
            let context = container.newContext()
            _ = Product(in: context, sku: "AB-1", kind: .toy, price: 1)
            try context.save()
            try execute(
                """
                ALTER TABLE "Product" RENAME COLUMN title TO name;
                UPDATE _metadata SET value = '9' WHERE name = 'version';
                UPDATE _metadata SET value = 'x' WHERE name = 'versionHash';
                """, in: path)
            _ = Product(in: context, sku: "AB-2", kind: .toy, price: 1)
            let error = try #require(#expect(throws: StoreError.self) { try context.save() })
            #expect(error.code == .noStore && context.hasChanges)
            #expect(error.message.contains("was migrated to version 9 of Shop while it was open"))
        }
    }

    @Test(
        arguments: [
            (5, StoreError.Code.busy, "another program is writing it"),
            (8, .inaccessible, "it cannot be written"),
            (10, .inaccessible, "the disk could not be"),
            (11, .corrupt, "the file is damaged"), (13, .inaccessible, "the disk is full"),
            (14, .inaccessible, "it cannot be opened"),
            (26, .corrupt, "the file is not an SQLite database"),
        ] as [(Int32, StoreError.Code, String)])
    func `what is wrong with a file is said in words`(
        code: Int32, meaning: StoreError.Code, words: String
    ) throws {
        let error = try #require(
            StoreError(
                SQLiteError(code: code, message: "as SQLite says it"), in: .writing, "a/shop.sqlite"
            ))
        #expect(error.code == meaning)
        #expect(error.message.hasPrefix("Cannot write 'shop.sqlite': \(words)"))
        #expect(error.failureReason == "SQLite error \(code): as SQLite says it")
        #expect(error.errorDescription.map { error.message.hasPrefix("\($0) ") } == true)
        #expect(error.recoverySuggestion.map { error.message.hasSuffix(" \($0)") } == true)
        #expect(StoreError(SQLiteError(code: 1, message: ""), in: .writing, "a") == nil)
    }
}
