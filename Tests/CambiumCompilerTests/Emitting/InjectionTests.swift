import CambiumMigration
import CambiumModel
import CambiumPlan
import CompilerTestSupport
import Foundation
import Testing

@testable import CambiumCompiler

@Suite("Text of a model never becomes code")
struct InjectionTests {
    /// Texts that would end or escape a literal, a name or a comment if they could.
    private static let signs: [String] = [
        "\"", "\"\"\"", "\"\"", "\\", "\\\\", "\\\"", "\\(exit(1))", "\\#(exit(1))", "\"#", "\"##",
        "#\"", "##\"\\##(x)\"##", "\"#)]) } ; exit(1) //", "\r", "\n", "\r\n", "\u{B}", "\u{C}",
        "\u{85}", "\u{2028}", "\u{2029}", "\0", "\u{FEFF}", "\u{202E}", "\u{1F600}", "e\u{301}",
        "*/", "/*", "//", "///", "`", "``", "`x`", "$0", "$name", "%@", "'", "' OR 1=1; --",
        "class", "init", "self", "Self", "Type", "default", "in", "nil", "import Foundation",
        "\n}\nlet x = 1\n", "\r}\rlet x = 1\r", "; let x = 1", "\\u{22}", "\\n", "{", "}", "<", ">",
        "@_silgen_name", "#if", "#sourceLocation(file: \"x\", line: 1)", "a b", "1", "-1", " ", "",
        "\t", "trailing ", "\nleading", " \n ", String(repeating: "long\" ", count: 200),
        String(repeating: "x", count: 1000), String(repeating: "\\", count: 999),
        String(repeating: "#\"", count: 300), "\"" + String(repeating: "#", count: 500),
    ]

    /// Swift refuses the escapes of the first two.
    private static let noncharacters: [String] = [0xFDD0, 0xFDEF, 0xFFFE, 0x10FFFF].compactMap {
        Unicode.Scalar($0 as UInt32).map { String($0) }
    }

    /// The texts by themselves, at the start, in the middle and at the end of others, doubled, and
    /// after what would have to end first: at least 500.
    private static let corpus: [String] =
        signs + noncharacters
        + (signs + noncharacters).filter { $0.utf8.count < 40 }.flatMap { sign in
            [
                "a\(sign)", "\(sign)a b", "a\(sign)b\(sign)c", "\"\(sign)", "\n\(sign)\r",
                "*/\(sign)/*",
                "x\(sign)\u{85}", "'\(sign)'",
            ]
        }

    @Test("There are at least 500 texts, and each is another")
    func corpusSize() {
        let distinct = Set(Self.corpus.map { Array($0.unicodeScalars) })
        #expect(distinct.count >= 500)
    }

    /// A model that has the text in every place that takes one. The added letters keep names
    /// apart.
    private static func input(_ text: String) -> EmitterInput {
        let path = ModelExpression.keyPath(root: .variable(text), names: [text])
        let condition = ModelExpression.comparison(
            .aggregate(.count, .subquery(path, variable: text, condition: .and([]))), .equal,
            .list([.literal(.string(text)), .parameter(text)]), [])
        let attribute = Attribute(
            name: "a\(text)", type: .string, defaultValue: .constant(.string(text)),
            limits: Limits(maximumLength: 3, pattern: text), renamedFrom: text,
            hasCustomValidation: true, hashModifier: text, userInfo: [text: text])
        let options = RequestOptions(limit: 3, prefetched: [text])
        let entity = Entity(
            name: "E\(text)", className: "F\(text)", renamedFrom: text, hasCustomValidation: true,
            attributes: [
                attribute, Attribute(name: text, type: .enumeration("N\(text)"), isOptional: true),
                Attribute(name: "price", type: .decimal(scale: 2)),
                Attribute(name: "d\(text)", type: .string, derivation: condition),
                Attribute(name: "j\(text)", type: .codable(text), isOptional: true),
                Attribute(name: "c.p\(text)", type: .string, limits: Limits(pattern: text)),
            ],
            compositeAttributes: [
                CompositeAttribute(
                    name: "c", composite: "C\(text)", renamedFrom: text, userInfo: [text: text])
            ],
            relationships: [
                Relationship(
                    name: "r\(text)", destination: "E\(text)", inverse: "s\(text)",
                    hashModifier: text, userInfo: [text: text]),
                Relationship(
                    name: "s\(text)", destination: "E\(text)", inverse: "r\(text)", isToMany: true,
                    maximumCount: 2, renamedFrom: text),
            ],
            uniqueConstraints: [UniqueConstraint(properties: [text, "a\(text)"])],
            indexes: [
                Index(
                    name: text, elements: [IndexElement(property: text, expression: path)],
                    condition: condition)
            ],
            rules: [Rule(name: text, message: text, condition: condition)],
            fetchTemplates: [
                FetchTemplate(
                    name: "t\(text)",
                    parameters: [
                        FetchParameter(name: text, type: .string),
                        FetchParameter(name: "l\(text)", type: .string, isList: true),
                    ],
                    condition: condition, sort: [IndexElement(property: text)], options: options,
                    userInfo: [text: text])
            ],
            fetchedProperties: [
                FetchedProperty(
                    name: "f\(text)", destination: "E\(text)", condition: condition,
                    sort: [IndexElement(property: text)], options: options, hashModifier: text,
                    userInfo: [text: text])
            ], hashModifier: text, userInfo: [text: text])
        let base = Entity(
            name: "B\(text)", parent: "E\(text)", codeGeneration: .base, hasCustomValidation: true)
        let enumeration = Enumeration(
            name: "N\(text)", rawType: .string,
            cases: [EnumerationCase(name: text, rawValue: .string("raw\(text)"))])
        let composite = Composite(
            name: "C\(text)", attributes: [Attribute(name: "p\(text)", type: .string)],
            userInfo: [text: text])
        let migration = Migration(
            from: text, to: text, fromHash: text, toHash: text,
            steps: [
                MigrationStep(
                    summary: text, kind: .needsData,
                    statements: [
                        .init(
                            .copyRows(
                                RowCopy(
                                    text, to: text, [text, text], origins: [text: [text]],
                                    computed: [text], after: [text])), text, "q\(text)"),
                        .init(
                            .createIndex(text, on: text, unique: .init([text], of: [text])), text),
                        .init(.checkRows(text, with: [text], type: text), text, "q\(text)"),
                    ])
            ])
        return EmitterInput(
            model: Model(
                name: "M\(text)", version: text, entities: [entity, base],
                enumerations: [enumeration], composites: [composite],
                configurations: [
                    Configuration(name: text, entities: [text], userInfo: [text: text])
                ], identifier: text, userInfo: [text: text]),
            schema: [text, text], migrations: [migration], access: .public)
    }

