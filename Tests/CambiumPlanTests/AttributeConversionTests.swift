import CambiumModel
import Testing

@testable import CambiumPlan

/// Which values have a form in another type is decided without a statement.
@Suite struct AttributeConversionTests {
    private func conversion(
        _ old: AttributeType, _ new: AttributeType, areExternal: (Bool, Bool) = (false, false),
        replacements: [MigrationDeclaration.Replacement] = []
    ) -> AttributeConversion? {
        func model(_ version: String, _ cases: [String]) -> Model {
            Model(
                name: "M", version: version, entities: [],
                enumerations: [
                    Enumeration(
                        name: "E", rawType: .string,
                        cases: cases.map { EnumerationCase(name: $0, rawValue: .string($0)) })
                ], migration: MigrationDeclaration(from: "1", replacements: replacements))
        }
        func attribute(_ type: AttributeType, _ isExternal: Bool) -> Attribute {
            Attribute(name: "x", type: type, isExternal: isExternal)
        }
        return AttributeConversion(
            from: attribute(old, areExternal.0), in: model("1", ["a", "b"]),
            to: attribute(new, areExternal.1), in: model("2", ["a", "c"]))
    }

    @Test func `a type that holds more takes each value as it is`() throws {
        for (old, new) in [(AttributeType.int16, AttributeType.int32), (.float, .double)] {
            let found = try #require(conversion(old, new))
            #expect(found.keepsValues && found.fits == nil && found.isExact == nil)
        }
    }

    @Test func `a narrower type keeps values, of which a fill sees even those that do not fit`() {
        let found = conversion(.int32, .int16)
        #expect(found?.keepsValues == true)
        #expect(found?.acceptance(isRevised: false) == .within(-32768...32767))
        #expect(found?.acceptance(isRevised: true) == nil)
    }

    @Test func `a scale with fewer places takes whole units only`() {
        let found = conversion(.decimal(scale: 2), .int16)
        #expect(found?.value == .divided(by: 100))
        #expect(found?.fits == .isMultiple(of: 100, within: -32768...32767))
        #expect(found?.isExact == .isMultiple(of: 100, within: nil))
    }

    @Test func `there is no way where not every value is sure to survive or to be refused`() {
        #expect(conversion(.string, .date) == nil)
        #expect(conversion(.double, .float) == nil)
    }

    @Test func `types of the program's own differ in Swift only`() {
        #expect(conversion(.codable("A"), .codable("B"))?.isSameThing == true)
    }

    @Test func `a value that leaves its file is taken if it is in its row`() {
        let found = conversion(.data, .data, areExternal: (true, false))
        #expect(found?.value == .content(.same))
        #expect(found?.fits == .isInline(and: nil))
        #expect(conversion(.data, .data, areExternal: (false, true))?.value == .external(.same))
    }

    @Test func `a case that is gone needs another one in its place`() {
        let type = AttributeType.enumeration("E")
        #expect(conversion(type, type)?.value == .same)
        let ways = [CaseReplacement(name: "b", gone: .text("b"), other: .text("c"))]
        let replaced = conversion(
            type, type, replacements: [.init(enumeration: "E", case: "b", with: "c", reason: "")])
        #expect(replaced?.value == .replaced(ways, or: .same))
        #expect(
            conversion(.string, type)?.fits
                == .isOne(of: [.text("a"), .text("c")], .same, and: nil))
    }
}

extension ConvertedValue: Equatable {
    /// Compares what is printed of both.
    public static func == (left: ConvertedValue, right: ConvertedValue) -> Bool {
        "\(left)" == "\(right)"
    }
}

extension ConversionCondition: Equatable {
    /// Compares what is printed of both.
    public static func == (left: ConversionCondition, right: ConversionCondition) -> Bool {
        "\(left)" == "\(right)"
    }
}
