import CambiumModel
import CambiumPlan
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL
import CambiumSQLite
import Foundation
import Testing

@testable import CambiumPostgresStore

/// Values whose attribute gets another type: what becomes of them, and which of them refuse a store, is
/// the same on both engines.
struct ConversionTests {
    private static let types: [AttributeType] = [
        .bool, .int16, .int32, .int64, .float, .double, .decimal(scale: 0), .decimal(scale: 2),
        .decimal(scale: 9), .anyDecimal, .string, .uri, .date, .uuid, .data, .codable("[Int]"),
        .duration, .enumeration("Word"), .enumeration("Number"),
    ]

    private static let enumerations = [
        Enumeration(
            name: "Word", rawType: .string,
            cases: [
                EnumerationCase(name: "one", rawValue: .string("1")),
                EnumerationCase(name: "many", rawValue: .string("many")),
            ]),
        Enumeration(
            name: "Number", rawType: .int32,
            cases: [
                EnumerationCase(name: "one", rawValue: .int(1)),
                EnumerationCase(name: "many", rawValue: .int(40_000)),
            ]),
    ]

    private static func model(
        _ version: String, _ type: AttributeType, isExternal: Bool = false
    ) -> Model {
        let attribute = Attribute(name: "a", type: type, isOptional: true, isExternal: isExternal)
        return Model(
            name: "Conversion", version: version,
            entities: [Entity(name: "E", attributes: [attribute])], enumerations: enumerations)
    }

    /// Stored values of a type, the strangest ones among them.
    private static func values(of type: AttributeType) -> [StoredValue] {
        func integers(_ range: ClosedRange<Int64>) -> [StoredValue] {
            let all: [Int64] = [
                0, 1, -1, 2, 50, 100, -100, 150, 9_999, 32_767, 32_768, -32_768, 40_000,
                2_147_483_647, 2_147_483_648, 4_000_000, 1_000_000_000, 5_000_000_000, 1 << 53,
                1 << 53 + 1, -(1 << 53), 4_000_000_000_000_000_000, .max, .min, .max - 1, .min + 1,
            ]
            return all.filter(range.contains).map { .integer($0) }
        }
        switch type {
        case .bool: return integers(0...1)
        case .enumeration("Number"): return integers(1...1) + [.integer(40_000)]
        case .enumeration: return [.text("1"), .text("many")]
        case .int16, .int32: return integers(type.descriptor.integers ?? 0...0)
        case .int64, .duration, .decimal: return integers(.min ... .max)
        case .float:
            return [0, 1.5, -0.25, 0.1, 3.4e38, 1e-30].map { .real(Double(Float($0))) }
        case .double:
            let numbers = [
                0, 1, 1.5, -1.5, 0.1, 0.07, 1.005, 2.675, 0.5, 2.5, 32_767, 32_768, 40_000,
                4.35, 100, 1e9, 123_456_789.123, 123_456_789_012_345, 999_999_999_999_999,
                1e15, 1e16, 1e20, 1e22, 1.0 / 3, 2.0 / 3e10, 1e-4, 1.25e-4, 1e-5, 1.5e-7, 1e-300,
                .leastNonzeroMagnitude, 1.7e308, .infinity, -.infinity, 9_007_199_254_740_992,
                9_007_199_254_740_994, -9_007_199_254_740_992, 90_071_992_547_409.92, 1e300,
            ]
            return numbers.map { .real($0) }
        case .anyDecimal:
            let numbers = [
                "0", "1", "1.5", "-1.25", "100", "32768", "0.1", "12.345678901", "-0.000000001",
                "9223372036854775807", "9223372036854775808", "92233720368547758.07",
                "12345678901234567890123456789012345678", "0.00000000000000000001", "1e30",
            ]
            return numbers.compactMap { Decimal(string: $0).flatMap(OrderedDecimal.bytes) }
                .map { .blob($0) }
        case .string, .uri:
            let texts = [
                "", "0", "1", "true", "false", "True", "5", "05", "-5", "+5", " 5", "5 ", "5\n",
                "\n5", "1.5", "1.50", "-1.25", "1e3", "1E3", "1e+3", "-0", "-", "--1", ".5", "5.",
                "3.0", "00.5", "32767", "32768", "40000", "many", "9223372036854775807",
                "9223372036854775808", "-9223372036854775808", "92233720368547758.07", "NaN",
                "Infinity", "inf", "1_000", "0x10", "1e308", "1e309", "-1e309", "1.5e-7", "héé",
                "12345678901234567890123456789012345678",
                "123456789012345678901234567890123456789", "0.1", "1,5", "٣", "[1]", "null",
            ]
            return texts.map { .text($0) }
        case .codable: return [.text("[1]"), .text("[]")]
        case .date:
            let moments = [0, 0.5, -1e9, 0.000_001, 700_000_000.123_456, -63_114_076_800.25, 1e11]
            return moments.compactMap { PostgresTimestamp.kept.kept($0) }.map { .real($0) }
        case .uuid:
            return [.blob(Data((0..<16).map { UInt8($0 * 16 + 10) })), .blob(Data(count: 16))]
        case .data:
            return [
                .blob(Data()), .blob(Data(count: 16)), .blob(Data([0, 255])),
                .blob(Data("many".utf8)),
            ]
        }
    }

