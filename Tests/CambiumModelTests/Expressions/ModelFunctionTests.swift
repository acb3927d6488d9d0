import Foundation
import Testing

@testable import CambiumModel

/// What is said of functions elsewhere names all of them.
@Suite struct ModelFunctionTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    @Test(arguments: [
        "Sources/Cambium/Cambium.docc/ExpressionLanguage.md",
        "Tests/Fuzzing/Dictionaries/EXPRESSION.dict",
    ])
    func `the documentation and the fuzzer know each function that is called by a name`(
        _ path: String
    ) throws {
        let text = try String(
            contentsOf: Self.root.appending(path: path), encoding: .utf8
        ).lowercased()
        let missing = ModelFunction.byName.keys.filter { name in
            !text.contains("\(name)(") && !text.contains("\(name):")
        }
        #expect(missing.sorted() == [])
    }

    @Test func `a function is read from the text that it is written as`() throws {
        for function in ModelFunction.allCases {
            let operands = function.descriptor.arguments.map { _ in "SELF" }
            let text = function.descriptor.text(of: operands)
            let expression = ModelExpression.function(
                function, operands.map { _ in .keyPath(root: .subject, names: []) })
            #expect(expression.description == text)
            let parsed = try ExpressionParser.parse("\(text) == nil")
            guard case .comparison(let left, _, _, _) = parsed.kind,
                case .function(function, _) = left.kind
            else {
                Issue.record("\(text) is read as \(parsed.kind)")
                continue
            }
        }
    }
}
