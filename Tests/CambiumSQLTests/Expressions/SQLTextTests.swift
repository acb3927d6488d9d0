import CambiumModel
import CambiumSQL
import CambiumSQLite
import Testing

@Suite struct SQLTextTests {
    @Test func `names and strings cannot leave their quotes`() {
        #expect(SQLText.identifier("a\"; DROP TABLE b; --") == "\"a\"\"; DROP TABLE b; --\"")
        #expect(SQLText.literal(.text("it's")) == "'it''s'")
        #expect(SQLText.literal(.blob(Data([0, 171]))) == "x'00ab'")
        #expect(SQLText.column("b", of: "a") == "\"a\".\"b\"")
    }

    @Test(arguments: [
        StoredValue.null, .integer(.min), .integer(.max), .integer(0), .real(0), .real(0.1),
        .real(1.0 / 3), .real(.greatestFiniteMagnitude), .real(.leastNormalMagnitude),
        .real(.infinity), .real(-.infinity), .real(123_456_789.123_456_79), .real(-2.5e-300),
        .real(.pi * 1e200), .real(9_007_199_254_740_994), .text(""), .text("a'b\"é\n"),
        .blob(Data()), .blob(Data([1, 2])),
    ])
    func `a literal reads back as it was`(_ value: StoredValue) throws {
        let connection = try Connection(path: ":memory:")
        let rows = try connection.rows("SELECT \(SQLText.literal(value))")
        #expect(rows == [[value]])
    }
}
