import CambiumMigration
import CambiumModel
import CambiumPlan
import CambiumSQL
import Foundation
import Testing

/// Decimals of any scale, codable and external values.
@Suite struct WidenedTypeMigrationTests {
    private typealias Store = TestStore

    private func model(
        _ version: String, _ type: AttributeType, isExternal: Bool = false
    ) -> Model {
        Store.model(
            version,
            [
                Entity(
                    name: "E",
                    attributes: [
                        Attribute(
                            name: "a", type: type, isOptional: true, isExternal: isExternal)
                    ])
            ])
    }

    private func bytes(_ number: String) -> String {
        let data = Decimal(string: number).flatMap(OrderedDecimal.bytes) ?? Data()
        return data.map { String($0, radix: 16) }.joined()
    }

    private func literal(_ number: String) -> String {
        let data = Decimal(string: number).flatMap(OrderedDecimal.bytes) ?? Data()
        return "x'" + data.map { String(format: "%02x", $0) }.joined() + "'"
    }

    private func migrate(
        _ old: AttributeType, _ new: AttributeType, _ values: [String]
    ) throws -> [String] {
        let rows = values.enumerated().map {
            "INSERT INTO E (_id, a) VALUES (\($0 + 1), \($1));"
        }
        return try Store.migrate(
            model("1", old), model("2", new), rows: rows.joined(),
            query: "SELECT a FROM E ORDER BY _id"
        ).map { $0[0] }
    }

    @Test func `exact numbers become decimals of any scale`() throws {
        #expect(
            try migrate(.decimal(scale: 2), .anyDecimal, ["-150", "NULL", "0"])
                == [bytes("-1.5"), "nil", bytes("0")])
        #expect(
            try migrate(.int64, .anyDecimal, ["9223372036854775807"])
                == [bytes("9223372036854775807")])
        #expect(try migrate(.string, .anyDecimal, ["'-12.50'"]) == [bytes("-12.5")])
    }

    @Test func `decimals of any scale become other numbers where they fit`() throws {
        #expect(try migrate(.anyDecimal, .decimal(scale: 2), [literal("-1.5")]) == ["-150"])
        #expect(try migrate(.anyDecimal, .int16, [literal("300")]) == ["300"])
        #expect(try migrate(.anyDecimal, .string, [literal("-1.25")]) == ["-1.25"])
    }

    @Test(arguments: [
        (AttributeType.anyDecimal, AttributeType.decimal(scale: 1), "1.25"),
        (.anyDecimal, .int16, "40000"), (.anyDecimal, .int64, "0.5"),
        (.anyDecimal, .bool, "2"),
    ])
    func `a number that does not fit refuses the store`(
        old: AttributeType, new: AttributeType, number: String
    ) throws {
        #expect(throws: MigrationError.self) { try migrate(old, new, [literal(number)]) }
    }

    @Test func `a text that spells no number refuses the store`() throws {
        for text in ["1e3", "", "1,5", "x", "1.2.3", "--1", " 1"] {
            #expect(throws: MigrationError.self) {
                try migrate(.string, .anyDecimal, ["'\(text)'"])
            }
        }
    }

    @Test func `another class of a codable attribute changes nothing in the store`() throws {
        let difference = ModelDifference(
            from: model("1", .codable("[Int]")), to: model("2", .codable("Set<Int>")))
        #expect(difference.changes.isEmpty && difference.problems.isEmpty)
        #expect(try migrate(.codable("[Int]"), .codable("Set<Int>"), ["'[1]'"]) == ["[1]"])
        #expect(try migrate(.codable("[Int]"), .string, ["'[1]'"]) == ["[1]"])
        #expect(try migrate(.codable("[Int]"), .data, ["'[1]'"]) == ["5b315d"])
    }

    @Test func `a text does not become a codable value`() {
        let problems = ModelDifference(
            from: model("1", .string), to: model("2", .codable("[Int]"))
        ).problems
        #expect(problems.count == 1)
    }

    @Test func `data goes to files and comes back where it is in the row`() throws {
        let (plain, external) = (model("1", .data), model("2", .data, isExternal: true))
        let forth = try Store.migrate(
            plain, external, rows: "INSERT INTO E (_id, a) VALUES (1, x'00ff'), (2, NULL)",
            query: "SELECT hex(a) FROM E")
        #expect(forth == [["0100FF"], [""]])
        let (old, new) = (model("1", .data, isExternal: true), model("2", .data))
        let back = try Store.migrate(
            old, new, rows: "INSERT INTO E (_id, a) VALUES (1, x'0100ff')",
            query: "SELECT hex(a) FROM E")
        #expect(back == [["00FF"]])
        let error = #expect(throws: MigrationError.self) {
            _ = try Store.migrate(old, new, rows: "INSERT INTO E (_id, a) VALUES (1, x'0241')")
        }
        #expect("\(error as Any)".contains("is stored in a file"))
    }
}