    /// What is generated for each text by itself, and for some of the others.
    private static let generated: [(text: String, files: [SwiftFile])] = {
        let count = signs.count + noncharacters.count
        let texts = corpus[..<count] + Corpus.sample(Array(corpus[count...]), oneIn: 8, full: 1)
        return texts.map { text in (text, input(text).files()) }
    }()

    private static let structure: Set<String> = [
        "import", "public", "open", "internal", "private", "static", "let", "var", "func",
        "class", "enum", "protocol", "extension", "case", "override", "convenience", "init",
        "self", "super", "if", "get", "set", "try", "throws", "inout", "final", "struct",
        "guard", "return", "fileprivate",
    ]

    /// The tokens without the names and texts: what is declared and called, in which order.
    private func skeleton(_ tokens: [SwiftToken]) -> [SwiftToken] {
        var result: [SwiftToken] = []
        result.reserveCapacity(tokens.count)
        for token in tokens {
            switch token {
            case .word(let word):
                result.append(.word(Self.structure.contains(word) ? word : "name"))
            case .quotedWord: result.append(.word("name"))
            case .string: result.append(.string(""))
            case .number: result.append(.number(""))
            case .mark("]") where result.last == .mark(","):
                // An array of several lines has a comma at the end.
                result.removeLast()
                result.append(token)
            case .mark: result.append(token)
            }
        }
        return result
    }

