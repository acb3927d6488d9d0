import Foundation
import Testing

@testable import CambiumCompiler

/// Real chains are compared without a crash, and always with the same result.
@Suite(.enabled(if: Corpus.isPresent, Corpus.absence))
struct CorpusDifferenceTests {
    @Test(arguments: Corpus.sample(CorpusCheckTests.bundles, oneIn: 6))
    func `a real chain is compared twice with the same result`(path: String) throws {
        guard let bundle = CheckedBundle.read(path).bundle, bundle.versions.count > 1 else {
            return
        }
        let first = bundle.versions[0].model.version
        let difference = try bundle.difference(from: first)
        #expect(difference.steps.count == bundle.versions.count - 1)
        let again = try bundle.difference(from: first)
        for format in BundleDifference.Format.allCases {
            #expect(difference.rendered(as: format) == again.rendered(as: format))
        }
        let json = Data(difference.rendered(as: .json).utf8)
        #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: json) }
    }
}
