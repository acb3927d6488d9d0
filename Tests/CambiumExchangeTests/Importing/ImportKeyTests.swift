import CambiumExchange
import Testing

/// Rows whose unique values include what they reference.
struct ImportKeyTests {
    private func withClubs(
        _ kind: StoreKind = .memory, _ body: (ManagedObjectContext) throws -> Void
    ) throws {
        try withContainer(Clubs.model, on: kind) { container in
            let context = container.newContext()
            try context.importing("email\nann@x\nbob@x", "Person", as: .csv())
            try context.importing("town,name\nYork,Chess\nYork,Judo", "Club", as: .csv())
            try body(context)
        }
    }

    /// The memberships in words.
    private func memberships(_ context: ManagedObjectContext) throws -> [String] {
        try context.all("Membership").map { membership in
            let note: String = membership["note"]
            let level = try membership.value(forKey: "level")
            guard case .int(let level) = level else { return "no level" }
            return "\(membership[one: "person"]?["email"] ?? "-") "
                + "\(membership[one: "club"]?["name"] ?? "-") \(level)\(note.isEmpty ? "" : " ")\(note)"
        }.sorted()
    }

    private func counts(_ result: ImportResult) -> String {
        "\(result.inserted) \(result.updated) \(result.skipped) \(result.errorCount)"
    }

    private let header = "person,club.town,club.name,level,note"

    // MARK: Updating

