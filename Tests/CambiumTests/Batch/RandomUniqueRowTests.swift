import Cambium
import CambiumExchange
import CambiumModel
import Testing

/// Rows of entities with two unique constraints: all at once they do what they do one by one.
struct RandomUniqueRowTests {
    private static let model = CompiledModel(
        Model(
            name: "Seats", version: "1",
            entities: [
                Entity(
                    name: "Seat",
                    attributes: [
                        Attribute(name: "code", type: .string, isOptional: true),
                        Attribute(name: "place", type: .int32, isOptional: true),
                        Attribute(name: "note", type: .string, isOptional: true),
                    ],
                    uniqueConstraints: [
                        UniqueConstraint(properties: ["code"]),
                        UniqueConstraint(properties: ["place"]),
                    ])
            ]))

    private struct Row: CustomStringConvertible {
        let code: String?
        let place: Int?
        let note: String

        var csv: String { "\(code ?? ""),\(place.map(String.init) ?? ""),\(note)" }
        var description: String { csv }
        var values: [String: Value] {
            [
                "code": code.map(Value.string) ?? .null,
                "place": place.map { .int(Int64($0)) } ?? .null, "note": .string(note),
            ]
        }
    }

    enum Writer: CaseIterable {
        case anImport, aBatchInsertion
    }

    /// The seats in words after groups of rows were written, and what was counted.
    private func written(
        _ groups: [[Row]], _ writer: Writer, _ policy: MergePolicy
    ) throws -> [String] {
        try withContainer(Self.model) { container in
            let context = container.newContext()
            try context.importing("code,place,note\na,1,old\nb,2,old\nc,3,old", "Seat", as: .csv())
            context.mergePolicy = policy
            var counts = [0, 0, 0, 0]
            for rows in groups {
                switch writer {
                case .anImport:
                    // A last line without an end is written by itself.
                    let lines = ["code,place,note"] + rows.map(\.csv)
                    let file = lines.map { $0 + "\n" }.joined()
                    let result = try context.importing(file, "Seat", as: .csv()) {
                        $0.mergePolicy = policy
                        $0.onError = .skipInvalidRows
                    }
                    counts[0] += result.inserted
                    counts[1] += result.updated
                    counts[2] += result.skipped
                    counts[3] += result.errorCount
                case .aBatchInsertion:
                    let request = BatchInsertRequest<ManagedObject>(
                        entityName: "Seat", objects: rows.map(\.values))
                    do {
                        counts[0] += try context.execute(request).count
                    } catch is BatchInsertError {
                        return ["refused"]
                    }
                }
            }
            let seats = try container.newContext().all("Seat").map { seat in
                let values = try ["code", "place", "note"].map { try seat.value(forKey: $0) }
                return "\(values)"
            }
            return seats.sorted() + ["\(counts)"]
        }
    }

    @Test(arguments: Writer.allCases)
    func `rows together do what they do one after the other`(_ writer: Writer) throws {
        let policies = [MergePolicy.objectTrump, .overwrite, .storeTrump]
        try forEachSeed { seed in
            var random = SeededGenerator(seed: seed)
            let rows = (0..<Int.random(in: 2...5, using: &random)).map { number in
                Row(
                    code: ["a", "b", "c", "d", "e", nil].randomElement(using: &random) ?? nil,
                    place: [1, 2, 3, 4, 5, nil].randomElement(using: &random) ?? nil,
                    note: "\(number)")
            }
            for policy in policies {
                let together = try written([rows], writer, policy)
                let apart = try written(rows.map { [$0] }, writer, policy)
                #expect(together == apart, "\(seed): \(policy), \(rows)")
            }
        }
    }

    @Test(arguments: Writer.allCases)
    func `a row takes what an earlier one gives up`(_ writer: Writer) throws {
        let rows = [Row(code: "a", place: 4, note: "new"), Row(code: "d", place: 1, note: "new")]
        let seats = try written([rows], writer, .objectTrump)
        #expect(
            seats.dropLast() == [
                #"["a", 4, "new"]"#, #"["b", 2, "old"]"#, #"["c", 3, "old"]"#, #"["d", 1, "new"]"#,
            ])
    }
}
