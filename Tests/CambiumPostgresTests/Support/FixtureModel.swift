import CambiumCompiler
import CambiumModel
import CompilerTestSupport
import Foundation
import Testing

@testable import CambiumEngineSpecification

/// A model of some test or example of the package, with its versions, the oldest first.
struct FixtureModel: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let versions: @Sendable () -> [Model]

    private init(_ model: Model) {
        testDescription = model.name
        versions = { [model] }
    }

    private init(bundle: String) {
        testDescription = bundle
        versions = {
            let path = TestModels.package.appendingPathComponent(bundle).path
            return ModelCompiler.check(BundleReader.read(path).0).versions.map(\.model)
        }
    }

    /// One in eighty, or all in a run of full size.
    static let some = TestSize.sample(all, oneIn: 80)

    private static let all = values + bundles

    /// The models that are values.
    private static let values = [
        Album.model, Bazaar.model, Budget.model, Chronicle.model, Couples.model, Couples.required,
        Dispute.model, Household.model, Ledger.model, Library.model, NamesModel.model,
    ].map { FixtureModel($0.model) }

    /// Every bundle, but for those with a mistake.
    private static let bundles: [FixtureModel] = ["Models", "Tests"].flatMap {
        top -> [FixtureModel] in
        let folder = TestModels.package.appendingPathComponent(top)
        var paths: [String] = []
        guard let files = FileManager.default.enumerator(atPath: folder.path) else { return [] }
        for case let path as String in files {
            let name = (path as NSString).lastPathComponent
            if name.hasPrefix(".") || name == "fail" { files.skipDescendants() }
            guard name.hasSuffix(".cambium") || name.hasSuffix(".xcdatamodeld") else { continue }
            files.skipDescendants()
            if !path.contains(".build/") { paths.append("\(top)/\(path)") }
        }
        return paths.sorted().map { FixtureModel(bundle: $0) }
    }
}