    @Test(arguments: StoreKind.sqlite)
    func `a row updates the object with the same person and club`(_ kind: StoreKind) throws {
        try withClubs(kind) { context in
            let first = try context.importing(
                "\(header)\nann@x,York,Chess,2,old\nann@x,York,Judo,3,", "Membership", as: .csv())
            #expect(counts(first) == "2 0 0 0")
            let ann = try #require(try context.all("Person").first)
            try #expect(ann.many("memberships").count == 2)
            let second = try context.importing(
                """
                {"person": "ann@x", "club": {"town": "York", "name": "Chess"}, "level": 5}
                {"person": {"email": "bob@x"}, "club": {"town": "York", "name": "Chess"}}
                {"person": "bob@x", "club": {"name": "Chess", "town": "York"}, "level": 7}
                """, "Membership")
            // The third row updates what the second one inserted.
            #expect(counts(second) == "1 2 0 0")
            try #expect(
                memberships(context)
                    == ["ann@x Chess 5 old", "ann@x Judo 3", "bob@x Chess 7"])
        }
    }

    @Test(arguments: [
        (MergePolicy.objectTrump, "0 1 0 0", "ann@x Chess 1 new"),
        (.overwrite, "0 1 0 0", "ann@x Chess 1 new"),
        (.storeTrump, "0 0 1 0", "ann@x Chess 1 old"), (.rollback, "0 0 1 0", "ann@x Chess 1 old"),
        (.error, "0 0 0 1", "ann@x Chess 1 old"),
    ])
    func `all policies know the object`(
        _ policy: MergePolicy, _ expected: String, _ shown: String
    ) throws {
        try withClubs { context in
            try context.importing(
                "\(header)\nann@x,York,Chess,1,old", "Membership", as: .csv())
            let result = try context.importing(
                #"{"person": "ann@x", "club": {"town": "York", "name": "Chess"}, "note": "new"}"#,
                "Membership"
            ) {
                $0.mergePolicy = policy
                $0.onError = .skipInvalidRows
            }
            #expect(counts(result) == expected)
            try #expect(memberships(context) == [shown])
            if policy == .error {
                #expect(result.errors[0].line == 1)
                #expect(
                    result.errors[0].message.contains("same person, club"), "\(result.errors)")
            }
        }
    }

    @Test func `overwriting, a row replaces what it leaves out`() throws {
        try withClubs { context in
            try context.importing(
                "\(header)\nann@x,York,Chess,9,old", "Membership", as: .csv())
            try context.importing(
                #"{"person": "ann@x", "club": {"town": "York", "name": "Chess"}}"#, "Membership"
            ) { $0.mergePolicy = .overwrite }
            try #expect(memberships(context) == ["ann@x Chess 1"])
        }
    }

    @Test func `a relationship alone is a key`() throws {
        try withClubs { context in
            try context.importing("holder,colour\nann@x,red\nbob@x,red", "Badge", as: .csv())
            let result = try context.importing("holder,colour\nbob@x,blue", "Badge", as: .csv())
            #expect(counts(result) == "0 1 0 0")
            try #expect(context.all("Badge").map { $0["colour"] } == ["red", "blue"])
        }
    }

    @Test func `a key with a nil never matches, as in the store`() throws {
        try withClubs { context in
            for _ in 0..<2 {
                let result = try context.importing(
                    "{\"person\": \"ann@x\", \"club\": null}\n{\"person\": \"ann@x\"}",
                    "Membership")
                #expect(counts(result) == "2 0 0 0")
            }
            try #expect(memberships(context) == Array(repeating: "ann@x - 1", count: 4))
        }
    }

    // MARK: Later destinations

    @Test(arguments: [false, true])
    func `a row waits for the destination in its key`(_ exists: Bool) throws {
        try withClubs { context in
            if exists {
                try context.importing("town,name\nBath,Golf", "Club", as: .csv())
                try context.importing(
                    "\(header)\nann@x,Bath,Golf,1,old", "Membership", as: .csv())
            }
            var request = ImportRequest([
                ImportSource(
                    entityName: "Membership",
                    from: .text(
                        """
                        {"person": "ann@x", "club": {"town": "Bath", "name": "Golf"}, "level": 4}
                        {"person": "ann@x", "club": {"town": "Bath", "name": "Golf"}, "level": 5}
                        """), as: .jsonLines),
                ImportSource(
                    entityName: "Club", from: .text("town,name\nBath,Golf"), as: .csv()),
            ])
            request.onError = .skipInvalidRows
            let result = try context.execute(request)
            // One object, although its club may be nil and could be linked later.
            #expect(counts(result) == (exists ? "0 3 0 0" : "2 1 0 0"))
            try #expect(memberships(context) == ["ann@x Golf 5" + (exists ? " old" : "")])
        }
    }

    @Test(arguments: [MissingTargetHandling.error, .skip])
    func `without the destination in its key a row is refused`(
        _ handling: MissingTargetHandling
    ) throws {
        try withClubs { context in
            let row = #"{"person": "ann@x", "club": {"town": "York", "name": "Golf"}}"#
            for later in ["", "town,name\nYork,Go"] {
                var request = ImportRequest([
                    ImportSource(entityName: "Membership", from: .text(row), as: .jsonLines),
                    ImportSource(entityName: "Club", from: .text(later), as: .csv()),
                ])
                request.missingTargets = handling
                request.onError = .skipInvalidRows
                let result = try context.execute(request)
                #expect(
                    result.errors.map(\.description) == [
                        "Membership:1: club references no Club that exists. Import that one too, "
                            + "or correct the key."
                    ])
                #expect(result.errors.first?.field == "club")
            }
            try #expect(memberships(context) == [])
        }
    }

    @Test func `the number of statements does not grow with the rows`() throws {
        try withStoreFile { path in
            let statements = StatementCount(of: " ")
            var options = StoreOptions()
            options.statementHook = statements.hook
            let container = try PersistentContainer(
                model: Clubs.model, at: .file(path), options: options)
            let context = container.newContext()
            let people = (0..<1000).map { "p\($0)@x" }
            try context.importing("email\n" + people.joined(separator: "\n"), "Person", as: .csv())
            try context.importing("town,name\nYork,Chess", "Club", as: .csv())
            func count(_ rows: Int, _ expected: String) throws -> Int {
                let lines = people.prefix(rows).map { "\($0),York,Chess,\(rows)," }
                let before = statements.statements
                let result = try context.importing(
                    "\(header)\n" + lines.joined(separator: "\n"), "Membership", as: .csv())
                #expect(counts(result) == expected)
                return statements.statements - before
            }
            _ = try count(4, "4 0 0 0")
            let few = try count(4, "0 4 0 0")
            #expect(try count(900, "896 4 0 0") <= few + 4)
            #expect(try count(900, "0 900 0 0") == few)
        }
    }

    // MARK: Keys of destinations

    @Test(arguments: StoreKind.sqlite)
    func `a destination is named by the keys of what it references`(_ kind: StoreKind) throws {
        try withClubs(kind) { context in
            try context.importing(
                "\(header)\nann@x,York,Chess,2,\nbob@x,York,Judo,3,", "Membership", as: .csv())
            let columns = "membership.person,membership.club.town,membership.club.name"
            try context.importing(
                "\(columns),year,paid\nann@x,York,Chess,2026,no\nbob@x,York,Judo,2026,no", "Fee",
                as: .csv())
            let result = try context.importing(
                """
                {"membership": {"person": "bob@x", "club": {"town": "York", "name": "Judo"}}, \
                "year": 2026, "paid": "yes"}
                {"membership": {"person": {"email": "bob@x"}, \
                "club": {"town": "York", "name": "Judo"}}, "year": 2027, "paid": "no"}
                """, "Fee")
            #expect(counts(result) == "1 1 0 0")
            let fees = try context.all("Fee")
            #expect(fees.map { $0["paid"] } == ["no", "yes", "no"])
            #expect(
                fees.map { $0[one: "membership"]?[one: "person"]?["email"] }
                    == ["ann@x", "bob@x", "bob@x"])
            for (text, words) in [
                (
                    #"{"membership": {"person": "ann@x", "club": {"town": "York", "name": "Judo"}}}"#,
                    "membership references no Membership that exists"
                ),
                (#"{"membership": {"person": "ann@x"}}"#, "lacks club"),
                (
                    #"{"membership": {"person": "ann@x", "club": {"town": "York"}}}"#,
                    "lacks name"
                ),
                (#"{"membership": "ann@x"}"#, "membership does not name"),
            ] {
                let failure = context.failure(text, "Fee")
                #expect(failure.contains(words), "\(text): \(failure)")
            }
            #expect(
                context.failure("\(columns)\nann@x,York,", "Fee", as: .csv())
                    .contains("lacks a part of its key"))
            #expect(
                context.failure("membership\nann@x", "Fee", as: .csv()).contains(
                    "membership.person, membership.club.town, membership.club.name"))
        }
    }

    @Test func `what is exported is named the same way`() throws {
        try withClubs { context in
            try context.importing("\(header)\nann@x,York,Chess,2,", "Membership", as: .csv())
            let row =
                #"{"year":2026,"paid":null,"membership":"#
                + #"{"person":"ann@x","club":{"town":"York","name":"Chess"}}}"# + "\n"
            try context.importing(row, "Fee")
            try #expect(context.exported("Fee") == row)
            let csv =
                "year,paid,membership.person,membership.club.town,membership.club.name\r\n"
                + "2026,,ann@x,York,Chess\r\n"
            try #expect(context.exported("Fee", as: .csv()) == csv)
            #expect(try counts(context.importing(csv, "Fee", as: .csv())) == "0 1 0 0")
            let membership = try #require(try context.all("Membership").first)
            membership[one: "club"] = nil
            let error = #expect(throws: StoreError.self) { try context.exported("Fee") }
            #expect(error?.message.contains("has no club.town, by which") == true)
        }
    }

    @Test func `a tree whose names have no end cannot be named by them`() throws {
        try withClubs { context in
            let failure = context.failure(#"{"name": "b", "parent": "a"}"#, "Folder")
            #expect(failure.contains("Folder, which has no unique values"), "\(failure)")
            let error = #expect(throws: StoreError.self) {
                try context.importing("{}", "Folder") {
                    $0.sources[0].relationshipKeys = ["parent": ["parent", "name"]]
                }
            }
            #expect(error?.message.contains("includes a relationship whose objects") == true)
        }
    }

    // MARK: The documentation

    @Test func `the example of the documentation`() throws {
        try withClubs { context in
            let csv = """
                person,club.town,club.name,level
                ann@x,York,Chess,2
                bob@x,York,Judo,1
                """
            var result = try context.execute(
                ImportRequest([
                    ImportSource(entityName: "Membership", from: .text(csv), as: .csv())
                ]))
            #expect(result.inserted == 2)
            let later =
                #"{"person": "ann@x", "club": {"town": "York", "name": "Chess"}, "level": 3}"#
            result = try context.execute(
                ImportRequest([
                    ImportSource(entityName: "Membership", from: .text(later), as: .jsonLines)
                ]))
            #expect(result.updated == 1)
            try #expect(memberships(context) == ["ann@x Chess 3", "bob@x Judo 1"])
        }
    }
}
