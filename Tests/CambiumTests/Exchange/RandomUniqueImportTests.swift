import Cambium
import CambiumModel
import Testing

/// Rows of entities with two unique constraints: all at once they do what they do one by one.
struct RandomUniqueImportTests {
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

    /// The seats in words, and what the imports counted.
    private func imported(_ files: [String], _ policy: MergePolicy) throws -> [String] {
        try withContainer(Self.model) { container in
            let context = container.newContext()
            try context.importing("code,place,note\na,1,old\nb,2,old\nc,3,old", "Seat", as: .csv())
            var counts = [0, 0, 0, 0]
            for file in files {
                let result = try context.importing("code,place,note\n\(file)", "Seat", as: .csv()) {
                    $0.mergePolicy = policy
                    $0.onError = .keepGoodRows
                }
                counts[0] += result.inserted
                counts[1] += result.updated
                counts[2] += result.skipped
                counts[3] += result.errorCount
            }
            let seats = try container.newContext().all("Seat").map { seat in
                let values = try ["code", "place", "note"].map { try seat.value(forKey: $0) }
                return "\(values)"
            }
            return seats.sorted() + ["\(counts)"]
        }
    }

    @Test func `a file does what its rows do one after the other`() throws {
        let policies = [MergePolicy.objectTrump, .overwrite, .storeTrump]
        try forEachSeed { seed in
            var random = SeededGenerator(seed: seed)
            let rows = (0..<Int.random(in: 2...8, using: &random)).map { number in
                let code = ["a", "b", "c", "d", "e", ""].randomElement(using: &random) ?? ""
                let place = ["1", "2", "3", "4", "5", ""].randomElement(using: &random) ?? ""
                return "\(code),\(place),\(number)"
            }
            for policy in policies {
                let together = try imported([rows.joined(separator: "\n")], policy)
                try #expect(together == imported(rows, policy), "\(seed): \(policy), \(rows)")
            }
        }
    }

    @Test func `a row takes what an earlier row of the file gives up`() throws {
        let seats = try imported(["a,4,new\nd,1,new"], .objectTrump)
        #expect(
            seats == [
                #"["a", 4, "new"]"#, #"["b", 2, "old"]"#, #"["c", 3, "old"]"#, #"["d", 1, "new"]"#,
                "[1, 1, 0, 0]",
            ])
    }
}
