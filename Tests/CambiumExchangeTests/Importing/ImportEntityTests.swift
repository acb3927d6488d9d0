import CambiumExchange
import Foundation
import Testing

/// Files whose rows say which entity of a hierarchy they are of.
struct ImportEntityTests {
    private func withContext(
        _ kind: StoreKind = .memory, _ body: (ManagedObjectContext) throws -> Void
    ) throws {
        try withContainer(Clubs.model, on: kind) { try body($0.newContext()) }
    }

    @discardableResult
    private func parties(
        _ context: ManagedObjectContext, _ text: String, as format: ExchangeFormat = .jsonLines,
        by field: ExchangeEntityField = "type", _ change: (inout ImportRequest) -> Void = { _ in }
    ) throws -> ImportResult {
        try context.importing(text, "Party", as: format) {
            $0.sources[0].entityField = field
            change(&$0)
        }
    }

    private func failure(
        _ context: ManagedObjectContext, _ text: String, as format: ExchangeFormat = .jsonLines,
        by field: ExchangeEntityField = "type"
    ) -> String {
        context.failure(text, "Party", as: format) { $0.sources[0].entityField = field }
    }

    /// The parties in words.
    private func shown(_ context: ManagedObjectContext) throws -> [String] {
        try context.all("Party").map { party in
            let born = (try? party.value(forKey: "born")).map { value in
                switch value {
                case .int(let year): " \(year)"
                case .string(let text): " '\(text)'"
                default: ""
                }
            }
            let links = ["parent", "employer"].compactMap { party[one: $0]?["code"] }
            return ([party.entity.name, party["code"], party["title"], party["register"]] + links)
                .filter { !$0.isEmpty }.joined(separator: " ") + (born ?? "")
        }.sorted()
    }

    private static let csv = """
        type,code,title,born,register,employer,parent
        Individual,a,Ann,1990,,k,
        Company,k,Knit,,HR 1,,b
        Bank,b,Bank,soon,HR 2,,
        Individual,c,,,,,a
        """

    private static let all = [
        "Bank b Bank HR 2 'soon'", "Company k Knit HR 1 b", "Individual a Ann k 1990",
        "Individual c a",
    ]

    // MARK: Choosing

