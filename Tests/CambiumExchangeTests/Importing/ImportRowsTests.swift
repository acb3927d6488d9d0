import CambiumExchange
import Foundation
import ShopModel
import Testing

/// Which rows become objects, and what is said of the others.
struct ImportRowsTests {
    private static let header = "sku,kind,price,title,stock"

    private func products(
        _ lines: [String], _ change: (inout ImportRequest) -> Void = { _ in }
    ) -> ImportRequest {
        let text = ([Self.header] + lines).joined(separator: "\r\n")
        var request = ImportRequest(Product.self, from: .text(text), as: .csv())
        change(&request)
        return request
    }

    private func shown(_ context: ManagedObjectContext) throws -> [String] {
        try context.fetch(Product.fetchRequest().sorted(by: Product.sku))
            .map { "\($0.sku) \($0.title) \($0.kind) \($0.price) \($0.stock)" }
    }

    private func counts(_ result: ImportResult) -> String {
        "\(result.inserted) \(result.updated) \(result.skipped)"
    }

    // MARK: Unique values

    /// A shop with AB-1 ("Old", stock 5), and rows for AB-1, AB-2, AB-2 again.
    private func withConflict(
        _ policy: MergePolicy,
        _ body: (ManagedObjectContext, Result<ImportResult, any Error>) throws -> Void
    ) throws {
        try withContainer(Shop.model) { container in
            let context = container.newContext()
            _ = Product(in: context, sku: "AB-1", title: "Old", kind: .toy, price: 1, stock: 5)
            try context.save()
            let text = "sku,kind,price\nAB-1,book,9\nAB-2,book,2\nAB-2,book,3"
            var request = ImportRequest(Product.self, from: .text(text), as: .csv())
            request.mergePolicy = policy
            try body(context, Result { try context.execute(request) })
        }
    }

