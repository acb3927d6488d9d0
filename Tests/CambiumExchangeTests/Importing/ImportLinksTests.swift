import CambiumExchange
import ExtendedModel
import Foundation
import Testing

/// Relationships by key, whatever comes first.
struct ImportLinksTests {
    private func withContext(
        _ kind: StoreKind = .memory, _ body: (ManagedObjectContext) throws -> Void
    ) throws {
        try withContainer(Exchange.model, on: kind) { try body($0.newContext()) }
    }

    private func skus(_ objects: some Sequence<ManagedObject>) -> [String] {
        objects.map { $0["sku"] }
    }

    private func related(
        _ context: ManagedObjectContext, _ sku: String, _ name: String
    ) throws -> [String] {
        let article = try #require(try context.article(sku))
        return try article.many(name).map { $0.entity.name == "Tag" ? $0["label"] : $0["sku"] }
    }

    private func source(
        _ entity: String, _ text: String, _ format: ExchangeFormat = .jsonLines
    ) -> ImportSource {
        ImportSource(entityName: entity, from: .text(text), as: format)
    }

    /// Items without values in files, whose rows are handed to who listens.
    private static let plain = CompiledModel(
        Model(
            name: "Plain", version: "1",
            entities: [
                Entity(
                    name: "Item",
                    attributes: [
                        Attribute(name: "sku", type: .string),
                        Attribute(name: "title", type: .string, isOptional: true),
                    ],
                    relationships: [
                        Relationship(name: "group", destination: "Group", inverse: "items")
                    ], uniqueConstraints: [UniqueConstraint(properties: ["sku"])]),
                Entity(
                    name: "Group", attributes: [Attribute(name: "name", type: .string)],
                    relationships: [
                        Relationship(
                            name: "items", destination: "Item", inverse: "group", isToMany: true)
                    ], uniqueConstraints: [UniqueConstraint(properties: ["name"])]),
            ]))

    @Test func `contexts see links that had to wait, whatever they had read`() throws {
        try withStoreFile { path in
            let container = try PersistentContainer(model: Self.plain, at: .file(path))
            let context = container.newContext()
            let reader = container.newContext()
            let item = try context.make("Item", ["sku": "a"])
            try context.save()
            // A fetch leaves the coordinator without rows, where a fault would bring them.
            let same = try #require(try reader.all("Item").first)
            #expect(same["sku"] == "a")
            let row = "{\"sku\": \"a\", \"title\": \"new\", \"group\": \"Books\"}"
            try context.execute(
                ImportRequest([source("Item", row), source("Group", "name\nBooks", .csv())]))
            #expect(item[one: "group"]?["name"] == "Books", "the context that imports")
            let lateContext = container.newContext()
            let late = lateContext.object(with: item.objectID)
            #expect(late[one: "group"]?["name"] == "Books", "a fault by the coordinator's rows")
            reader.mergePending()
            #expect(same[one: "group"]?["name"] == "Books", "a context that merges it")
            same["title"] = "newer"
            try reader.save()
        }
    }

    // MARK: To one

