@testable import CambiumExchange
import ExtendedModel
import Foundation
import Synchronization
import Testing

struct ExportTests {
    private func withArticles(
        _ body: (ManagedObjectContext) throws -> Void
    ) throws {
        try withContainer(Exchange.model) { container in
            let context = container.newContext()
            try context.importing("name\n\"Books, new\"", "Category", as: .csv())
            try context.importing("label\nx\n\"y;\"\"z\"\"\"", "Tag", as: .csv())
            try context.importing("region,name\nNorth,Springfield", "City", as: .csv())
            try context.importing(
                """
                {"sku": "a", "title": "A \\"quoted\\"\\nline", "category": "Books, new",
                """.replacing("\n", with: "")
                    + """
                     "tags": ["y;\\"z\\"", "x"], "amount": 12.50, "flag": true, "bytes": "AAH/"}
                    {"sku": "b", "title": "", "city": {"name": "Springfield", "region": "North"}}
                    """)
            try body(context)
        }
    }

    private let properties = [
        "sku", "title", "flag", "amount", "bytes", "category", "city", "tags",
    ]

    @Test func `JSON Lines`() throws {
        try withArticles { context in
            try #expect(
                context.exported("Article") { $0.properties = properties } == """
                    {"sku":"a","title":"A \\"quoted\\"\\nline","flag":true,"amount":12.5,\
                    "bytes":"AAH/","category":"Books, new","city":null,\
                    "tags":["y;\\"z\\"","x"]}
                    {"sku":"b","title":"","flag":null,"amount":null,"bytes":null,\
                    "category":null,"city":{"region":"North","name":"Springfield"},"tags":[]}

                    """)
        }
    }

    @Test func `JSON`() throws {
        try withArticles { context in
            try #expect(
                context.exported("Article", as: .json) { $0.properties = ["sku", "stock"] }
                    == "[\n{\"sku\":\"a\",\"stock\":7},\n{\"sku\":\"b\",\"stock\":7}\n]\n")
            try #expect(context.exported("Mark", as: .json) == "[]\n")
            try #expect(context.exported("Mark") == "")
        }
    }

    /// The texts that a spreadsheet may run, and those that it cannot.
    private static let formulas = [
        "=HYPERLINK(\"https://example.org\",\"x\")", "+cmd", "-2+3", "@SUM(A1)", "\t=1", "\tx",
        "\r=1", "\nx", " =1", "\u{A0}+1", "\u{FEFF}=1", "\u{200B}=1", "\u{FF1D}1", "\u{FF0B}1",
        "\u{FF0D}1", "\u{FF20}x", "=", "-",
    ]
    private static let texts = ["", "a=1", "a\n=1", "'=1", "1-2", "#=1", "x@y", " a", "\u{2212}1"]

    @Test(arguments: formulas.map { ($0, true) } + texts.map { ($0, false) })
    func `CSV for spreadsheets has an apostrophe before what they may run`(
        _ text: String, _ isFormula: Bool
    ) throws {
        #expect(FormulaText.isFormula(text) == isFormula)
        try withContainer(Exchange.model) { container in
            let context = container.newContext()
            try context.insertObject(ofEntity: "Tag").setValue(.string(text), forKey: "label")
            let quoted = text.replacing("\"", with: "\"\"")
            let plain = try context.exported("Tag", as: .csv()) { $0.properties = ["label"] }
            let protected = try context.exported("Tag", as: .csv()) {
                $0.properties = ["label"]
                $0.protectsFormulas = true
            }
            if isFormula {
                #expect(protected == "label\r\n\"'\(quoted)\"\r\n")
                #expect(plain != protected)
            } else if text.hasPrefix("'") {
                #expect(protected == "label\r\n\"\(quoted)\"\r\n")
            } else {
                #expect(plain == protected)
            }
        }
    }

    @Test func `CSV for spreadsheets keeps numbers, and protects keys, lists and Base64`() throws {
        try withContainer(Exchange.model) { container in
            let context = container.newContext()
            try context.importing("name\n=Books", "Category", as: .csv())
            try context.importing("label\n=x\ny", "Tag", as: .csv())
            try context.importing("region,name\n@North,+Springfield", "City", as: .csv())
            try context.importing(
                """
                {"sku": "a", "amount": -12.50, "stock": 7, "bytes": "+/8=", "flag": false,
                """.replacing("\n", with: "")
                    + """
                     "category": "=Books", "tags": ["=x", "y"],
                    """.replacing("\n", with: "")
                        + """
                         "city": {"name": "+Springfield", "region": "@North"}}
                        """)
            let properties = [
                "sku", "stock", "flag", "amount", "bytes", "category", "city", "tags",
            ]
            let protected = try context.exported("Article", as: .csv()) {
                $0.properties = properties
                $0.protectsFormulas = true
            }
            #expect(
                protected
                    == "sku,stock,flag,amount,bytes,category,city.region,city.name,tags\r\n"
                    + "a,7,false,-12.5,\"'+/8=\",\"'=Books\",\"'@North\",\"'+Springfield\","
                    + "\"'=x;y\"\r\n")
            // Other formats are as they are without.
            #expect(
                try context.exported("Category") { $0.protectsFormulas = true }
                    == context.exported("Category"))
        }
    }

    @Test func `an import keeps the apostrophe of a protected value`() throws {
        try withContainer(Exchange.model) { container in
            let context = container.newContext()
            try context.insertObject(ofEntity: "Tag").setValue(.string("=1+1"), forKey: "label")
            try context.save()
            let text = try context.exported("Tag", as: .csv()) {
                $0.properties = ["label"]
                $0.protectsFormulas = true
            }
            try context.importing(text, "Tag", as: .csv())
            let labels = try context.fetch(FetchRequest<ManagedObject>(entityName: "Tag")).map {
                try $0.value(forKey: "label")
            }
            #expect(Set(labels) == [.string("=1+1"), .string("'=1+1")])
        }
    }

    @Test func `CSV`() throws {
        try withArticles { context in
            try #expect(
                context.exported("Article", as: .csv()) { $0.properties = properties }
                    == "sku,title,flag,amount,bytes,category,city.region,city.name,tags\r\n"
                    + "a,\"A \"\"quoted\"\"\nline\",true,12.5,AAH/,\"Books, new\",,,"
                    + "\"\"\"y;\"\"\"\"z\"\"\"\"\"\";x\"\r\n"
                    + "b,\"\",,,,,North,Springfield,\r\n")
            try #expect(
                context.exported("Tag", as: .csv(separator: ";")) {
                    $0.fieldNames = ["label": "What; it says"]
                    $0.properties = ["label"]
                } == "\"What; it says\"\r\nx\r\n\"y;\"\"z\"\"\"\r\n")
        }
    }

    @Test func `a request's condition, order and window, with unsaved changes`() throws {
        try withArticles { context in
            let c = try context.make("Article", ["sku": "c"])
            try context.article("a")?.setValue(.int(1), forKey: "stock")
            func skus(_ change: (inout FetchRequest<ManagedObject>) -> Void) throws -> String {
                try context.exported("Article", as: .csv()) {
                    $0.properties = ["sku"]
                    change(&$0.objects)
                }.split(separator: "\r\n").dropFirst().joined(separator: " ")
            }
            try #expect(skus { _ in } == "a b c")
            try #expect(skus { $0 = $0.filter(format: "stock == 7") } == "b c")
            try #expect(skus { $0.includesPendingChanges = false } == "a b")
            try #expect(
                skus {
                    $0.offset = 1; $0.limit = 1
                } == "b")
            context.delete(c)
            try #expect(skus { _ in } == "a b")
        }
    }

    private final class Statements: Sendable {
        let all = Mutex<[String]>([])
    }

    @Test func `keys alone are read before an export begins`() throws {
        let statements = Statements()
        var options = StoreOptions()
        options.statementHook = StatementHook { statement in
            statements.all.withLock { $0.append(statement.sql) }
        }
        let container = try PersistentContainer(
            model: Exchange.model, at: .memory, options: options)
        let context = container.newContext()
        try context.importing("label\nx\ny", "Tag", as: .csv())
        statements.all.withLock { $0 = [] }
        let request = ExportRequest(FetchRequest<ManagedObject>(entityName: "Tag"), as: .json)
        _ = try context.chunks(of: request)
        let selects = statements.all.withLock { $0.filter { $0.hasPrefix("SELECT") } }
        #expect(selects.count == 1)
        #expect(selects.first?.contains("label") == false)
    }

    @Test func `what has no key is left out and told, or refused where it was asked for`() throws {
        try withArticles { context in
            try withStoreFile { path in
                let all = ExportRequest(
                    FetchRequest<ManagedObject>(entityName: "Article"), as: .json)
                try #expect(
                    context.execute(all, to: path)
                        == ExportResult(count: 2, omittedRelationships: []))
                var marked = all
                marked.properties = ["mark"]
                let error = #expect(throws: StoreError.self) {
                    try context.execute(marked, to: path)
                }
                #expect(error?.message.contains("Mark, which has no unique") == true)
                marked.properties = ["skew"]
                #expect(throws: StoreError.self) { try context.execute(marked, to: path) }
                // The file is as it was.
                try #expect(String(contentsOfFile: path, encoding: .utf8).hasPrefix("[\n{"))
                let folder = URL(filePath: path).deletingLastPathComponent().path()
                try #expect(FileManager.default.contentsOfDirectory(atPath: folder).count == 1)
            }
            #expect(throws: StoreError.self) {
                try context.exported("City", as: .csv()) {
                    $0.properties = ["name", "articles", "x"]
                }
            }
        }
        try withContainer(Extended.model) { container in
            let context = container.newContext()
            _ = Person(in: context, name: "A", home: Address(street: "s"))
            try withStoreFile { path in
                let request = ExportRequest(Person.fetchRequest(), as: .json)
                let result = try context.execute(request, to: path)
                #expect(result == ExportResult(count: 1, omittedRelationships: ["favourites"]))
                var letters = ExportRequest(Person.fetchRequest(), as: .jsonLines)
                letters.properties = ["home", "nameLength"]
                try context.save()
                try context.execute(letters, to: path)
                try #expect(
                    String(contentsOfFile: path, encoding: .utf8)
                        == "{\"home\":{\"street\":\"s\",\"number\":null,\"spot\":null},"
                        + "\"nameLength\":1}\n"
                )
            }
        }
    }

    @MainActor
    @Test func `chunks of many objects, while others change them`() async throws {
        try await withContainer(Exchange.model) { container in
            let context = container.viewContext
            let lines = (0..<1_234).map { "{\"sku\": \"\($0)\"}" }
            try context.importing(lines.joined(separator: "\n"))
            var request = ExportRequest(
                FetchRequest<ManagedObject>(entityName: "Article"), as: .jsonLines)
            request.properties = ["sku"]
            var text = Data()
            var count = 0
            for try await chunk in try context.chunks(of: request) {
                if count == 0 {
                    let other = container.newContext()
                    other.delete(try #require(try other.article("1000")))
                    try other.save()
                }
                text += chunk
                count += 1
            }
            #expect(count == 3)
            let written = String(decoding: text, as: UTF8.self).split(separator: "\n")
            #expect(written.count == 1_233)
            #expect(written.first == "{\"sku\":\"0\"}" && written.last == "{\"sku\":\"1233\"}")
        }
    }

    @MainActor
    @Test func `a task that is cancelled gets no more chunks`() async throws {
        try await withContainer(Exchange.model) { container in
            let context = container.viewContext
            let request = ExportRequest(
                FetchRequest<ManagedObject>(entityName: "Article"), as: .json)
            let task = Task { @MainActor in
                withUnsafeCurrentTask { $0?.cancel() }
                for try await _ in try context.chunks(of: request) {}
            }
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }
}
