import CambiumSQL
import CompilerTestSupport
import Foundation
import Testing

@testable import CambiumAuthoring
@testable import CambiumCompiler

/// The declarations that freezing writes for real bundles of many versions. They are kept here,
/// because those bundles are read where they lie.
@Suite(.enabled(if: Corpus.isPresent, Corpus.absence))
struct RealHistoryTests {
    /// A bundle, and the version that its declarations go through: none of its authors is asked
    /// about the last step any more.
    struct Chain: CustomStringConvertible {
        let name: String
        let steps: Int
        var last: String?

        var description: String { name }
        var bundle: String? { Corpus.bundles.first { $0.hasSuffix("/\(name).xcdatamodeld") } }

        /// Its declarations.
        var file: URL { Corpus.history(of: name) }
    }

    /// The long ones take their time in a debug build.
    static let chains = [
        Chain(name: "Trailer", steps: 43), Chain(name: "WooCommerce", steps: 116),
        Chain(name: "zmessaging", steps: 89, last: "zmessaging2.101.0"),
    ].filter { Corpus.isWhole || $0.steps < 50 }

    /// `CAMBIUM_ACCEPT=1` writes them; read the difference.
    @Test(arguments: chains)
    func `the declarations of the project are what freezing writes`(chain: Chain) throws {
        let bundle = try #require(chain.bundle)
        let result = ModelHistory.write(of: bundle, through: chain.last)
        let text = try #require(result.text)
        if ProcessInfo.processInfo.environment["CAMBIUM_ACCEPT"] != nil {
            try Data(text.utf8).write(to: chain.file)
        }
        #expect(try String(contentsOf: chain.file, encoding: .utf8) == text)
        #expect(result.open == [])
        guard Corpus.isFull || Corpus.isWhole else { return }
        // Nothing more is to be declared.
        let again = ModelHistory.write(
            of: bundle, declarations: chain.file.path, through: chain.last)
        #expect(again.added == [])
    }

    @Test(.enabled(if: Corpus.isWhole), arguments: chains)
    func `with them all versions are one chain`(chain: Chain) throws {
        let compilation = ModelCompiler.compile(
            try #require(chain.bundle), declarations: chain.file.path)
        let errors = compilation.diagnostics.filter { $0.isError || $0.code.rawValue > 700 }
        #expect(errors.map(\.rendered) == [])
        #expect(compilation.bundle?.migrations.count == chain.steps)
    }
}
