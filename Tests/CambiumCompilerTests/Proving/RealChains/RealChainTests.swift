import CambiumMigration
import CambiumModel
import CambiumPlan
import CompilerTestSupport
import Foundation
import Testing

@testable import CambiumAuthoring
@testable import CambiumCompiler

/// Long histories of models that nobody here wrote: each is one chain, its steps are of the class
/// that their changes imply, and stores go all the way.
@Suite(.enabled(if: Corpus.isPresent, Corpus.absence))
struct RealChainTests {
    @Test(arguments: RealChain.all)
    func `all versions are one chain, and each step has the class of its changes`(
        chain: RealChain
    ) throws {
        try chain.withCopy { _, compile in try check(compile(), of: chain) }
    }

    private func check(_ compilation: Compilation, of chain: RealChain) throws {
        let bundle = try #require(
            compilation.bundle, "\(compilation.diagnostics.filter(\.isError).map(\.rendered))")
        #expect(bundle.migrations.count == chain.steps)
        #expect(compilation.steps.count == chain.steps)
        let failures = compilation.steps.compactMap { step in
            step.failure.map { "\(step.from) → \(step.to): \($0)" }
        }
        #expect(failures.isEmpty)
        let hard = Dictionary(
            HardStep.all.filter { $0.bundle == chain.path }.map { ($0.to, $0) },
            uniquingKeysWith: { first, _ in first })
        for step in compilation.steps {
            let kind = try #require(MigrationKind(rawValue: step.class))
            if let known = hard[step.to] {
                #expect(known.from == step.from)
                #expect(known.admits(kind), "\(step.to): \(kind), \(known.changes.sorted())")
            } else {
                #expect(kind <= .lossy, "\(step.to): \(kind)")
            }
            // What is only new has no rows before.
            #expect(step.rowsIn > 0 || kind == .additive, "\(step.to)")
        }
        try stores(of: bundle)
    }

    /// A store of the first version with rows goes to the last, in one chain and step by step.
    private func stores(of bundle: CompiledBundle) throws {
        let first = try #require(bundle.versions.first?.model)
        let atOnce = try MigrationProver.makeStore(of: first, seed: 1)
        let byStep = try MigrationProver.makeStore(of: first, seed: 1)
        _ = try #require(bundle.runner()).open(atOnce)
        for version in bundle.versions.dropFirst() {
            _ = try #require(bundle.runner(to: version.model.version)).open(byStep)
        }
        let (left, right) = try (StoreDump(of: atOnce), StoreDump(of: byStep))
        #expect(left.tables.keys == right.tables.keys)
        for (name, rows) in left.tables where rows != right.tables[name] {
            Issue.record("\(bundle.name): the rows of \(name) differ")
        }
        #expect(left.tables.values.contains { !$0.isEmpty })
    }

    @Test(arguments: RealChain.all)
    func `a copy with one step broken on purpose fails at that step`(chain: RealChain) throws {
        try chain.withCopy { copy, compile in
            let version = BundleReader.read(copy.path).0.chain[chain.steps / 2].version
            let file = copy.appendingPathComponent("\(version).xcdatamodel/contents")
            let text = try String(contentsOf: file, encoding: .utf8)
            // A value that no object has, and that nobody gives.
            let start = try #require(text.range(of: "<attribute ")).lowerBound
            let broken =
                text[..<start] + "<attribute name=\"onPurpose\" attributeType=\"Date\"/>"
                + text[start...]
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o644], ofItemAtPath: file.path)
            try Data(broken.utf8).write(to: file)
            let steps = compile().steps
            #expect(steps.count == chain.steps)
            #expect(steps.filter { $0.failure != nil }.map(\.to) == [version])
            #expect(steps.first { $0.to == version }?.failure?.contains("onPurpose") == true)
        }
    }
}
