import CambiumModel
import Testing

@testable import CambiumCoreDataStore

/// One-to-ones that only one of both rows has: the other row gets the link, and that is told.
struct OneToOneTests {
    /// Persons whose spouses have no other side but spouse; some of them are Singers.
    private static func model(isOptional: Bool = true) -> Model {
        Model(
            name: "M", version: "1",
            entities: [
                Entity(
                    name: "Person", attributes: [.optional("name", .string)],
                    relationships: [
                        Relationship(
                            name: "spouse", destination: "Person", inverse: "spouse",
                            isOptional: isOptional)
                    ]),
                Entity(name: "Singer", parent: "Person"),
            ])
    }

    /// - Parameter spouses: That of each person, from 1 on; odd ones are Singers.
    private func persons(_ spouses: [Int?]) throws -> OldStore {
        let rows = spouses.enumerated().map { index, spouse in
            "(\(index + 1), \(index % 2 == 0 ? 2 : 1), 1, \(spouse.map(String.init) ?? "NULL"), 'x')"
        }
        return try OldStore(
            entities: [(1, "Person", 0, 9), (2, "Singer", 1, 0)],
            sql: """
                CREATE TABLE ZPERSON (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
                    ZSPOUSE INTEGER, ZNAME VARCHAR);
                INSERT INTO ZPERSON VALUES \(rows.joined(separator: ", "));
                """)
    }

    private static let noWayBack = "the object that it references does not reference it"
    private static let isTaken = "another object references the same one, and only one may"

    @Test(
        arguments: [
            ([2, 1, 3, nil], [2, 1, 3, nil], [], [:]),
            // Of two that lead to one without a link, the first gets it.
            ([2, nil], [2, 1], [2], [:]),
            ([3, 3, nil], [3, nil, 1], [3], [2: isTaken]),
            // Two that lead to each other keep each other.
            ([2, 3, 2], [nil, 3, 2], [], [1: noWayBack]),
            ([2, 3, 1], [nil, nil, nil], [], [1: noWayBack, 2: noWayBack, 3: noWayBack]),
            ([2, 3, nil], [nil, 3, 2], [3], [1: noWayBack]),
            ([7, nil], [nil, nil], [], [1: "there is no object of that key in the store"]),
        ] as [([Int?], [Int?], [Int64], [Int64: String])])
    func `a one-to-one that is its own inverse has both sides, or is told`(
        spouses: [Int?], expected: [Int?], completed: [Int64], lost: [Int64: String]
    ) throws {
        let store = try persons(spouses)
        let report = try store.importStore([Self.model()])
        #expect(
            try store.rows("SELECT spouse FROM Person ORDER BY _id")
                == expected.map { [$0.map(String.init) ?? "nil"] })
        #expect(
            try store.rows(
                """
                SELECT count(*) FROM Person p LEFT JOIN Person q ON q._id = p.spouse
                WHERE p.spouse_entity IS NOT q._entity
                """) == [["0"]])
        #expect(report.changedValues.map(\.id) == completed)
        #expect(report.changedValues.allSatisfy { $0.property == "spouse" })
        #expect(
            Dictionary(uniqueKeysWithValues: report.lostLinks.map { ($0.id, $0.reason) }) == lost)
        let count = report.relationships.first
        #expect(count?.read == spouses.compactMap(\.self).count)
        #expect(count?.lost == lost.count)
        #expect(report.isComplete == (lost.isEmpty && completed.isEmpty))
    }

    @Test func `a row that requires such a link, and has it on one side only, is refused`() throws {
        let report = try persons([2, 3, 2]).importStore([Self.model(isOptional: false)])
        #expect(report.refusedRows.map(\.id) == [1])
        #expect(report.refusedRows.first?.reason == "a link is required; \(Self.noWayBack) (2)")
    }

    @Test func `a side that has nothing gets the link of the other one, and that is told`() throws {
        // Our store keeps prequel.
        let store = try Shelf.store(changes: "UPDATE ZITEM SET ZSEQUEL = NULL WHERE Z_PK = 2")
        let report = try store.importStore([Shelf.model])
        #expect(report.lostLinks == [])
        #expect(
            report.changedValues.map { "\($0.entity) \($0.id).\($0.property): \($0.reason)" }
                == ["Book 2.sequel: references 3 now, which references it; the store had nothing"])
        #expect(!report.isComplete)
    }
}
