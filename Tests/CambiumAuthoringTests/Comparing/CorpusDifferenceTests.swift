import CompilerTestSupport
import Foundation
import Testing

@testable import CambiumAuthoring
@testable import CambiumCompiler

/// Real chains are compared without a crash, always with the same result, and the lint says of their
/// steps what is right and nothing else.
@Suite(.enabled(if: Corpus.isPresent, Corpus.absence))
struct CorpusDifferenceTests {
    /// What the lint says of a step that was the one to the current version once, by the version
    /// that it leads to.
    private static let findings: [String: [String]] = [
        // Core Data made objects of the same values one.
        "Moody 4": ["LQ201", "LQ201"],
        // Messages were in an ordered set, and have a date now.
        "zmessaging2.60.0": ["LQ102", "LQ102"],
        // A text became a number.
        "Model 88": ["LQ204"],
    ]

    @Test(arguments: Corpus.sample(Corpus.shorterBundles, oneIn: 12, full: 6))
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

    @Test(arguments: Corpus.sample(Corpus.shorterBundles, oneIn: 12, full: 6))
    func `the lint does not cry wolf at any step of a real chain`(path: String) throws {
        guard let versions = CheckedBundle.read(path).bundle?.versions else { return }
        for (index, (old, new)) in zip(versions, versions.dropFirst()).enumerated() {
            let changes = VersionChanges(
                from: old, to: new, after: Array(versions[..<index]), hasShipped: false,
                plans: true)
            #expect(
                changes.findings.map(\.code.name) == Self.findings[new.model.version] ?? [],
                "\(new.model.version): \(changes.findings.map(\.rendered))")
        }
    }
}