    @Test("The declarations are those of a harmless model, and each text reads back as it was")
    func skeletons() throws {
        let harmless = try Self.input("harmless").files().map {
            let tokens = try SwiftTokenizer.tokens(of: $0.contents)
            // The texts in the pieces between which the model's stands.
            let texts = strings(tokens).map { $0.components(separatedBy: "harmless") }
            return (skeleton: skeleton(tokens), texts: texts)
        }
        #expect(!harmless.isEmpty)
        for (text, files) in Self.generated {
            // A model is there as the text of its definition, in which quotes and backslashes are
            // escaped.
            let bytes = text.utf8.flatMap { byte in
                [UInt8(ascii: "\""), UInt8(ascii: "\\")].contains(byte)
                    ? [UInt8(ascii: "\\"), byte] : [byte]
            }
            let inDefinition = String(decoding: bytes, as: UTF8.self)
            #expect(files.count == harmless.count)
            for (file, expected) in zip(files, harmless) {
                let tokens = try SwiftTokenizer.tokens(of: file.contents)
                let isEqual = skeleton(tokens) == expected.skeleton
                #expect(isEqual, "\(text.prefix(40).debugDescription) changed \(file.name)")
                let texts = strings(tokens)
                let isSame = zip(texts, expected.texts).allSatisfy { found, pieces in
                    [text, inDefinition].contains {
                        found.utf8.elementsEqual(pieces.joined(separator: $0).utf8)
                    }
                }
                #expect(
                    isSame && texts.count == expected.texts.count,
                    "\(text.prefix(40).debugDescription) reads back otherwise in \(file.name)")
            }
        }
    }

    @Test("Names of files and bundles stay in one comment, and in literals of one line")
    func places() throws {
        let model = EmitterInput.shop.model
        func tokens(_ text: String) throws -> [[SwiftToken]] {
            let lines = SourceLines(
                bundle: "\(text).cambium", file: "\(text).cambium/\(text).xml",
                lines: Dictionary(
                    uniqueKeysWithValues: model.entities.map { ($0.name, .init(line: 3)) }))
            let emitter = SwiftEmitter(
                model: model, bundle: "Shop.cambium", access: .public,
                lines: lines)
            return try emitter.files(schema: [], migrations: []).filter {
                !$0.contents.contains("currentModel")
            }.map {
                // The tokenizer knows no directives.
                try SwiftTokenizer.tokens(
                    of: $0.contents.replacingOccurrences(
                        of: "#sourceLocation", with: "sourceLocation"))
            }
        }
        let harmless = try tokens("harmless").map(skeleton)
        for text in Self.signs {
            #expect(
                try tokens(text).map(skeleton) == harmless,
                "\(text.prefix(40).debugDescription)")
        }
    }

    @Test("The SQL of a model whose constants are such texts runs on SQLite, and keeps them")
    func sql() throws {
        let texts = Self.corpus.filter { !$0.unicodeScalars.contains("\0") }
        // Many entities in one store: making a store costs more than its tables.
        for start in stride(from: 0, to: texts.count, by: 40) {
            let batch = texts[start..<min(start + 40, texts.count)]
            let parts = batch.enumerated().map { thing($1, number: $0) }
            let model = Model(
                name: "M", version: "1", entities: parts.map(\.0), enumerations: parts.map(\.1))
            #expect(throws: Never.self, "\(start)") {
                _ = try MigrationProver.makeStore(of: model, seed: 1)
            }
        }
    }

    private func thing(_ text: String, number: Int) -> (Entity, Enumeration) {
        let name = ModelExpression.keyPath(root: .subject, names: ["name"])
        let condition = ModelExpression.comparison(name, .notEqual, .literal(.string(text)), [])
        let entity = Entity(
            name: "Thing\(number)",
            attributes: [
                Attribute(
                    name: "name", type: .string, isOptional: true,
                    defaultValue: .constant(.string(text))),
                Attribute(name: "kind", type: .enumeration("Kind\(number)"), isOptional: true),
            ],
            indexes: [Index(elements: [IndexElement(property: "name")], condition: condition)],
            rules: [Rule(name: text, message: text, condition: condition)])
        let kind = Enumeration(
            name: "Kind\(number)", rawType: .string,
            cases: [EnumerationCase(name: "one", rawValue: .string(text))])
        return (entity, kind)
    }

    private func strings(_ tokens: [SwiftToken]) -> [String] {
        tokens.compactMap { if case .string(let value) = $0 { value } else { nil } }
    }

    @Test("The Swift compiler parses it without error or warning", .enabled(if: Swiftc.isPresent))
    func parses() throws {
        let files = Self.generated.flatMap(\.files).enumerated().map {
            SwiftFile(name: "f\($0).swift", contents: $1.contents)
        }
        let command = ["swiftc", "-frontend", "-parse", "-swift-version", "6"]
        let output = try Swiftc.run(command, on: files)
        #expect(output == "")
    }

    @Test("The formatter has nothing to change", .enabled(if: Swiftc.isPresent))
    func formatted() throws {
        let files = [EmitterInput.shop, .mixed, .expressions].flatMap { $0.files() }
        let configuration = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent(".swift-format").path
        let output = try Swiftc.run(
            ["swift", "format", "lint", "--strict", "--configuration", configuration], on: files)
        #expect(output == "")
    }
}

/// The toolchain's programs, run on files.
enum Swiftc {
    /// Whether a toolchain is on the PATH.
    static var isPresent: Bool {
        (try? run(["swiftc", "--version"], on: [])) != nil
    }

    /// Runs a command with the files in a folder of its own, and gives what it says.
    static func run(_ command: [String], on files: [SwiftFile]) throws -> String {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "cambium-emitting-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for file in files {
            try Data(file.contents.utf8).write(to: folder.appendingPathComponent(file.name))
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command + files.map(\.name)
        process.currentDirectoryURL = folder
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let text = String(decoding: data, as: UTF8.self)
        if process.terminationStatus != 0, text.isEmpty {
            return "\(command.joined(separator: " ")) failed with \(process.terminationStatus)"
        }
        if process.terminationStatus == 127 { throw SwiftTokenError(description: text) }
        return text
    }
}
