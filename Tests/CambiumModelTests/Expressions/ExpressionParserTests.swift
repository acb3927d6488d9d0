@testable import CambiumModel
import Foundation
import Testing

@Suite struct ExpressionParserTests {
    @Test(arguments: [
        ("a = 1", "a == 1"), ("a <> 1", "a != 1"), ("a =< 1", "a <= 1"), ("a => 1", "a >= 1"),
        ("a == 1 && b == 2 || !c == 3", "((a == 1) AND (b == 2)) OR (NOT (c == 3))"),
        ("a = 1 and b = 2 or not c = 3", "a == 1 && b == 2 || ! (c == 3)"),
        ("items.@sum.price > 1", "items.price.@sum > 1"),
        ("some items.price > 1", "ANY items.price > 1"),
        ("a NOT IN {1}", "NOT (a IN {1})"), ("a == [cd] 'x'", "a ==[dc] \"x\""),
        ("a == nil", "a == NULL"), ("a == YES", "a == true"), ("SELF.a == 1", "a == 1"),
        ("1 + 2 * 3 ** 2 == a", "(1 + (2 * (3 ** 2))) == a"),
        ("uppercase:(a) == 'A'", "uppercase(a) == 'A'"),
        ("add:to:(a, 1) == 2", "a + 1 == 2"), ("modulus:by:(a, 2) == 0", "modulus:by:(a,2)=0"),
        ("#in == 1", "self.in == 1"), ("a == 'it\\'s'", "a == \"it's\""),
    ])
    func `spellings of one meaning give one tree`(_ left: String, _ right: String) throws {
        #expect(
            try shape(ExpressionParser.parse(left)) == shape(ExpressionParser.parse(right)))
    }

    @Test(arguments: [
        ("a == ", 5, "expected a value, found the end"),
        ("a == 'x", 5, "the string has no end"),
        ("(a == 1", 7, "expected ')', found the end"),
        ("a == 1 b", 7, "expected an operator or the end, found 'b'"),
        ("ä == ?", 6, "'?' has no meaning in an expression"),
        ("a == %@", 5, "'%@' is a placeholder for an argument, and there are none here"),
        ("a ==[x] 'b'", 5, "'x' is not an option of a comparison"),
        ("lenght(a) > 1", 0, "there is no function 'lenght'"),
        ("items.@cuont > 1", 6, "'@cuont' is not supported"),
        ("FETCH(a, b, YES) == 1", 0, "'FETCH()' is not supported"),
        ("CAST(a, 'NSWindow') == 1", 8, "CAST does not know this type"),
        ("a IN (1, 2)", 7, "expected ')', found ','"),
        (
            "SUBQUERY(a, $x, TRUEPREDICATE).@sum.@min > 1", 36,
            "a path can have one @ operation only"
        ),
        ("items[0] == 1", 5, "elements cannot be reached by their position"),
        ("a == '\\u0000'", 5, "a string must not contain the character NUL"),
    ])
    func `a mistake is told with its place`(_ text: String, _ offset: Int, _ message: String) {
        let error = #expect(throws: ExpressionDiagnostic.self) { try ExpressionParser.parse(text) }
        #expect(error?.offset == offset)
        #expect(error?.message == message)
    }

    @Test func `a misspelt function is told the nearest name`() {
        let error = #expect(throws: ExpressionDiagnostic.self) {
            try ExpressionParser.parse("lenght(a) > 1")
        }
        #expect(error?.hint == "did you mean 'length'?")
    }

    @Test func `SQL's word for a comparison with nil is told ours`() {
        let error = #expect(throws: ExpressionDiagnostic.self) {
            try ExpressionParser.parse("a IS NOT NULL")
        }
        #expect(error?.hint == "write == nil or != nil")
    }

    @Test(arguments: ["(", "NOT ", "- ", "abs(", "{", "ANY ", "!", "TERNARY("])
    func `hostile nesting is an error and no crash`(_ opening: String) {
        #expect(throws: ExpressionDiagnostic.self) {
            try ExpressionParser.parse(String(repeating: opening, count: 20_000) + "a")
        }
    }

    @Test func `a hostile chain is an error and no crash`() {
        let error = #expect(throws: ExpressionDiagnostic.self) {
            try ExpressionParser.parse(String(repeating: "1+", count: 20_000) + "1 == a")
        }
        #expect(error?.message == "the expression nests too deeply")
    }

    @Test func `a long conjunction is no deep one`() throws {
        let text = Array(repeating: "a == 1", count: 10_000).joined(separator: " AND ")
        #expect(try ExpressionParser.parse(text).depth == 3)
    }

    @Test func `arguments stand for placeholders in order`() throws {
        let parsed = try ExpressionParser.parse(
            "%K.%K IN %@ AND %K > %ld",
            arguments: [
                .value(.string("a.b")), .value(.string("c")), .list([.int(1), .null]),
                .value(.string("d")), .value(.int(7)),
            ])
        #expect(
            try shape(parsed)
                == shape(
                    ExpressionParser.parse(
                        "a.b.c IN {#0, nil} AND d > #1"
                            .replacingOccurrences(of: "#0", with: "%@").replacingOccurrences(
                                of: "#1", with: "%@"),
                        arguments: [.value(.int(1)), .value(.int(7))])))
    }

    @Test func `every predicate format of the corpus parses`() throws {
        let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../../shared/corpus/predicate-formats.txt").standardized
        guard let text = try? String(contentsOf: url, encoding: .utf8) else {
            print("skipped: \(url.path) is not there")
            return
        }
        var refused: [String] = []
        for line in text.split(separator: "\n").map(String.init) {
            let (format, arguments) = prepared(line)
            do {
                _ = try ExpressionParser.parse(format, arguments: arguments)
            } catch {
                refused.append("\(line)  ->  \(error)")
            }
        }
        #expect(refused == [])
    }

    /// Swift interpolations become names, and placeholders get arguments.
    private func prepared(_ line: String) -> (String, [FormatArgument]) {
        var format = line.replacingOccurrences(of: "\\\"", with: "\"")
        while let start = format.range(of: "\\(") {
            var depth = 1
            var end = start.upperBound
            while end < format.endIndex, depth > 0 {
                depth += format[end] == "(" ? 1 : format[end] == ")" ? -1 : 0
                end = format.index(after: end)
            }
            format.replaceSubrange(start.lowerBound..<end, with: "interpolated")
        }
        var arguments: [FormatArgument] = []
        for part in format.split(separator: "%", omittingEmptySubsequences: false).dropFirst() {
            arguments.append(.value(part.hasPrefix("K") ? .string("name") : .int(1)))
        }
        return (format, arguments)
    }

    /// The tree without places.
    private func shape(_ parsed: ParsedExpression) -> String {
        let kind: String =
            switch parsed.kind {
            case .number(let digits): digits
            case .literal(let value): "\(value)"
            case .object(let entity, let key): "\(entity)/\(key)"
            case .path(let root, let names): "\(root).\(names.map(\.text))"
            case .list: "list"
            case .and: "and"
            case .or: "or"
            case .not: "not"
            case .comparison(_, let relation, _, let options):
                "\(relation)\(options.rawValue)"
            case .between: "between"
            case .quantified(let quantifier, _): "\(quantifier)"
            case .arithmetic(_, let operation, _): "\(operation)"
            case .function(let function, _): "\(function)"
            case .aggregate(let function, _): "\(function)"
            case .subquery(_, let variable, _, let value):
                "subquery \(variable) \(value.map(\.text))"
            case .conditional: "conditional"
            case .refused(let reason): reason
            }
        return "\(kind)(\(parsed.kind.operands.map(shape).joined(separator: ",")))"
    }
}
