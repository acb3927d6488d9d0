import CambiumModel
@testable import CambiumSQL
import CambiumSQLite
import Foundation
import Testing

/// A default that breaks its own limits, which models of Xcode's may have, can be in a row all the
/// same: a migration gives it to the rows of a store.
struct EnforcedLimitsTests {
    private func attribute(
        _ type: AttributeType, _ value: Value, _ limits: Limits
    ) -> Attribute {
        Attribute(name: "a", type: type, defaultValue: .constant(value), limits: limits)
    }

    @Test(arguments: [
        (AttributeType.int64, Value.int(0), Limits(minimum: .int(1), maximum: .int(9))),
        (.int64, .int(10), Limits(minimum: .int(1), maximum: .int(9))),
        (.string, .string(""), Limits(minimumLength: 1, maximumLength: 9)),
        (.string, .string("ab"), Limits(minimumLength: 1, maximumLength: 1)),
        (.string, .string("1"), Limits(minimumLength: 1, pattern: "[a-z]+")),
        (.data, .data(Data([1, 2])), Limits(minimumLength: 1, maximumLength: 1)),
    ])
    func `only the limit that the default breaks is left to validation`(
        type: AttributeType, value: Value, limits: Limits
    ) throws {
        let attribute = attribute(type, value, limits)
        #expect(attribute.enforcedLimits != limits)
        #expect(!attribute.enforcedLimits.isEmpty)
        let model = Model(
            name: "M", version: "1", entities: [Entity(name: "E", attributes: [attribute])])
        let connection = try Connection(path: ":memory:")
        for statement in Schema(of: model).statements { try connection.execute(statement) }
        try connection.execute(#"INSERT INTO "E" ("_id") VALUES (1)"#)
    }

    @Test func `a default within the limits leaves them all to the store`() {
        let limits = Limits(minimum: .int(0), maximum: .int(9))
        #expect(attribute(.int64, .int(0), limits).enforcedLimits == limits)
        let text = Limits(minimumLength: 1, maximumLength: 3, pattern: "[a-z]+")
        #expect(attribute(.string, .string("abc"), text).enforcedLimits == text)
    }
}
