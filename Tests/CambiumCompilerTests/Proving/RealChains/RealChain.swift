import CambiumMigration
import CambiumModel
import CambiumPlan
import CompilerTestSupport
import Foundation
import Testing

@testable import CambiumCompiler

/// The whole history of a real model, with what is declared about its steps in this project.
struct RealChain: CustomTestStringConvertible {
    /// The end of the bundle's path, as ``HardStep`` has it.
    let path: String
    /// How many steps lead from the first version to the current one.
    let steps: Int

    static let wooCommerce = RealChain(
        path: "woocommerce+woocommerce-ios/Storage/Storage/Model/WooCommerce.xcdatamodeld",
        steps: 116)
    static let wire = RealChain(
        path: "wireapp+wire-ios-data-model/Resources/zmessaging.xcdatamodeld", steps: 89)
    static let trailer = RealChain(
        path: "ptsochantaris+trailer/Shared/Trailer.xcdatamodeld", steps: 43)

    /// Those of a hundred versions take seconds in a debug build.
    static let all = Corpus.isWhole ? [wooCommerce, wire, trailer] : [trailer]

    /// The model's name.
    var name: String {
        URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
    }

    var testDescription: String { name }

    /// The bundle.
    var bundle: String { Corpus.folder.path + "/models/" + path }

    /// What is declared about its steps.
    var declarations: String { Corpus.history(of: name).path }

    /// The bundle, compiled, with what was found out about each step.
    func compile(_ path: String? = nil) -> Compilation {
        ModelCompiler.compile(path ?? bundle, declarations: declarations, checksLock: false)
    }
}

/// A step of a real model that is no plain addition, as the corpus lists it.
struct HardStep {
    let bundle: String
    let from: String
    let to: String
    /// The kinds of its changes, such as `attr-removed`.
    let changes: Set<String>

    /// All that the corpus lists.
    static let all: [HardStep] = {
        let file = Corpus.folder.appendingPathComponent("hard-steps.tsv")
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").dropFirst().compactMap { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
                .map(String.init)
            guard fields.count > 3,
                let changes = try? JSONDecoder().decode(
                    [String: Int].self, from: Data(fields[3].utf8))
            else { return nil }
            return HardStep(
                bundle: fields[0], from: Self.version(fields[1]), to: Self.version(fields[2]),
                changes: Set(changes.keys))
        }
    }()

    private static func version(_ name: String) -> String {
        String(name.dropLast(".xcdatamodel".count))
    }

    /// Whether its class is one that its changes imply: data or code where the corpus says HARD,
    /// else lossy where something is removed, else reversible where something is renamed.
    func admits(_ kind: MigrationKind) -> Bool {
        if changes.contains(where: { $0.hasPrefix("HARD") }) {
            return kind == .needsData || kind == .needsCode
        }
        if changes.contains(where: { $0.hasSuffix("-removed") }) { return kind == .lossy }
        if changes.contains(where: { $0.hasSuffix("-renamed") }) { return kind == .reversible }
        return kind <= .lossy
    }
}
