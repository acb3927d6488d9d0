import CompilerTestSupport
import Foundation
import Testing

@testable import CambiumAuthoring
@testable import CambiumCompiler

@_spi(Generated) import CambiumModel

/// The definition that a store keeps, and the texts that generated code has, say all of a model that
/// the compiler has accepted.
struct CompiledDefinitionTests {
    private static let own: [String] = {
        let models = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Models").path()
        let files = FileManager.default.enumerator(atPath: models)?.compactMap { $0 as? String }
        return (files ?? []).filter { $0.hasSuffix(".cambium") }.sorted().map { "\(models)/\($0)" }
    }()

    @Test func `every version of every model of ours is read from its definition as it was`() {
        #expect(Self.own.count > 5)
        for path in Self.own { Self.check(path) }
    }

    @Test(
        .enabled(if: Corpus.isPresent, Corpus.absence),
        arguments: Corpus.sample(Corpus.shorterBundles, oneIn: 6, full: 1))
    func `every version of a real model is read from its definition as it was`(path: String) {
        Self.check(path)
    }

    private static func check(_ path: String) {
        for version in CheckedBundle.read(path).bundle?.versions ?? [] {
            let model = version.model
            let bare = Model(
                name: model.name, version: model.version, entities: model.entities,
                enumerations: model.enumerations, composites: model.composites,
                configurations: model.configurations, identifier: model.identifier,
                userInfo: model.userInfo)
            #expect(Model(definition: model.definition) == bare, "\(path), \(model.version)")
            for (includesMigration, expected) in [(false, bare), (true, model)] {
                let texts = model.compiledTexts(includesMigration: includesMigration)
                #expect(
                    Model(compiled: texts) == expected,
                    "\(path), \(model.version), in generated code")
            }
        }
    }
}
