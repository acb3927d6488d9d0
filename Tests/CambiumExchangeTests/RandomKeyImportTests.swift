import CambiumExchange
import Testing

/// Imports whose rows are known by what they reference, or say their entities, against dictionaries
/// that do the same.
struct RandomKeyImportTests {
    private static let policies: [MergePolicy] = [.objectTrump, .overwrite, .storeTrump, .error]

    /// What an import should count.
    private struct Counts: Equatable {
        var inserted = 0
        var updated = 0
        var skipped = 0
        var errors = 0
    }

    private func counts(_ result: ImportResult) -> Counts {
        Counts(
            inserted: result.inserted, updated: result.updated, skipped: result.skipped,
            errors: result.errorCount)
    }

    // MARK: Keys with relationships

    /// A membership in a file. Nil in `note` means that it is left out.
    private struct Row {
        var person: String
        var club: String?
        var level: Int?
        var note: String??

        /// Nil where it is not known by its key.
        var key: String? { club.map { "\(person) \($0)" } }
    }

    private struct Known: Equatable {
        var level = 1
        var note: String?
    }

    /// The store in memory.
    private struct Memory {
        var people: Set<String> = []
        var clubs: Set<String> = []
        var known: [String: Known] = [:]
        /// Memberships without a club.
        var others: [String] = []

        mutating func take(_ row: Row, _ policy: MergePolicy, _ counts: inout Counts) {
            guard people.contains(row.person), row.club.map(clubs.contains) ?? true else {
                counts.errors += 1
                return
            }
            let old = row.key.flatMap { known[$0] }
            if old != nil, policy == .storeTrump {
                counts.skipped += 1
                return
            }
            if row.level == -1 || (old != nil && policy == .error) {
                counts.errors += 1
                return
            }
            var new = policy == .objectTrump ? old ?? Known() : Known()
            if let level = row.level { new.level = level }
            if let note = row.note { new.note = note }
            if old == nil { counts.inserted += 1 } else { counts.updated += 1 }
            if let key = row.key {
                known[key] = new
            } else {
                others.append("\(row.person) \(new.level) \(new.note ?? "-")")
            }
        }

        var shown: [String] {
            (known.map { "\($0.key) \($0.value.level) \($0.value.note ?? "-")" } + others).sorted()
        }
    }