    /// A conversion of a value in the column `a`, and the rows that show what becomes of it.
    private struct Case {
        let old: (model: Model, attribute: Attribute)
        let new: (model: Model, attribute: Attribute)
        let conversion: AttributeConversion

        init?(_ old: Model, _ new: Model) {
            let (one, other) = (old.entities[0].attributes[0], new.entities[0].attributes[0])
            guard let found = AttributeConversion(from: one, in: old, to: other, in: new) else {
                return nil
            }
            (self.old, self.new) = ((old, one), (new, other))
            conversion = found
        }

        /// For each value, whether it can be taken, the same where a fill puts it right, and what it
        /// becomes.
        func query(_ dialect: some MigrationDialect, as type: String?) -> String {
            let fits = [false, true].map { isRevised in
                dialect.acceptance(of: "old.\"a\"", conversion, isRevised: isRevised)
                    ?? dialect.condition(true)
            }
            let value = dialect.value(conversion, of: "old.\"a\"")
            let typed = type.map { "(\(value))::\($0)" } ?? value
            return """
                SELECT \(fits[0]), \(fits[1]), CASE WHEN \(fits[0]) THEN \(typed) END \
                FROM "v" AS old ORDER BY "n"
                """
        }
    }

    private func compare(
        _ found: Case, _ values: [StoredValue], _ file: Connection,
        _ server: PostgresConnection
    ) throws {
        let (old, new) = (found.old, found.new)
        let name = "\(old.attribute.type.notation) to \(new.attribute.type.notation)"
        let storage = old.model.storageClass(of: old.attribute.type).rawValue
        try file.execute("DROP TABLE IF EXISTS \"v\"")
        try file.execute("CREATE TABLE \"v\" (\"n\" INTEGER PRIMARY KEY, \"a\" \(storage)) STRICT")
        let (from, to) = (
            PostgresType.column(of: old.attribute, in: old.model),
            PostgresType.column(of: new.attribute, in: new.model)
        )
        var statements = [
            "DROP TABLE IF EXISTS \"v\"",
            "CREATE TEMPORARY TABLE \"v\" (\"n\" bigint PRIMARY KEY, \"a\" \(from.name))",
        ]
        for (number, value) in values.enumerated() {
            _ = try file.rows(
                "INSERT INTO \"v\" VALUES (?1, ?2)", [.integer(Int64(number)), value])
            var constant = from.literal(value)
            if case .real(let real) = value, real.isInfinite { constant = "'\(real)'" }
            statements.append(
                "INSERT INTO \"v\" VALUES (\(number), \(try #require(constant, "\(name) \(value)")))"
            )
        }
        _ = try server.run(statements.map { PostgresStatement($0) })
        let expected = try file.rows(found.query(SQLiteMigration(), as: nil))
        let dialect = PostgresMigration(from: old.model, to: new.model)
        let rows: PostgresRows
        do {
            rows = try server.run(found.query(dialect, as: to.name))
        } catch {
            Issue.record("\(name): \(error)")
            _ = try server.run("SELECT 1")
            return
        }
        try #require(rows.count == expected.count)
        for (row, value) in values.enumerated() {
            let keeps = (0...1).map { rows.boolean(row, $0) }
            let fits = (0...1).map { expected[row][$0] == .integer(1) }
            // The server holds no moment that is so far away.
            if to == .timestamp, case .real(let seconds) = value,
                PostgresTimestamp.kept.kept(seconds) == nil
            {
                #expect(keeps == [false, false], "\(name): \(value)")
                continue
            }
            if value != .null {
                #expect(keeps == fits, "\(name): \(value)")
                guard keeps[0], fits[0] else { continue }
            }
            let result = rows.isNull(row, 2) ? StoredValue.null : to.value(of: rows.bytes(row, 2))
            var wanted = expected[row][2]
            if to == .timestamp, case .real(let seconds) = wanted {
                wanted = .real(PostgresTimestamp.kept.kept(seconds) ?? 0)
            }
            #expect(result == wanted, "\(name): \(value)")
        }
    }

    @Test(arguments: PostgresServer.some())
    func `each value becomes the same as in a file`(_ server: PostgresServer) throws {
        let (file, connection) = (try Connection(path: ":memory:"), try server.connect())
        var count = 0
        for old in Self.types {
            for new in Self.types {
                for isExternal in old == .data ? [false, true] : [false] {
                    guard
                        let found = Case(
                            Self.model("1", old, isExternal: isExternal), Self.model("2", new))
                    else { continue }
                    count += 1
                    let values = Self.values(of: old).map { value in
                        guard isExternal, case .blob(let bytes) = value else { return value }
                        return .blob(Data([1]) + bytes)
                    }
                    try compare(found, values + [.null], file, connection)
                }
            }
        }
        #expect(count > 60)
    }
}
