import CompilerTestSupport
import Foundation
import Testing

@testable import CambiumCompiler

/// Names that Swift, the library or generated code use: what the checker accepts compiles, without
/// a warning. With CAMBIUM_EVERY_NAME all names there are stand everywhere, which takes minutes.
/// One compiler runs at a time, since each needs a gigabyte or more.
@Suite(.serialized, .enabled(if: Swiftc.isPresent && Swiftc.modules != nil))
struct NameTests {
    private static let isThorough =
        ProcessInfo.processInfo.environment["CAMBIUM_EVERY_NAME"] != nil
    private static let names = isThorough ? NameList.all : NameList.few

    @Test func `there are names`() {
        #expect(Set(NameList.few).count == NameList.few.count)
        #expect(NameList.all.count > 600, "The sources are read")
        #expect(NameList.types.count > 50)
    }

    @Test(arguments: isThorough ? NamePosition.members.map { [$0] } : [NamePosition.members])
    func `members of any accepted name compile`(_ positions: [NamePosition]) throws {
        let lines = positions.flatMap { position in
            Self.names.enumerated().map { (name: $1, text: position.elements($1, number: $0)) }
        }
        // `Cambium` would hide the module, where another member hides a type of it.
        let refused = try compile(lines.filter { $0.name != "Cambium" })
        let reserved = ReservedNames.properties.union(ReservedNames.structMembers)
            .union(ReservedNames.enumerationMembers)
        #expect(refused.filter { Vocabulary.isIdentifier($0) && !reserved.contains($0) } == [])
        try compile(lines.filter { $0.name == "Cambium" })
    }

    @Test(
        arguments: isThorough
            ? NamePosition.types
            : Corpus.sample(Array(NamePosition.types.prefix(3)), oneIn: 3, full: 1))
    func `types of any accepted name compile`(_ position: NamePosition) throws {
        // Types of one model differ in more than case.
        var groups: [[String: String]] = []
        for name in Self.names {
            let key = name.lowercased()
            let index = groups.firstIndex { $0[key] == nil } ?? groups.count
            if index == groups.count { groups.append([:]) }
            groups[index][key] = name
        }
        for names in groups.map({ $0.values.sorted() }) {
            let refused = try compile(
                names.enumerated().map { ($1, position.elements($1, number: $0)) })
            let reserved = ReservedNames.types.union(ReservedNames.properties)
                .union(ReservedNames.structMembers).union(ReservedNames.enumerationMembers)
            let unexpected = refused.filter {
                Vocabulary.isIdentifier($0) && !reserved.contains($0) && !$0.hasSuffix("Keys")
                    && !$0.lowercased().hasPrefix("sqlite")
            }
            #expect(unexpected == [])
        }
    }

    /// Types hide what has their name in all of a module, so most models are modules of their own.
    @Test(
        arguments: isThorough
            ? NameList.types
            : Corpus.sample(["model", "Self", "String"], oneIn: 3, full: 1))
    func `models of any accepted name compile`(_ name: String) throws {
        try compile(
            [
                (
                    name,
                    """
                    <entity name="A"><attribute name="zz" type="date" optional="true"/>\
                    <fetch name="ff"/></entity>\
                    <entity name="B"><fetch name="\(name)"><parameter name="\(name)z"/>\
                    SELF == $\(name)z</fetch></entity>
                    """
                )
            ], model: name)
    }

    @Test func `steps, and the rows that they see, compile with any accepted name`() throws {
        let reserved = ["Version", "layout", "rowID"]
        let names = Self.names + reserved
        var (lines, olds): ([(name: String, text: String)], [String]) = ([], [])
        var steps: [String] = []
        var seen: Set<String> = []
        for (index, name) in names.enumerated() where Vocabulary.isIdentifier(name) {
            guard !ReservedNames.properties.contains(name), name != "Cambium" else { continue }
            let entity = "A\(index)x"
            olds.append(
                "<entity name=\"\(entity)\"><attribute name=\"zz\" type=\"string\"/></entity>")
            lines.append(
                (
                    name,
                    """
                    <entity name="\(entity)"><attribute name="\(name)" type="date" default="now"/>\
                    <relationship name="zr" to="\(entity)" optional="true"/></entity>
                    """
                ))
            steps.append("<drop entity=\"\(entity)\" property=\"zz\" reason=\"x\"/>")
            if seen.insert(name.lowercased()).inserted {
                steps.append("<step name=\"\(name)\" entities=\"\(entity)\"/>")
            }
        }
        for name in ["Migration", "WritableMigration", "Version2", "MigrationLink", "ID"] {
            let text = "<entity name=\"\(name)\"><attribute name=\"zz\" type=\"string\"/></entity>"
            olds.append(text)
            lines.append((name, text))
        }
        lines.append(("", "<migration from=\"1\">\(steps.joined())</migration>"))
        let refused = try compile(lines, before: olds.joined())
        #expect(refused == [])
    }

    /// Compiles a model of lines, without those that the checker refuses.
    ///
    /// - Returns: The names of the lines that it refuses.
    @discardableResult
    private func compile(
        _ lines: [(name: String, text: String)], model name: String = "Zmodel",
        before old: String? = nil
    ) throws -> [String] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "cambium-names-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("\(name).cambium")
        try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
        func write(_ text: String, version: Int) throws {
            let head = "<model xmlns=\"urn:cambium:model:1\" name=\"\(name)\" access=\"public\""
            try Data(
                "\(head) version=\"\(version)\">\(NamePosition.common)\n\(text)\n</model>\n".utf8
            )
            .write(to: path.appendingPathComponent("\(version).xml"))
        }
        if let old { try write(old, version: 1) }
        var lines = lines
        var refused: [String] = []
        while !lines.isEmpty {
            try write(lines.map(\.text).joined(separator: "\n"), version: old == nil ? 1 : 2)
            let compilation = ModelCompiler.compile(path.path)
            guard let bundle = compilation.bundle else {
                let wrong = Set(
                    compilation.diagnostics.filter(\.isError).map { $0.position.line - 2 })
                let kept = lines.enumerated().filter { !wrong.contains($0.offset) }.map(\.element)
                if kept.count == lines.count {
                    // It is about the model's own name.
                    #expect(
                        compilation.diagnostics.contains {
                            [.reservedName, .notAnIdentifier].contains($0.code)
                        },
                        "\(compilation.diagnostics.map(\.rendered).prefix(3))")
                    return refused + [name]
                }
                refused += lines.enumerated().filter { wrong.contains($0.offset) }.map(
                    \.element.name)
                lines = kept
                continue
            }
            let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(5)
                .joined(separator: "/").dropFirst()
            // Some findings come after the types are checked.
            let output = try Swiftc.run(
                [
                    "swiftc", "-emit-sil", "-whole-module-optimization", "-o", "sil",
                    "-swift-version", "6", "-parse-as-library", "-module-name", "Cases",
                    "-warnings-as-errors", "-suppress-notes", "-I", Swiftc.modules ?? "",
                    "-Xcc", "-fmodule-map-file=\(root)/Sources/CSQLite/module.modulemap",
                ], on: bundle.swiftFiles(relativeTo: folder.path))
            #expect(output == "", "\(output.prefix(2000))")
            return refused
        }
        return refused
    }
}

extension Swiftc {
    /// Where the library's modules are: beside the tests.
    fileprivate static let modules: String? = {
        let folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        return [folder, folder.appendingPathComponent("Modules")].map(\.path).first {
            FileManager.default.fileExists(atPath: $0 + "/Cambium.swiftmodule")
        }
    }()
}