    @Test(arguments: StoreKind.sqlite)
    func `a column says the entity of each row`(_ kind: StoreKind) throws {
        try withContext(kind) { context in
            let result = try parties(context, Self.csv, as: .csv())
            #expect(result.inserted == 4 && result.ignoredFields.isEmpty)
            try #expect(shown(context) == Self.all)
            // Once more changes nothing, and a part of the rows updates those.
            try #expect(parties(context, Self.csv, as: .csv()).updated == 4)
            try #expect(shown(context) == Self.all)
            let text = """
                {"type": "Bank", "code": "b", "born": null}
                {"title": "Anna", "born": 1991, "employer": null, "code": "a", "type": "Individual"}
                """
            try #expect(parties(context, text).updated == 2)
            try #expect(
                shown(context)
                    == [
                        "Bank b Bank HR 2", "Company k Knit HR 1 b", "Individual a Anna 1991",
                        "Individual c a",
                    ])
        }
    }

    @Test func `words of the file's own, a default, and the names of fields`() throws {
        try withContext { context in
            let field = ExchangeEntityField(
                "kind",
                words: [
                    "p": "Individual", "person": "Individual", "Company": "Bank", "c": "Company",
                ],
                defaultEntity: "Individual")
            let text = """
                [{"kind": "p", "id": "1", "year": 1}, {"kind": "person", "id": "2", "year": 2},
                 {"kind": "Company", "id": "3", "register": "x", "year": "then"}, {"id": "4"},
                 {"kind": null, "id": "5"}, {"kind": "c", "id": "6", "register": "y", "year": 6}]
                """
            let result = try parties(context, text, as: .json, by: field) {
                $0.sources[0].fieldNames = ["code": "id", "born": "year"]
            }
            #expect(result.inserted == 6 && result.ignoredFields.isEmpty)
            try #expect(
                shown(context)
                    == [
                        "Bank 3 x 'then'", "Company 6 y", "Individual 1 1", "Individual 2 2",
                        "Individual 4", "Individual 5",
                    ])
            try parties(context, "code;kind\n7;\n8;\"\"\n9;p", as: .csv(separator: ";"), by: field)
            try parties(context, "code\n10", as: .csv(), by: field)
            try #expect(shown(context).suffix(7).count { $0.hasPrefix("Individual") } == 7)
            try #expect(context.all("Individual").count == 8)
        }
    }

    @Test func `fields that another entity has are not read, and others are named`() throws {
        try withContext { context in
            let result = try parties(
                context, "type,code,born,register,colour\nCompany,k,soon,HR 1,red", as: .csv())
            #expect(result.ignoredFields == ["colour"])
            let json = try parties(
                context, #"{"type": "Individual", "code": "i", "register": 7, "color": 1}"#)
            #expect(json.ignoredFields == ["color"])
            try #expect(shown(context) == ["Company k HR 1", "Individual i"])
        }
    }

    @Test func `a row that waits keeps its entity`() throws {
        try withContext { context in
            let text = """
                {"type": "Branch", "code": "n", "register": "1", "bank": "b", "born": 1}
                {"type": "Individual", "code": "i", "employer": "n", "parent": "b"}
                {"type": "Bank", "code": "b", "register": "2", "born": "then", "parent": "n"}
                """
            try #expect(parties(context, text).inserted == 3)
            try #expect(
                shown(context) == ["Bank b 2 n 'then'", "Branch n 1", "Individual i b n"])
            let branch = try #require(try context.all("Branch").first)
            #expect(branch[one: "bank"]?["code"] == "b")
            // A company is no bank.
            let row = #"{"type": "Branch", "code": "m", "register": "1", "bank": "n"}"#
            let failure = failure(context, row)
            #expect(failure.hasPrefix("Party:1: bank references no Bank"), "\(failure)")
        }
    }

    @Test func `the example of the documentation`() throws {
        try withContext { context in
            let csv = """
                type,code,title,born,register
                Individual,a,Ann,1990,
                Company,k,Knitters,,HR 1
                """
            var source = ImportSource(entityName: "Party", from: .text(csv), as: .csv())
            source.entityField = "type"
            try #expect(context.execute(ImportRequest([source])).inserted == 2)
            try #expect(shown(context) == ["Company k Knitters HR 1", "Individual a Ann 1990"])
            var request = ExportRequest(
                FetchRequest<ManagedObject>(entityName: "Party"), as: .csv())
            request.entityField = "type"
            let text = try withStoreFile { path in
                try context.execute(request, to: path)
                return try String(contentsOfFile: path, encoding: .utf8)
            }
            source = ImportSource(entityName: "Party", from: .text(text), as: .csv())
            source.entityField = "type"
            try #expect(context.execute(ImportRequest([source])).updated == 2)
        }
    }

    // MARK: Refusing

    @Test func `a word that means no entity is an error with its place`() throws {
        try withContext { context in
            let known = "Individual, Company, Bank, Branch"
            for (text, words) in [
                (#"{"code": "a"}"#, "Party:1: type is required: it has the entity of the object"),
                (#"{"code": "a", "type": null}"#, "Party:1: type is required"),
                (#"{"code": "a", "type": 1}"#, "Party:1: type is not a string"),
                (
                    #"{"code": "a", "type": "individual"}"#,
                    "Party:1: type means no entity. Write \(known)."
                ),
                (
                    #"{"code": "a", "type": "Party"}"#,
                    "Party:1: type means Party, which is abstract: no object is of it alone. "
                        + "Write \(known)."
                ),
                (
                    #"{"code": "a", "type": "Person"}"#,
                    "Party:1: type means Person, which is not Party or a sub-entity of it. "
                        + "Write \(known)."
                ),
            ] {
                let failure = failure(context, text)
                #expect(failure.hasPrefix(words), "\(text): \(failure)")
            }
            for (text, words) in [
                ("code,type\na,", "Party:2:3: type is required"),
                ("code,type\na,x", "Party:2:3: type means no entity"),
                ("code,type\n\"a\",\"Person\"", "Party:2:5: type means Person"),
                ("code\na", "Party:1: No column is called type"),
            ] {
                let failure = failure(context, text, as: .csv())
                #expect(failure.hasPrefix(words), "\(text): \(failure)")
            }
            let field = ExchangeEntityField("type", words: ["p": "Individual"])
            #expect(
                failure(context, #"{"type": "Individual"}"#, by: field)
                    .contains("means Individual, which has another word here. Write p, Company"))
            let result = try parties(
                context, "code,type\na,Individual\nb,x\nc,Individual", as: .csv()
            ) { $0.onError = .skipInvalidRows }
            #expect(result.inserted == 2 && result.errors.map(\.line) == [3])
            #expect(result.errors.first?.field == "type")
        }
    }

    @Test func `a request that no file could fit is refused`() throws {
        try withContext { context in
            for (field, words) in [
                (ExchangeEntityField("title"), "is also the field of Individual"),
                (ExchangeEntityField("type", words: ["x": "Person"]), "names Person, which is not"),
                (ExchangeEntityField("type", words: ["x": "Nobody"]), "names Nobody, which is not"),
                (ExchangeEntityField("type", words: ["x": "Party"]), "or is abstract"),
                (ExchangeEntityField("type", defaultEntity: "Party"), "or is abstract"),
                (
                    ExchangeEntityField("type", words: ["Bank": "Company"]),
                    "the word Bank means Company, so that no word means Bank"
                ),
            ] {
                let failure = failure(context, "{}", by: field)
                #expect(failure.contains(words), "\(field): \(failure)")
            }
            #expect(context.failure("{}", "Party").contains("no entity Party that is not abstract"))
            #expect(
                context.failure("{}", "Nobody") { $0.sources[0].entityField = "type" }
                    .contains("no entity Nobody"))
        }
    }

    @Test(arguments: [MergePolicy.objectTrump, .overwrite, .storeTrump])
    func `no row changes the entity of an object`(_ policy: MergePolicy) throws {
        try withContext { context in
            try parties(context, Self.csv, as: .csv())
            let text = """
                {"type": "Individual", "code": "d"}
                {"type": "Company", "code": "a", "title": "x", "register": "r"}
                {"type": "Company", "code": "b", "title": "x", "register": "r"}
                {"type": "Bank", "code": "k", "title": "x", "register": "r"}
                {"type": "Company", "code": "d", "title": "x", "register": "r"}
                """
            let result = try parties(context, text) {
                $0.mergePolicy = policy
                $0.onError = .skipInvalidRows
            }
            #expect(result.inserted == 1)
            try #expect(shown(context) == Self.all.dropLast() + ["Individual c a", "Individual d"])
            guard policy != .storeTrump else {
                #expect(result.skipped == 4 && result.errorCount == 0)
                return
            }
            #expect(result.errors.map(\.line) == [2, 3, 4, 5])
            #expect(
                result.errors.first?.message
                    == "An object of Individual has the same code, and the entity of an object never "
                    + "changes. Give the row the entity Individual, or delete that object first.")
            #expect(result.errors.first?.field == "code")
        }
    }

    @Test func `the first of two rows with one key decides, whatever their entities`() throws {
        try withContext { context in
            // In the order of the entities the second row would be written first.
            let text = """
                {"type": "Bank", "code": "x", "register": "1"}
                {"type": "Individual", "code": "x"}
                {"type": "Bank", "code": "x", "register": "2"}
                """
            let result = try parties(context, text) { $0.onError = .skipInvalidRows }
            #expect(result.inserted == 1 && result.updated == 1)
            #expect(result.errors.map(\.line) == [2])
            try #expect(shown(context) == ["Bank x 2"])
            #expect(
                failure(context, text.replacing("\"x\"", with: "\"y\"")).hasPrefix(
                    "Party:2: An object of Bank"))
        }
    }

    // MARK: Exporting

    @Test(arguments: [ExchangeFormat.json, .jsonLines, .csv(), .csv(separator: ";")])
    func `an export of a hierarchy comes back`(_ format: ExchangeFormat) throws {
        let field = ExchangeEntityField(
            "kind", words: ["person": "Individual", "human": "Individual"])
        try withContext { context in
            try parties(context, Self.csv, as: .csv())
            let text = try context.exported("Party", as: format) { $0.entityField = field }
            #expect(text.contains("human") && !text.contains("person"))
            try withContext { other in
                let result = try parties(other, text, as: format, by: field)
                #expect(result.inserted == 4 && result.ignoredFields.isEmpty)
                try #expect(shown(other) == Self.all)
                try #expect(
                    other.exported("Party", as: format) { $0.entityField = field }.count
                        == text.count)
            }
        }
    }

    @Test func `each object has the fields of its own entity`() throws {
        try withContext { context in
            try parties(context, Self.csv, as: .csv())
            let request = { (request: inout ExportRequest<ManagedObject>) in
                request.entityField = "type"
                request.properties = ["code", "born", "register"]
                request.objects.sortOrders = [SortOrder("code")]
            }
            try #expect(
                context.exported("Party", as: .csv(), request)
                    == "type,code,born,register\r\nIndividual,a,1990,\r\nBank,b,soon,HR 2\r\n"
                    + "Individual,c,,\r\nCompany,k,,HR 1\r\n")
            try #expect(
                context.exported("Company", request)
                    == """
                    {"type":"Bank","code":"b","born":"soon","register":"HR 2"}
                    {"type":"Company","code":"k","register":"HR 1"}

                    """)
            let alone = try context.exported("Company") {
                request(&$0)
                $0.properties = ["code", "register"]
                $0.objects.includesSubentities = false
            }
            #expect(alone == "{\"type\":\"Company\",\"code\":\"k\",\"register\":\"HR 1\"}\n")
            for (change, words) in [
                ({ $0.properties = ["colour"] }, "has no property colour"),
                ({ $0.entityField = "code" }, "is also the field of Individual"),
            ] as [((inout ExportRequest<ManagedObject>) -> Void, String)] {
                let error = #expect(throws: StoreError.self) {
                    try context.exported("Party") {
                        request(&$0)
                        change(&$0)
                    }
                }
                #expect(error?.message.contains(words) == true, "\(String(describing: error))")
            }
        }
    }
}
