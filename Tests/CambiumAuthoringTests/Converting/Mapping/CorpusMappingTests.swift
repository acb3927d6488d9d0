import CompilerTestSupport
import Foundation
import Testing

@testable import CambiumAuthoring
@testable import CambiumCompiler

/// Real mapping models.
@Suite(.enabled(if: Corpus.isPresent, Corpus.absence))
final class CorpusMappingTests {
    private let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("cambium-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let archive = Corpus.folder.appendingPathComponent("mappings/xcmapping-open.tar.xz")
        process.arguments = ["tar", "xf", archive.path, "-C", folder.path]
        try process.run()
        process.waitUntilExit()
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// The mapping models, by the repositories that they are from.
    private var mappings: [(repository: String, url: URL)] {
        let paths =
            FileManager.default.enumerator(atPath: folder.path)?
            .compactMap { $0 as? String } ?? []
        return paths.filter { $0.hasSuffix(".xcmappingmodel") }.sorted().map { path in
            (String(path.prefix { $0 != "/" }), folder.appendingPathComponent(path))
        }
    }

    @Test func `all become migrations of the language and say what is in them`() throws {
        var migrations: [String: String] = [:]
        for (_, url) in mappings {
            let name = url.deletingPathExtension().lastPathComponent
            migrations[name] = try MappingModelReader.migration(at: url.path)
        }
        #expect(migrations.count == 24)
        for (name, text) in migrations {
            let source = SourceText(path: name, bytes: Array(text.utf8))
            let root = try XMLReader.read(source)
            #expect(root.name == "migration" && root["from"]?.value.isEmpty == false, "\(name)")
            let names = Set(root.children.map(\.name))
            #expect(names.isSubset(of: ["rename", "fill", "drop"]), "\(name)")
        }
        func expect(_ line: String, in name: String) {
            #expect(migrations[name]?.contains(line) == true, "\(migrations[name] ?? name)")
        }
        expect(
            #"<fill entity="StoreApp" attribute="sourceIdentifier" with="'com.rileytestut.AltStore'"/>"#,
            in: "AltStore5ToAltStore6")
        expect(
            #"<fill entity="InstalledApp" attribute="installedDate" with="$old.refreshedDate"/>"#,
            in: "AltStore2ToAltStore3")
        expect(
            "InstalledApp.isActive is made by: defaultIsActiveForBundleID:team: of the policy"
                + " with bundleIdentifier, team", in: "AltStore4ToAltStore5")
        expect("Country.isoContinent was continent.numericISO3166Code", in: "Moody 4-Moody 5")
    }

    /// Each mapping's migration is put into the version that it leads to, in the converted bundle.
    /// It is refused for nothing but what a comment in it says is still open; most leave nothing
    /// open.
    @Test func `the migrations pass the check of the bundles that they belong to`() throws {
        var passed: [String] = []
        var compared = 0
        for (repository, url) in Corpus.sample(mappings, oneIn: 6) {
            guard let (bundle, old, new) = try converted(for: url, of: repository) else { continue }
            let name = url.deletingPathExtension().lastPathComponent
            let (versions, diagnostics) = MappedVersions.check(old, new, of: bundle.name)
            let known = try #require(versions, "\(name): \(diagnostics.map(\.rendered))")
            let text = try MappingModelReader.migration(at: url.path, between: known)
            try put(text, into: bundle)
            let errors = ModelCompiler.compile(bundle.path).diagnostics.filter(\.isError)
                .map(\.message)
            #expect(Set(errors) == Set(questions(in: text)), "\(name): \(errors)\n\(text)")
            compared += 1
            if errors.isEmpty { passed.append(name) }
        }
        #expect(compared > 0)
        guard Corpus.isWhole else { return }
        // WordPress has its versions of that time in the binary form only.
        #expect(compared == 23)
        #expect(passed.count >= 14, "\(passed)")
    }

    /// What the last comment says is still open.
    private func questions(in text: String) -> [String] {
        guard let start = text.range(of: "<!-- Still undecided; the check will report it:\n"),
            let end = text.range(of: " -->", range: start.upperBound..<text.endIndex)
        else { return [] }
        return text[start.upperBound..<end.lowerBound].split(separator: "\n")
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }

    // MARK: Bundles

    /// A bundle of Cambium's own of the two versions that a mapping model is about, or nil where
    /// they cannot be read.
    private func converted(
        for url: URL, of repository: String
    ) throws -> (bundle: ParsedBundle, old: ParsedModel, new: ParsedModel)? {
        let file = url.appendingPathComponent("xcmapping.xml")
        let mapping = try String(contentsOf: file, encoding: .utf8)
        let names = try ["source", "destination"].map { side in
            let expression = try Regex(
                "name=\"\(side)modelpath\"[^>]*>[^<]*/([^<]*)\\.xcdatamodel<")
            let found = try #require(mapping.firstMatch(of: expression))
            return String(try #require(found.output[1].substring))
        }
        let origin = Corpus.bundles.first { bundle in
            bundle.contains("/\(repository)/")
                && names.allSatisfy {
                    FileManager.default.fileExists(atPath: "\(bundle)/\($0).xcdatamodel/contents")
                }
        }
        guard let origin else { return nil }
        let folder = folder.appendingPathComponent(UUID().uuidString)
        let copy = folder.appendingPathComponent(URL(fileURLWithPath: origin).lastPathComponent)
        try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
        for name in names {
            try FileManager.default.copyItem(
                atPath: "\(origin)/\(name).xcdatamodel",
                toPath: copy.appendingPathComponent("\(name).xcdatamodel").path)
        }
        let settings = try JSONEncoder().encode(["versions": names])
        try settings.write(to: URL(fileURLWithPath: copy.path + ".json"))
        let (xcode, _) = BundleReader.read(copy.path)
        let files = ModelConverter.ownBundle(from: xcode)
        for (path, contents) in files {
            let file = folder.appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(contents.utf8).write(to: file)
        }
        let name = String(try #require(files.first?.path.split(separator: "/").first))
        let (own, _) = BundleReader.read(folder.appendingPathComponent(name).path)
        #expect(own.versions.map(\.version) == names)
        return (own, xcode.versions[0], xcode.versions[1])
    }

    private func put(_ migration: String, into bundle: ParsedBundle) throws {
        let file = "\(bundle.path)/\(bundle.versions[1].version).xml"
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(!text.contains("<migration"))
        let whole = text.replacingOccurrences(of: "</model>", with: migration + "</model>")
        try Data(whole.utf8).write(to: URL(fileURLWithPath: file))
    }
}