    @Test func `memberships are known by person and club`() throws {
        try forEachSeed(for: 1) { seed in
            var generator = SeededGenerator(seed: seed)
            let kinds = Array(StoreKind.sqlite)
            let kind = kinds.randomElement(using: &generator) ?? .memory
            try withContainer(Clubs.model, on: kind) { container in
                var memory = Memory()
                for round in 0..<4 {
                    // Nobody knows the rows of the other context.
                    let context = container.newContext()
                    let policy = Self.policies.randomElement(using: &generator) ?? .error
                    var expected = Counts()
                    let request = request(policy, &memory, &expected, &generator)
                    let result = try context.execute(request)
                    #expect(
                        counts(result) == expected,
                        "seed \(seed), round \(round), \(policy): \(result.errors)")
                    #expect(
                        try shown(context) == memory.shown,
                        "seed \(seed), round \(round), \(policy)")
                }
            }
        }
    }

    private func request(
        _ policy: MergePolicy, _ memory: inout Memory, _ expected: inout Counts,
        _ generator: inout SeededGenerator
    ) -> ImportRequest {
        let people = Set((0..<6).map { "p\($0)" }.filter { _ in generator.chance(0.2) })
        let clubs = Set((0..<4).map { "c\($0)" }.filter { _ in generator.chance(0.2) })
        func count(_ new: Set<String>, _ old: inout Set<String>) {
            for name in new.sorted() {
                switch (old.insert(name).inserted, policy) {
                case (true, _): expected.inserted += 1
                case (false, .storeTrump): expected.skipped += 1
                case (false, .error): expected.errors += 1
                default: expected.updated += 1
                }
            }
        }
        count(people, &memory.people)
        count(clubs, &memory.clubs)
        let isCSV = generator.chance(0.5)
        let rows = (0..<Int.random(in: 0..<20, using: &generator)).map { _ in
            var row = Row(
                person: "p\(Int.random(in: 0..<6, using: &generator))",
                club: generator.chance(0.9) ? "c\(Int.random(in: 0..<4, using: &generator))" : nil,
                level: generator.chance(0.5) ? Int.random(in: -1..<9, using: &generator) : nil,
                note: generator.chance(0.5) ? .some(generator.chance(0.7) ? "n" : nil) : nil)
            // An empty field is nil.
            if isCSV, row.note == nil { row.note = .some(nil) }
            return row
        }
        for row in rows { memory.take(row, policy, &expected) }
        var sources = [
            source("Membership", isCSV ? csv(rows) : rows.map(json).joined(separator: "\n"), isCSV),
            source("Person", "email\n" + people.sorted().joined(separator: "\n"), true),
            source(
                "Club", "town,name\n" + clubs.sorted().map { "t,\($0)" }.joined(separator: "\n"),
                true),
        ]
        sources.shuffle(using: &generator)
        var request = ImportRequest(sources)
        request.mergePolicy = policy
        request.onError = .skipInvalidRows
        return request
    }

    private func source(_ entity: String, _ text: String, _ isCSV: Bool) -> ImportSource {
        ImportSource(
            entityName: entity, from: .text(text), as: isCSV ? .csv() : .jsonLines)
    }

    private func csv(_ rows: [Row]) -> String {
        "note,club.name,person,club.town,level\n"
            + rows.map { row in
                let level = row.level.map(String.init) ?? ""
                let town = row.club == nil ? "" : "t"
                return "\((row.note ?? nil) ?? ""),\(row.club ?? ""),\(row.person),\(town),\(level)"
            }.joined(separator: "\n")
    }

    private func json(_ row: Row) -> String {
        var members = ["\"person\": \"\(row.person)\""]
        if let club = row.club {
            members.append("\"club\": {\"name\": \"\(club)\", \"town\": \"t\"}")
        }
        if let level = row.level { members.append("\"level\": \(level)") }
        if let note = row.note {
            members.append("\"note\": \(note.map { "\"\($0)\"" } ?? "null")")
        }
        return "{\(members.joined(separator: ", "))}"
    }

    private func shown(_ context: ManagedObjectContext) throws -> [String] {
        try context.all("Membership").map { membership in
            let names = [membership[one: "person"]?["email"], membership[one: "club"]?["name"]]
            guard case .int(let level) = try membership.value(forKey: "level") else { return "?" }
            let note: String = membership["note"]
            return names.compactMap(\.self).joined(separator: " ")
                + " \(level) \(note.isEmpty ? "-" : note)"
        }.sorted()
    }

    // MARK: Entities

    /// A party in a file.
    private struct PartyRow {
        let entity: String
        let code: String
        let register: String?

        var json: String {
            "{\"type\": \"\(entity)\", \"code\": \"\(code)\""
                + (register.map { ", \"register\": \"\($0)\"" } ?? "") + "}"
        }
    }

    private struct Party {
        let entity: String
        var register: String?
    }

    @Test func `parties keep their entities`() throws {
        try forEachSeed(for: 1) { seed in
            var generator = SeededGenerator(seed: seed)
            try withContainer(Clubs.model) { container in
                var parties: [String: Party] = [:]
                for round in 0..<4 {
                    let policy = Self.policies.randomElement(using: &generator) ?? .error
                    let rows = (0..<Int.random(in: 0..<15, using: &generator)).map { _ in
                        PartyRow(
                            entity: ["Individual", "Company", "Bank"]
                                .randomElement(using: &generator) ?? "",
                            code: "\(Int.random(in: 0..<6, using: &generator))",
                            register: generator.chance(0.7)
                                ? "\(Int.random(in: 0..<6, using: &generator))" : nil)
                    }
                    var expected = Counts()
                    for row in rows { take(row, policy, &parties, &expected) }
                    let context = container.newContext()
                    let result = try context.importing(
                        rows.map(\.json).joined(separator: "\n"), "Party"
                    ) {
                        $0.sources[0].entityField = "type"
                        $0.mergePolicy = policy
                        $0.onError = .skipInvalidRows
                    }
                    #expect(
                        counts(result) == expected,
                        "seed \(seed), round \(round), \(policy): \(result.errors)")
                    let shown = try context.all("Party").map {
                        "\($0["code"]) \($0.entity.name) \($0["register"])"
                    }
                    #expect(
                        shown.sorted()
                            == parties.map {
                                "\($0.key) \($0.value.entity) \($0.value.register ?? "")"
                            }
                            .sorted(), "seed \(seed), round \(round), \(policy)")
                }
            }
        }
    }

    private func take(
        _ row: PartyRow, _ policy: MergePolicy, _ parties: inout [String: Party],
        _ counts: inout Counts
    ) {
        let old = parties[row.code]
        if old != nil, policy == .storeTrump {
            counts.skipped += 1
            return
        }
        // Individuals have no register.
        let isCompany = row.entity != "Individual"
        let kept = policy == .objectTrump ? old?.register : nil
        let register = isCompany ? row.register ?? kept : nil
        let isRefused = old != nil && (policy == .error || old?.entity != row.entity)
        guard !isRefused, !isCompany || register != nil else {
            counts.errors += 1
            return
        }
        if old == nil { counts.inserted += 1 } else { counts.updated += 1 }
        parties[row.code] = Party(entity: row.entity, register: register)
    }
}