    @Test func `by default a row updates the object that has its unique values`() throws {
        #expect(
            ImportRequest(Product.self, from: .text(""), as: .csv()).mergePolicy == .objectTrump)
        try withConflict(.objectTrump) { context, result in
            let result = try result.get()
            #expect(counts(result) == "1 2 0")
            try #expect(shown(context) == ["AB-1 Old book 9 5", "AB-2 Untitled book 3 0"])
        }
    }

    @Test func `overwriting, what the row leaves out becomes the default`() throws {
        try withConflict(.overwrite) { context, result in
            try #expect(result.get().updated == 2)
            try #expect(shown(context) == ["AB-1 Untitled book 9 0", "AB-2 Untitled book 3 0"])
        }
    }

    @Test(arguments: [MergePolicy.storeTrump, .rollback])
    func `where the store wins, the row is skipped`(_ policy: MergePolicy) throws {
        try withConflict(policy) { context, result in
            let result = try result.get()
            #expect(counts(result) == "1 0 2")
            try #expect(shown(context) == ["AB-1 Old toy 1 5", "AB-2 Untitled book 2 0"])
        }
    }

    @Test func `under error it is an error with its line and the remedy`() throws {
        try withConflict(.error) { context, result in
            let error = #expect(throws: ImportError.self) { try result.get() }
            #expect(error?.line == 2 && error?.field == "sku")
            #expect(error?.message.contains("objectTrump") == true)
            #expect(error?.coreDataCode == 133021)
            try #expect(shown(context) == ["AB-1 Old toy 1 5"])
        }
    }

    @Test func `a row that updates may leave out what a new object needs`() throws {
        try withContainer(Shop.model) { container in
            let context = container.newContext()
            try context.execute(products(["AB-1,book,9,,"]))
            let text = "{\"sku\": \"AB-1\", \"stock\": 4}\n{\"sku\": \"AB-2\", \"stock\": 4}"
            var request = ImportRequest(Product.self, from: .text(text), as: .jsonLines)
            request.onError = .skipInvalidRows
            let result = try context.execute(request)
            #expect(result.updated == 1 && result.errorCount == 1)
            #expect(result.errors.first?.line == 2)
            try #expect(shown(context) == ["AB-1 Untitled book 9 4"])
        }
    }

    // MARK: Errors

    @Test func `stopping at the first error imports nothing`() throws {
        try withContainer(Shop.model) { container in
            let context = container.newContext()
            let error = #expect(throws: ImportError.self) {
                try context.execute(products(["AB-1,book,1,,", "AB-2,book,x,,", "AB-3,,1,,"]))
            }
            #expect(error?.description.hasPrefix("Product:3:11: price is not a decimal") == true)
            #expect(error?.column == 11 && error?.field == "price" && error?.source == 0)
            try #expect(shown(context) == [])
        }
    }

    @Test(arguments: StoreKind.sqlite)
    func `going on after errors keeps the good rows and lists the bad ones`(
        _ kind: StoreKind
    ) throws {
        try withContainer(Shop.model, on: kind) { container in
            let context = container.newContext()
            let result = try context.execute(
                products([
                    "AB-1,book,1,,", "AB-2,book,x,,-1", "nonsense,book,1,,", "AB-3,book,1,,",
                    "AB-4,book,100000,,", "AB-5,book,1,,", "AB-6,book", "AB-7,book,-1,,",
                    "AB-8,book,\"1\"x,,", "AB-9,book,1,,",
                ]) { $0.onError = .skipInvalidRows })
            #expect(result.inserted == 4 && result.updated == 0)
            let places = result.errors.map { "\($0.line ?? 0) \($0.field ?? "-")" }
            #expect(
                places.sorted()
                    == [
                        "10 -", "3 price", "4 sku", "6 price", "8 -", "9 price",
                    ].sorted(), "\(result.errors)")
            #expect(result.errorCount == result.errors.count)
            try #expect(
                context.fetch(Product.fetchRequest().sorted(by: Product.sku)).map(\.sku)
                    == ["AB-1", "AB-3", "AB-5", "AB-9"])
            // What was read and taken back leaves no trace.
            let product = try #require(try context.fetch(Product.fetchRequest()).first)
            product.stock = 3
            try context.save()
        }
    }

    @Test func `errors are listed up to a bound, and all are counted`() throws {
        try withContainer(Shop.model) { container in
            let context = container.newContext()
            let result = try context.execute(
                products((0..<50).map { "AB-\($0),book,-1,," } + ["AB-50,book,1,,"]) {
                    $0.onError = .skipInvalidRows
                    $0.maximumErrors = 3
                })
            #expect(result.inserted == 1 && result.errorCount == 50)
            #expect(result.errors.map(\.line) == [2, 3, 4])
        }
    }

    @Test func `a rule that several fields break names the row`() throws {
        try withContainer(Shop.model) { container in
            let context = container.newContext()
            let text = """
                {"sku": "AB-1", "kind": "book", "price": 2, "salePrice": 1}
                {"sku": "AB-2", "kind": "book", "price": 2, "salePrice": 3}
                {"sku": "AB-1", "salePrice": 5}
                {"sku": "AB-3", "kind": "book", "price": 2}
                """
            var request = ImportRequest(Product.self, from: .text(text), as: .jsonLines)
            request.onError = .skipInvalidRows
            let result = try context.execute(request)
            #expect(result.errors.map(\.line) == [2, 3])
            #expect(
                result.errors.allSatisfy {
                    ($0.underlying as? ValidationError)?.code == .ruleViolated
                })
            // The model's own words, as a save says them.
            let words = "A sale price is below the price"
            #expect(result.errors.map(\.message) == [words, words])
            try #expect(context.fetch(Product.fetchRequest()).map(\.salePrice) == [1, nil])
        }
    }

    @Test func `limits are refused in the words of a save`() throws {
        try withContainer(Shop.model) { container in
            let context = container.newContext()
            func saved(_ change: (Product) -> Void) -> [String] {
                defer { context.rollback() }
                let product = Product(in: context, sku: "AB-1", kind: .book, price: 1)
                change(product)
                do {
                    try context.save()
                    return []
                } catch let error as ValidationErrors {
                    return error.errors.map(\.message)
                } catch {
                    return [(error as? ValidationError)?.message ?? "\(error)"]
                }
            }
            func imported(_ row: String) throws -> [String] {
                let result = try context.execute(products([row]) { $0.onError = .skipInvalidRows })
                return result.errors.map(\.message)
            }
            try #expect(imported("AB-1,book,-1,,") == saved { $0.price = -1 })
            try #expect(imported("AB-1,book,100000,,") == saved { $0.price = 100000 })
            try #expect(imported("AB-1,book,1,,-1") == saved { $0.stock = -1 })
            try #expect(imported("nonsense,book,1,,") == saved { $0.sku = "nonsense" })
            #expect(saved { $0.stock = -1 } == ["stock is below 0."])
        }
    }

    @Test func `an input that does not go on keeps what came before, or nothing`() throws {
        try withContainer(Exchange.model) { container in
            let context = container.newContext()
            let text = "[{\"sku\": \"a\"},\n{\"sku\": \"b\"} {\"sku\": \"c\"}]"
            #expect(context.failure(text, as: .json).hasPrefix("Article:2:14: There should be"))
            try #expect(context.all("Article").isEmpty)
            let result = try context.importing(text, as: .json) { $0.onError = .skipInvalidRows }
            #expect(result.inserted == 2 && result.errorCount == 1)
            try #expect(context.all("Article").count == 2)
        }
    }

    @Test(arguments: [
        (
            "{\"sku\": \"a\"}\n{\"sku\" \"b\"}", ExchangeFormat.jsonLines,
            "Article:2: This is not JSON. Look"
        ),
        ("[]", .jsonLines, "Article:1: This is not JSON object"),
        ("[1]", .json, "Article:1: This is not JSON object"),
        ("", .json, "Article:1:1: There is no JSON"),
        ("sku,sku\na,b", .csv(), "Article:1: Two columns"),
        ("x,y\na,b", .csv(), "Article:1: None of the columns"),
        ("sku;title\na;b", .csv(), "Article:1: None"),
        ("sku,\"title\na,b", .csv(), "Article:1:5: The quote"),
        ("sku\na,b", .csv(), "Article:2: The line has 2 fields, and there is 1 column. "),
        ("sku,title\n\na,\"x\n\"\"\nb,\"c\"d", .csv(), "Article:5:4: There is more"),
    ])
    func `what cannot be read is an error with its place`(
        _ text: String, _ format: ExchangeFormat, _ expected: String
    ) throws {
        try withContainer(Exchange.model) { container in
            let failure = container.newContext().failure(text, as: format)
            #expect(failure.hasPrefix(expected), "\(failure)")
        }
    }

    @Test func `a text that is not UTF-8 is an error of its field`() throws {
        try withContainer(Exchange.model) { container in
            let context = container.newContext()
            for (bytes, format) in [
                (Data("sku\n".utf8) + Data([0x61, 0xFF]), ExchangeFormat.csv()),
                (Data("{\"sku\": \"".utf8) + Data([0xFF]) + Data("\"}".utf8), .jsonLines),
            ] {
                var request = ImportRequest([
                    ImportSource(entityName: "Article", from: .data(bytes), as: format)
                ])
                request.onError = .skipInvalidRows
                let result = try context.execute(request)
                #expect(result.inserted == 0 && result.errorCount == 1)
            }
        }
    }

    // MARK: Names

    @Test func `fields have other names than properties`() throws {
        try withContainer(Exchange.model) { container in
            let context = container.newContext()
            let names = ["sku": "Article number", "category": "Group"]
            try context.importing("{\"name\": \"Books\"}", "Category")
            try context.importing("Article number;Group\n\"a\";Books\n", as: .csv(separator: ";")) {
                $0.sources[0].fieldNames = names
            }
            try context.importing("{\"Article number\": \"b\", \"Group\": {\"name\": \"Books\"}}") {
                $0.sources[0].fieldNames = names
            }
            try #expect(
                context.all("Article").map { $0[one: "category"]?["name"] } == ["Books", "Books"])
            let failure = context.failure(
                "Article number;stock\n\"a\";-1", as: .csv(separator: ";")
            ) {
                $0.sources[0].fieldNames = ["skuu": "x"]
            }
            #expect(failure.contains("Did you mean sku?"))
            let taken = context.failure("{}") { $0.sources[0].fieldNames = ["sku": "title"] }
            #expect(taken.contains("and another property"))
        }
    }

    @Test func `a file without names of columns is told them`() throws {
        try withContainer(Exchange.model) { container in
            let context = container.newContext()
            let result = try context.importing("a,x,1\nb,,2", as: .csv()) {
                $0.sources[0].columns = ["sku", "title", "colour of the cover"]
            }
            #expect(result.inserted == 2)
            #expect(result.ignoredFields == ["colour of the cover"])
        }
    }

    @Test func `fields that no property has are passed over and named`() throws {
        try withContainer(Exchange.model) { container in
            let context = container.newContext()
            let result = try context.importing(
                "{\"sku\": \"a\", \"skew\": 1}\n{\"sku\": \"b\", \"depth\": {\"x\": [1]}}")
            #expect(result.inserted == 2)
            #expect(result.ignoredFields == ["depth", "skew"])
            try #expect(
                context.importing("sku,skew\nc,1", as: .csv()).ignoredFields == ["skew"])
        }
    }

    // MARK: Around it

    @Test func `many rows, in blocks and slices, with progress`() throws {
        try withContainer(Shop.model) { container in
            let context = container.newContext()
            let lines = (0..<9_000).map {
                "AB-\($0),book,\($0 % 100),\(String(repeating: "t", count: 200)),1"
            }
            let steps = Steps()
            let result = try context.execute(
                products(lines) { $0.progress = { steps.add($0) } })
            #expect(result.inserted == 9_000)
            try #expect(context.count(for: Product.fetchRequest()) == 9_000)
            let all = steps.all
            #expect(all.last?.rows == 9_000)
            #expect(all.last?.bytes == all.last?.byteCount)
            #expect(all.count > 1)
            #expect(all.map(\.rows) == all.map(\.rows).sorted())
        }
    }

    private final class Steps: @unchecked Sendable {
        // Called by one import, in the test's own thread.
        private(set) var all: [ImportProgress] = []
        func add(_ step: ImportProgress) { all.append(step) }
    }

    @Test func `a task that is cancelled imports nothing`() async throws {
        let container = try PersistentContainer(model: Exchange.model, at: .memory)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await container.performBackgroundTask { context in
                try context.importing("{\"sku\": \"a\"}").inserted
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        try #expect(container.newContext().all("Article").isEmpty)
    }

    @Test func `contexts hear of an import unless they are not to`() throws {
        try withContainer(Exchange.model, on: .file) { container in
            let context = container.newContext()
            try context.importing("{\"sku\": \"a\", \"title\": \"old\"}")
            let article = try #require(try context.article("a"))
            #expect(article["title"] == "old")
            let other = container.newContext()
            try other.importing("{\"sku\": \"a\", \"title\": \"new\"}")
            context.mergePending()
            #expect(article["title"] == "new")
            var request = ImportRequest([
                ImportSource(
                    entityName: "Article", from: .text("{\"sku\": \"a\", \"title\": \"newest\"}"),
                    as: .jsonLines)
            ])
            request.resultType = .objectIDs
            let result = try other.execute(request, merging: .none)
            context.mergePending()
            #expect(article["title"] == "new")
            #expect(result.changes.updated == [article.objectID])
            ManagedObjectContext.mergeChanges(
                fromRemoteContextSave: result.changes, into: [context])
            #expect(article["title"] == "newest")
        }
    }

    @Test func `requests that cannot be`() throws {
        try withContainer(Exchange.model) { container in
            let context = container.newContext()
            #expect(context.failure("{}", "Articel").contains("Articel"))
            #expect(
                context.failure("{}") { $0.mergePolicy = .custom(CustomMergePolicy { _ in }) }
                    .contains("merge policy"))
            #expect(
                context.failure("{}") { $0.sources[0].relationshipKeys = ["category": ["nam"]] }
                    .contains("no unique constraint over nam"))
            let missing = ImportRequest([
                ImportSource(entityName: "Article", from: .file("/nowhere/at.all"), as: .json)
            ])
            let error = #expect(throws: StoreError.self) { try context.execute(missing) }
            #expect(error?.code == .missingFile)
            try #expect(context.execute(ImportRequest([])).inserted == 0)
        }
    }
}
