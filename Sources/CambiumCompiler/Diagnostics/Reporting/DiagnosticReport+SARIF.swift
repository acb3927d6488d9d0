extension DiagnosticReport {
    /// One run of the static analysis results interchange format, version 2.1.0, with a rule for
    /// each code that occurs and a result for each finding.
    var sarif: String {
        let codes = Set(diagnostics.map(\.code)).sorted { $0.rawValue < $1.rawValue }
        let driver: JSONValue = .object([
            ("name", .string("cambium")),
            ("version", .string(SwiftEmitter.cambiumVersion)),
            ("rules", .array(codes.map(rule))),
        ])
        let run: JSONValue = .object([
            ("tool", .object([("driver", driver)])),
            // What our columns count; the other choice of the format is UTF-16.
            ("columnKind", .string("unicodeCodePoints")),
            (
                "results",
                .array(
                    diagnostics.map { diagnostic in
                        result(diagnostic, index: codes.firstIndex(of: diagnostic.code) ?? 0)
                    })
            ),
        ])
        return JSONValue.object([
            (
                "$schema",
                .string("https://json.schemastore.org/sarif-2.1.0.json")
            ),
            ("version", .string("2.1.0")),
            ("runs", .array([run])),
        ]).text
    }

    private func rule(_ code: DiagnosticCode) -> JSONValue {
        let explanation = code.explanation
        return .object([
            ("id", .string(code.name)),
            ("shortDescription", .object([("text", .string(explanation.title))])),
            ("fullDescription", .object([("text", .string(explanation.meaning))])),
            ("help", .object([("text", .string(code.explanationText))])),
            (
                "defaultConfiguration",
                .object([("level", .string(code.severity.rawValue))])
            ),
        ])
    }

    private func result(_ diagnostic: Diagnostic, index: Int) -> JSONValue {
        let text = ([diagnostic.message] + diagnostic.notes).joined(separator: "\n")
        let position = diagnostic.position
        let location: JSONValue = .object([
            (
                "physicalLocation",
                .object([
                    (
                        "artifactLocation",
                        .object([("uri", .string(Self.uri(normalizedPath(position))))])
                    ),
                    (
                        "region",
                        .object([
                            ("startLine", .number(position.line)),
                            ("startColumn", .number(position.column)),
                        ])
                    ),
                ])
            )
        ])
        return .object([
            ("ruleId", .string(diagnostic.code.name)),
            ("ruleIndex", .number(index)),
            ("level", .string(diagnostic.severity.rawValue)),
            ("message", .object([("text", .string(text))])),
            ("locations", .array([location])),
        ])
    }

    /// A path as a URI reference: relative where the path is.
    static func uri(_ path: String) -> String {
        let digits = Array("0123456789ABCDEF")
        let encoded = path.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "/"):
                String(UnicodeScalar(byte))
            default: "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            }
        }.joined()
        return (path.hasPrefix("/") ? "file://" : "") + encoded
    }
}
