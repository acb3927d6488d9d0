import CambiumCompiler
import Foundation

extension DiagnosticReport {
    /// One run of the static analysis results interchange format, version 2.1.0, with a rule for
    /// each code that occurs and a result for each finding.
    var sarif: String {
        let codes = Set(diagnostics.map(\.code)).sorted { $0.rawValue < $1.rawValue }
        let driver: JSONValue = [
            "name": .string("cambium"), "version": .string(SwiftEmitter.cambiumVersion),
            "rules": .array(codes.map(rule)),
        ]
        let run: JSONValue = [
            "tool": ["driver": driver],
            // The unit of the columns. The other unit of the format is UTF-16.
            "columnKind": .string("unicodeCodePoints"),
            "results": .array(
                diagnostics.map { diagnostic in
                    result(diagnostic, index: codes.firstIndex(of: diagnostic.code) ?? 0)
                }),
        ]
        let log: JSONValue = [
            "$schema": .string("https://json.schemastore.org/sarif-2.1.0.json"),
            "version": .string("2.1.0"), "runs": .array([run]),
        ]
        return log.text
    }

    private func rule(_ code: DiagnosticCode) -> JSONValue {
        let explanation = code.explanation
        return [
            "id": .string(code.name), "shortDescription": ["text": .string(explanation.title)],
            "fullDescription": ["text": .string(explanation.meaning)],
            "help": ["text": .string(explanation.text)],
            "defaultConfiguration": ["level": .string(code.severity.rawValue)],
        ]
    }

    private func result(_ diagnostic: Diagnostic, index: Int) -> JSONValue {
        let text = ([diagnostic.message] + diagnostic.notes).joined(separator: "\n")
        let position = diagnostic.position
        let location: JSONValue = [
            "physicalLocation": [
                "artifactLocation": ["uri": .string(Self.uri(normalizedPath(position)))],
                "region": [
                    "startLine": .number(position.line), "startColumn": .number(position.column),
                ],
            ]
        ]
        return [
            "ruleId": .string(diagnostic.code.name), "ruleIndex": .number(index),
            "level": .string(diagnostic.severity.rawValue), "message": ["text": .string(text)],
            "locations": .array([location]),
        ]
    }

    /// A path as a URI reference: relative if the path is relative.
    static func uri(_ path: String) -> String {
        let encoded = path.addingPercentEncoding(withAllowedCharacters: unreserved) ?? path
        return (path.hasPrefix("/") ? "file://" : "") + encoded
    }

    /// The characters that need no encoding in a URI's path, and its separator.
    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")
}
