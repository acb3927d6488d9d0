import Cambium
import CambiumSQLite
import EverythingModel
import Testing

/// The limits that are checks in the store too: an object is refused exactly where the same values,
/// written by somebody else, would be.
struct BoundaryTests {
    struct Case: CustomTestStringConvertible {
        let attribute: String
        let value: Value
        /// The value as somebody else would write it.
        let sql: String

        init(_ attribute: String, _ value: Value, _ sql: String) {
            (self.attribute, self.value, self.sql) = (attribute, value, sql)
        }

        init(_ attribute: String, _ value: Double) {
            let sql = value.isInfinite ? (value < 0 ? "-9e999" : "9e999") : "\(value)"
            if StoreKind.isSQLite {
                self.init(attribute, value, sql)
            } else if attribute == "moment" {
                let sql = "timestamptz '2001-01-01 00:00:00+00' + interval '\(value) seconds'"
                self.init(attribute, value, sql)
            } else {
                self.init(attribute, value, "double precision '\(value)'")
            }
        }

        private init(_ attribute: String, _ value: Double, _ sql: String) {
            self.init(
                attribute,
                attribute == "moment" ? .date(BoundaryTests.moment(value)) : .double(value), sql)
        }

        init(_ text: String) {
            self.init("code", .string(text), "'\(text)'")
        }

        init(bytes: Int) {
            let zeros = String(repeating: "00", count: bytes)
            self.init(
                "bytes", .data(Data(count: bytes)),
                StoreKind.isSQLite ? "x'\(zeros)'" : "'\\x\(zeros)'")
        }

        init(units: Int) {
            let amount = Decimal(units) / 100
            self.init("amount", .decimal(amount), StoreKind.isSQLite ? "\(units)" : "\(amount)")
        }

        init(_ attribute: String, int value: Int64) {
            self.init(attribute, .int(value), "\(value)")
        }

        var testDescription: String { "\(attribute) = \(sql)" }
    }

    fileprivate static func moment(_ seconds: Double) -> Date {
        Date(timeIntervalSinceReferenceDate: seconds)
    }

    /// 2000-01-01 and 2100-01-01, in seconds since 2001.
    private static let (firstMoment, lastMoment) = (-31_622_400.0, 3_124_224_000.0)

    private static let texts = [
        "", "A", "AB", "ABCD", "ABCDE", "ab", "A1", "ÀB", "AÉ", "A B", "AB ", "[]", "A*", "Z^",
        "👩‍👩‍👧‍👦", "A\u{301}B", "\u{FEFF}AB",
    ]
    private static let reals = [
        -Double.infinity, (0.0).nextDown, -0.0, 0, (0.0).nextUp, (1.0).nextDown, 1, (1.0).nextUp,
        .infinity,
    ]
    private static let moments = [
        firstMoment.nextDown, firstMoment, firstMoment.nextUp, lastMoment.nextDown, lastMoment,
        lastMoment.nextUp,
    ]

    static let cases: [Case] =
        [Case("code", .null, "NULL"), Case("amount", .null, "NULL"), Case("ratio", .null, "NULL")]
        + texts.map { Case($0) }
        + reals.map { Case("ratio", $0) }
        + moments.map { Case("moment", $0) }
        + (0...4).map { Case(bytes: $0) }
        + [-151, -150, -149, 149, 150, 151].map { Case(units: $0) }
        + [Int64(Int32.min), 0, 1, 10, 11, Int64(Int32.max)].map { Case("count", int: $0) }
        // A rule of two columns; the other one is 5.
        + [Int64.min, 4, 5, 6, .max].map { Case("low", int: $0) }

    @Test(arguments: ObjectKind.allCases)
    func `the store refuses what validation refuses, and nothing else`(
        _ objects: ObjectKind
    ) throws {
        try withStoreFile { path in
            let container = try PersistentContainer(model: objects.everything, at: .temporary(path))
            let context = container.newContext()
            let limited = try context.insert(Limited.self) { $0.high = 5 }.object
            try context.save()
            var refused = 0
            for entry in Self.cases {
                try limited.setValue(entry.value, forKey: entry.attribute)
                let isValid = context.validationErrors(of: limited).isEmpty
                context.rollback()
                let change = "UPDATE \"Limited\" SET \(entry.attribute) = \(entry.sql)"
                let isStored = (try? execute("BEGIN; \(change); ROLLBACK", in: path)) != nil
                #expect(isValid == isStored, "\(entry.testDescription)")
                if !isValid { refused += 1 }
            }
            // The table goes over its boundaries, and stays within them.
            #expect(refused > 20 && refused < Self.cases.count - 20)
        }
    }
}
