import Foundation
import Testing

@testable import CambiumAuthoring
@testable import CambiumCompiler

struct DiagnosticReportTests {
    private static let hostile = "a\"b\\c</script><b>\u{7}\u{202E}\u{2028}\n😀 é"

    private func diagnostic(
        _ code: DiagnosticCode = .unknownInverse, message: String = "wrong",
        path: String = "/home/a/Shop.cambium/1.xml"
    ) -> Diagnostic {
        Diagnostic(
            code, message, at: SourcePosition(path: path, line: 3, column: 7), notes: ["a note"])
    }

    private func object(_ text: String) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test func `JSON says what text says`() throws {
        let report = DiagnosticReport(
            [diagnostic(), diagnostic(.optionalBool)], relativeTo: "/home/a")
        let json = try object(report.rendered(as: .json))
        #expect(json["format"] as? Int == 1)
        #expect(json["errors"] as? Int == 1)
        #expect(json["warnings"] as? Int == 1)
        let first = try #require((json["diagnostics"] as? [[String: Any]])?.first)
        #expect(first["code"] as? String == "CM502")
        #expect(first["severity"] as? String == "error")
        #expect(first["message"] as? String == "wrong")
        #expect(first["path"] as? String == "Shop.cambium/1.xml")
        #expect(first["line"] as? Int == 3)
        #expect(first["column"] as? Int == 7)
        #expect(first["notes"] as? [String] == ["a note"])
    }

    @Test func `a path elsewhere stays as it is`() throws {
        let report = DiagnosticReport([diagnostic()], relativeTo: "/home/ab")
        #expect(report.rendered(as: .json).contains("\"/home/a/Shop.cambium/1.xml\""))
    }

    @Test(arguments: [DiagnosticReport.Format.json, .sarif])
    func `any message survives, and none leaves its string`(format: DiagnosticReport.Format) throws
    {
        let report = DiagnosticReport([diagnostic(message: Self.hostile)])
        let text = report.rendered(as: format)
        #expect(!text.contains("</script>"))
        #expect(
            text.unicodeScalars.allSatisfy {
                $0 == "\n" || $0.properties.generalCategory != .control
            })
        #expect(!text.unicodeScalars.contains("\u{202E}"))
        let json = try object(text)
        if format == .json {
            let first = (json["diagnostics"] as? [[String: Any]])?.first
            #expect(first?["message"] as? String == Self.hostile)
        } else {
            let result = try #require(try results(of: json).first)
            let message = (result["message"] as? [String: Any])?["text"] as? String
            #expect(message == Self.hostile + "\na note")
        }
    }

    private func results(of json: [String: Any]) throws -> [[String: Any]] {
        let run = try #require((json["runs"] as? [[String: Any]])?.first)
        return try #require(run["results"] as? [[String: Any]])
    }

    @Test func `SARIF names each rule once and points to it`() throws {
        let report = DiagnosticReport([
            diagnostic(.optionalBool), diagnostic(), diagnostic(.optionalBool),
        ])
        let json = try object(report.rendered(as: .sarif))
        #expect(json["version"] as? String == "2.1.0")
        let run = try #require((json["runs"] as? [[String: Any]])?.first)
        let driver = (run["tool"] as? [String: Any])?["driver"] as? [String: Any]
        #expect(driver?["version"] as? String == SwiftEmitter.cambiumVersion)
        let rules = try #require(driver?["rules"] as? [[String: Any]])
        #expect(rules.map { $0["id"] as? String } == ["CM407", "CM502"])
        for result in try results(of: json) {
            let index = try #require(result["ruleIndex"] as? Int)
            #expect(rules[index]["id"] as? String == result["ruleId"] as? String)
        }
        #expect(
            try results(of: json).map { $0["level"] as? String } == ["warning", "error", "warning"])
    }

    @Test func `SARIF's places are URIs with lines and columns`() throws {
        let report = DiagnosticReport(
            [diagnostic(path: "/home/a/My Shop%.cambium/é.xml")], relativeTo: "/home/a")
        let text = report.rendered(as: .sarif)
        #expect(text.contains("\"uri\": \"My%20Shop%25.cambium/%C3%A9.xml\""))
        #expect(text.contains("\"startLine\": 3"))
        #expect(text.contains("\"startColumn\": 7"))
        #expect(text.contains("\"columnKind\": \"unicodeCodePoints\""))
        let elsewhere = DiagnosticReport([diagnostic(path: "/x/1.xml")], relativeTo: "/home/a")
        #expect(elsewhere.rendered(as: .sarif).contains("\"uri\": \"file:///x/1.xml\""))
    }

    @Test(arguments: [
        ("../Shop.cambium/1.xml", "file:///home/Shop.cambium/1.xml"),
        ("./Models/../Shop.cambium/1.xml", "Shop.cambium/1.xml"),
        ("../a/Shop.cambium/1.xml", "Shop.cambium/1.xml"),
        ("../../../x.xml", "file:///x.xml"),
    ])
    func `no URI of SARIF has steps up`(path: String, uri: String) throws {
        let report = DiagnosticReport([diagnostic(path: path)], relativeTo: "/home/a")
        #expect(report.rendered(as: .sarif).contains("\"uri\": \"\(uri)\""))
        #expect(report.rendered(as: .json).contains("\"path\": \"\(path)\""))
    }

    @Test func `a note is neither an error nor a warning`() throws {
        let report = DiagnosticReport([diagnostic(path: "1.xml").asNote])
        let json = try object(report.rendered(as: .json))
        #expect(json["errors"] as? Int == 0)
        #expect(json["warnings"] as? Int == 0)
        #expect(report.rendered(as: .text).hasPrefix("1.xml:3:7: note: "))
        let results = try results(of: try object(report.rendered(as: .sarif)))
        #expect(results.map { $0["level"] as? String } == ["note"])
    }

    @Test func `nothing found is a valid report too`() throws {
        #expect(DiagnosticReport([]).rendered(as: .text) == "")
        #expect(try object(DiagnosticReport([]).rendered(as: .json))["errors"] as? Int == 0)
        #expect(try results(of: try object(DiagnosticReport([]).rendered(as: .sarif))).isEmpty)
    }
}
