import CambiumModel
import CompilerTestSupport
import Foundation
import Testing

@testable import CambiumCompiler

/// Every version of every real model is accepted.
@Suite(.enabled(if: Corpus.isPresent, Corpus.absence))
struct CorpusCheckTests {
    @Test(arguments: Corpus.sample(Corpus.shorterBundles, oneIn: 4, full: 2))
    func `a real model has no errors`(path: String) {
        let (bundle, _) = BundleReader.read(path)
        var previous: CheckedModel?
        for (index, parsed) in bundle.versions.enumerated() {
            let (model, diagnostics) = ModelChecker.check(
                parsed, bundleName: bundle.name,
                previousVersion: index > 0 ? bundle.versions[index - 1].version : nil,
                previous: previous)
            previous = model
            let errors = diagnostics.filter(\.isError)
            #expect(errors.isEmpty, "\(errors.map(\.rendered))")
            #expect(model != nil)
        }
    }

    @Test func `the corpus has the versions that it is known for`() {
        var files = 0
        for path in FileManager.default.enumerator(atPath: Corpus.folder.path + "/models")
            .map({ Array($0.compactMap { $0 as? String }) }) ?? []
        where path.hasSuffix("/contents") {
            files += 1
        }
        #expect(files == 360)
    }
}