    @Test(arguments: StoreKind.sqlite)
    func `a key of one attribute, and of two`(_ kind: StoreKind) throws {
        try withContext(kind) { context in
            try context.importing("name\nBooks\nToys", "Category", as: .csv())
            try context.importing(
                "region,name\nNorth,Springfield\nSouth,Springfield", "City", as: .csv())
            try context.importing(
                """
                {"sku": "a", "category": "Toys", "city": {"name": "Springfield", "region": "South"}}
                {"sku": "b", "category": {"name": "Books"}, "city": null}
                {"sku": "c"}
                """)
            try context.importing(
                "sku,category,city.name,city.region\nd,Books,Springfield,North\ne,,,", as: .csv())
            try context.importing("sku,category.name\nf,Toys", as: .csv())
            let articles = try context.all("Article")
            #expect(
                articles.map { $0[one: "category"]?["name"] }
                    == ["Toys", "Books", nil, "Books", nil, "Toys"])
            #expect(
                articles.map { $0[one: "city"]?["region"] }
                    == ["South", nil, nil, "North", nil, nil])
            let toys = try #require(articles[0][one: "category"])
            try #expect(skus(toys.many("articles")) == ["a", "f"])
        }
    }

    @Test func `an update moves a link, takes it away, or leaves it`() throws {
        try withContext { context in
            try context.importing("name\nBooks\nToys", "Category", as: .csv())
            try context.importing("sku,category\na,Books\nb,Books\nc,Books", as: .csv())
            let books = try #require(try context.all("Category").first)
            try #expect(skus(books.many("articles")).sorted() == ["a", "b", "c"])
            try context.importing(
                """
                {"sku": "a", "category": "Toys"}
                {"sku": "b", "category": null}
                {"sku": "c", "title": "x"}
                """)
            try #expect(skus(books.many("articles")) == ["c"])
        }
    }

    @Test func `targets may come later in the file, or be the row itself`() throws {
        try withContext { context in
            let text = """
                {"sku": "a", "parent": "b"}
                {"sku": "b", "parent": "c"}
                {"sku": "c", "parent": "c"}
                {"sku": "d", "parent": "a"}
                """
            let result = try context.importing(text)
            #expect(result.inserted == 4)
            let articles = try context.all("Article")
            #expect(articles.map { $0[one: "parent"]?["sku"] } == ["b", "c", "c", "a"])
            try #expect(related(context, "c", "children").sorted() == ["b", "c"])
        }
    }

    @Test func `a chain that is backwards over several slices, and longer than memory keeps`()
        throws
    {
        try withContext { context in
            let lines = (0..<6_000).map { number in
                "{\"sku\": \"\(number)\", \"parent\": \"\((number + 5_000) % 6_000)\"}"
            }
            try context.importing(lines.joined(separator: "\n"))
            let articles = try context.all("Article")
            #expect(
                articles.allSatisfy {
                    $0[one: "parent"]?["sku"] == "\(((Int($0["sku"]) ?? 0) + 5_000) % 6_000)"
                })
        }
    }

    @Test func `targets may come in a later file, required ones too`() throws {
        try withContext { context in
            var request = ImportRequest([
                source("Article", "sku,category,tags\na,Books,new;old\nb,Toys,", .csv()),
                source(
                    "Step",
                    "{\"name\": \"2\", \"before\": \"1\"}\n{\"name\": \"3\", \"before\": \"2\"}"),
                source("Tag", "label\nold\nnew", .csv()),
                source(
                    "Category", "[{\"name\": \"Books\", \"articles\": []}, {\"name\": \"Toys\"}]",
                    .json),
            ])
            let failure = #expect(throws: ImportError.self) { try context.execute(request) }
            #expect(failure?.source == 1 && failure?.line == 1)
            #expect(failure?.message.hasPrefix("before references no Step") == true)
            request.sources.append(source("Step", "{\"name\": \"1\", \"before\": \"0\"}"))
            request.onError = .skipInvalidRows
            let result = try context.execute(request)
            // The last of the steps leads nowhere, so none of them can be there.
            #expect(result.inserted == 6 && result.errorCount == 3)
            try #expect(related(context, "a", "tags") == ["new", "old"])
        }
    }

    @Test func `rows that cannot be without their target wait for it`() throws {
        try withContainer(Extended.model) { container in
            let context = container.newContext()
            let result = try context.execute(
                ImportRequest([
                    ImportSource(
                        Letter.self,
                        from: .text(
                            """
                            {"text": "1", "sender": {"name": "B", "home": {"street": "t"}}}
                            {"text": "2", "sender": {"name": "A", "home": {"street": "s"}}}
                            """), as: .jsonLines),
                    ImportSource(
                        Person.self,
                        from: .text("name,home.street\nA,s\nB,t"), as: .csv()),
                    ImportSource(
                        Letter.self,
                        from: .text("text,sender.name,sender.home.street\n3,A,s"), as: .csv()),
                ]))
            #expect(result.inserted == 5)
            let letters = try context.fetch(Letter.fetchRequest().sorted(by: Letter.text))
            #expect(letters.map(\.sender.name) == ["B", "A", "A"])
            #expect(letters.map(\.senderName) == ["B", "A", "A"])
            #expect(letters[1].sender.letterCount == 2)
        }
    }

    @Test func `many rows wait, more than memory keeps`() throws {
        try withContext { context in
            let steps = (0..<5_000).map { "{\"name\": \"s\($0)\", \"before\": \"root\"}" }
            // The root leads to itself, and so must be made elsewhere.
            let root = try context.make("Step", ["name": "root"])
            root[one: "before"] = root
            try context.save()
            let later = (0..<5_000).map { "{\"name\": \"t\($0)\", \"before\": \"s\(4_999 - $0)\"}" }
            let result = try context.execute(
                ImportRequest([
                    source("Step", later.joined(separator: "\n")),
                    source("Step", steps.joined(separator: "\n")),
                ]))
            #expect(result.inserted == 10_000)
            try #expect(
                context.count(for: FetchRequest<ManagedObject>(entityName: "Step")) == 10_001)
        }
    }

    @Test func `rows of one line wait each by itself`() throws {
        try withContext { context in
            let root = try context.make("Step", ["name": "root"])
            root[one: "before"] = root
            try context.save()
            // Of the two of the first source, one can be there earlier than the other.
            let texts = [
                #"[{"name": "x", "before": "a"}, {"name": "y", "before": "b"}]"#,
                #"[{"name": "b", "before": "c"}]"#,
                #"[{"name": "a", "before": "root"}, {"name": "c", "before": "root"}]"#,
            ]
            let result = try context.execute(
                ImportRequest(texts.map { source("Step", $0, .json) }))
            // Nothing was written twice.
            #expect(result.inserted == 5 && result.updated == 0)
        }
    }

    @Test func `a row that waits in vain does not bring those of its line back`() throws {
        try withContainer(Extended.model) { container in
            let context = container.newContext()
            func letter(_ text: String, _ name: String) -> String {
                #"{"text": "\#(text)", "sender": {"name": "\#(name)", "home": {"street": "s"}}}"#
            }
            var request = ImportRequest([
                ImportSource(
                    Letter.self, from: .text("[\(letter("1", "A")),\(letter("2", "nobody"))]"),
                    as: .json),
                ImportSource(
                    Person.self, from: .text(#"[{"name": "A", "home": {"street": "s"}}]"#),
                    as: .json),
            ])
            request.onError = .skipInvalidRows
            let result = try context.execute(request)
            #expect(result.inserted == 2 && result.errorCount == 1)
            // A letter has nothing by which a second one would be refused.
            try #expect(context.fetch(Letter.fetchRequest()).map(\.text) == ["1"])
        }
    }

    // MARK: Missing ones

    @Test(arguments: StoreKind.sqlite)
    func `a link that is left out stays as it was`(_ kind: StoreKind) throws {
        try withContext(kind) { context in
            try context.importing("name\nBooks", "Category", as: .csv())
            try context.importing("label\nred\ngreen", "Tag", as: .csv())
            try context.importing(
                """
                {"sku": "a", "category": "Books", "parent": "b", "twinOf": "b", "tags": ["red"]}
                {"sku": "b"}
                """)
            // No category can come any more, and articles might.
            let result = try context.importing(
                """
                {"sku": "a", "title": "x", "category": "?", "parent": "?", "twinOf": "?", \
                "tags": ["?", "green"]}
                """
            ) { $0.missingTargets = .skip }
            #expect(result.updated == 1 && result.errorCount == 0)
            let article = try #require(try context.article("a"))
            #expect(article[one: "category"]?["name"] == "Books")
            #expect(article[one: "parent"]?["sku"] == "b")
            #expect(article[one: "twinOf"]?["sku"] == "b")
            try #expect(related(context, "a", "tags") == ["green"])
            try #expect(article.value(forKey: "title") == .string("x"))
        }
    }

    @Test func `a target that is not there is an error of the row, or left out`() throws {
        try withContext { context in
            let text =
                """
                {"sku": "a", "category": "x"}
                {"sku": "b", "tags": ["y"]}
                {"sku": "c", "parent": "z"}
                """
            let failure = context.failure(text)
            #expect(
                failure
                    == "Article:1: category references no Category that exists. "
                    + "Import that one too, or correct the key."
            )
            let result = try context.importing(text) { $0.onError = .skipInvalidRows }
            #expect(result.errors.map(\.line) == [1, 2, 3])
            // The parent might have come later, so the row was kept.
            try #expect(skus(context.all("Article")) == ["c"])
            let skipping = try context.importing(text) { $0.missingTargets = .skip }
            #expect(skipping.inserted == 2 && skipping.updated == 1 && skipping.errorCount == 0)
            #expect(
                context.failure("{\"name\": \"1\", \"before\": \"0\"}", "Step") {
                    $0.missingTargets = .skip
                }.contains("before references no Step"))
        }
    }

    @Test func `what has no unique attributes cannot be led to`() throws {
        try withContext { context in
            #expect(
                context.failure("{\"sku\": \"a\", \"mark\": \"m\"}").contains(
                    "Mark, which has no unique"))
            #expect(
                context.failure("sku,mark\na,m", as: .csv()).contains("Mark, which has no unique"))
            try context.importing("sku,mark\na,", as: .csv())
            try context.importing("{\"text\": \"m\", \"article\": \"a\"}", "Mark")
            try #expect(context.article("a")?[one: "mark"]?["text"] == "m")
        }
    }

    @Test func `a key that lacks a part, or is another kind of value`() throws {
        try withContext { context in
            for (text, words) in [
                ("{\"sku\": \"a\", \"city\": {\"name\": \"x\"}}", "lacks region"),
                ("{\"sku\": \"a\", \"city\": \"x\"}", "city does not name"),
                ("{\"sku\": \"a\", \"category\": 1}", "is not a string"),
                ("{\"sku\": \"a\", \"category\": [\"x\"]}", "category"),
                ("{\"sku\": \"a\", \"tags\": \"x\"}", "an array of them"),
                ("{\"sku\": \"a\", \"tags\": [null]}", "a key is null"),
                ("{\"sku\": \"a\", \"tags\": [[]]}", "is not a string"),
            ] {
                let failure = context.failure(text)
                #expect(failure.contains(words), "\(text): \(failure)")
            }
            for (text, words) in [
                ("sku,city.name,city.region\na,x,", "lacks a part"),
                ("sku,city\na,x", "city.region, city.name"),
                ("sku,tags\na,x;;y", "empty key"), ("sku,tags\na,x\"y", "within a field"),
                ("sku,tags\na,\"\"\"x\"", "not a list"),
            ] {
                let failure = context.failure(text, as: .csv())
                #expect(failure.contains(words), "\(text): \(failure)")
            }
            #expect(
                context.failure("name,region,articles\nx,y,a", "City", as: .csv())
                    .contains("references no Article"))
        }
    }

    // MARK: To many

    @Test(arguments: StoreKind.sqlite)
    func `a list replaces what was there, in its order`(_ kind: StoreKind) throws {
        try withContext(kind) { context in
            try context.importing("label\n1\n2\n3\n\"4;x\"", "Tag", as: .csv())
            try context.importing(
                "{\"sku\": \"a\", \"tags\": [\"3\", \"1\", \"3\"]}\n{\"sku\": \"b\"}")
            try #expect(related(context, "a", "tags") == ["3", "1"])
            let other = try context.article("a")
            try context.importing("sku,tags\na,\"2;\"\"4;x\"\";3\"\nb,1", as: .csv())
            try #expect(related(context, "a", "tags") == ["2", "4;x", "3"])
            try #expect(other?.many("tags").count == 3)
            try #expect(related(context, "b", "tags") == ["1"])
            // Another order alone.
            try context.importing("sku;tags\na;3,2,4\\", as: .csv(separator: ";")) {
                $0.missingTargets = .skip
            }
            try #expect(related(context, "a", "tags") == ["3", "2"])
            try context.importing(
                "{\"sku\": \"a\", \"title\": \"x\"}\n{\"sku\": \"b\", \"tags\": []}")
            try #expect(related(context, "a", "tags") == ["3", "2"])
            try #expect(related(context, "b", "tags") == [])
            try context.save()
        }
    }

    @Test func `a many-to-many from either side, to rows that come later`() throws {
        try withContext { context in
            try context.importing(
                """
                {"sku": "a", "related": ["b", "c"]}
                {"sku": "b", "relatedFrom": ["c", "a"]}
                {"sku": "c", "related": ["b", "a"]}
                """)
            try #expect(related(context, "a", "related") == ["b", "c"])
            try #expect(related(context, "c", "related") == ["a", "b"])
            try #expect(related(context, "b", "relatedFrom") == ["a", "c"])
        }
    }

    @Test(arguments: StoreKind.sqlite)
    func `a one-to-many from the side of the many takes members from others`(
        _ kind: StoreKind
    ) throws {
        try withContext(kind) { context in
            try context.importing("sku\na\nb\nc", as: .csv())
            try context.importing(
                """
                {"name": "1", "articles": ["c", "a"]}
                {"name": "2", "articles": ["b"]}
                """,
                "Category")
            let categories = try context.all("Category")
            func members() throws -> [[String]] {
                try categories.map { try skus($0.orderedRelatedObjects(forKey: "articles")) }
            }
            try #expect(members() == [["c", "a"], ["b"]])
            try context.importing("{\"name\": \"2\", \"articles\": [\"a\", \"b\"]}", "Category")
            try #expect(members() == [["c"], ["a", "b"]])
            try context.importing("name,articles\n1,\n2,b;c", "Category", as: .csv())
            try #expect(members() == [[], ["b", "c"]])
            try #expect(context.article("a")?[one: "category"] == nil)
        }
    }

    @Test(arguments: [false, true])
    func `of several that want one object the last row gets it`(_ isLater: Bool) throws {
        try withContext { context in
            try context.importing("name\n1\n2\n3", "Category", as: .csv())
            try context.importing("sku\na\nb", as: .csv())
            // Neither the first key nor the last one.
            let text = ["3", "1", "2"].map { #"{"name": "\#($0)", "articles": ["a", "b"]}"# }
            var request = ImportRequest([source("Category", text.joined(separator: "\n"))])
            if isLater {
                // Then all links wait until the end.
                request.sources[0] = source(
                    "Category", text.joined(separator: "\n").replacing("\"b\"", with: "\"c\""))
                request.sources.append(source("Article", "{\"sku\": \"c\"}"))
            }
            try context.execute(request)
            try #expect(context.article("a")?[one: "category"]?["name"] == "2")
        }
    }

    @Test func `a one-to-one from either side`() throws {
        try withContext { context in
            try context.importing("sku\na\nb\nc", as: .csv())
            try context.importing(
                "{\"sku\": \"a\", \"twin\": \"b\"}\n{\"sku\": \"c\", \"twinOf\": \"c\"}")
            try #expect(context.article("b")?[one: "twinOf"]?["sku"] == "a")
            try #expect(context.article("c")?[one: "twin"]?["sku"] == "c")
            let failure = context.failure("{\"sku\": \"d\", \"twin\": \"b\"}")
            #expect(failure.contains("another one already has"), "\(failure)")
            let update = context.failure("{\"sku\": \"c\", \"twin\": \"b\"}")
            #expect(update.contains("another one already has"), "\(update)")
            let later = context.failure(
                """
                {"sku": "d", "twin": "e"}
                {"sku": "e", "twinOf": "a"}
                {"sku": "f", "twin": "e"}
                """
            )
            #expect(later.contains("twin"), "\(later)")
            try #expect(context.article("b")?[one: "twinOf"]?["sku"] == "a")
        }
    }

    @Test func `a list that would leave others without what they require`() throws {
        try withContext { context in
            let root = try context.make("Step", ["name": "root"])
            root[one: "before"] = root
            try context.save()
            try context.importing("{\"name\": \"1\", \"before\": \"root\"}", "Step")
            let failure = context.failure("{\"name\": \"root\", \"after\": []}", "Step")
            #expect(failure.contains("before is required"), "\(failure)")
            let result = try context.importing(
                "{\"name\": \"root\", \"after\": []}\n{\"name\": \"1\", \"after\": [\"1\"]}", "Step"
            ) { $0.onError = .skipInvalidRows }
            #expect(result.errorCount == 1 && result.errors.first?.line == 1)
            try #expect(context.all("Step")[1][one: "before"]?["name"] == "1")
        }
    }
}
