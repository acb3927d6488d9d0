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
    /// How many versions before the first one are left out.
    var start = 0

    static let wooCommerce = RealChain(
        path: "woocommerce+woocommerce-ios/Storage/Storage/Model/WooCommerce.xcdatamodeld",
        steps: 116)
    static let wire = RealChain(
        path: "wireapp+wire-ios-data-model/Resources/zmessaging.xcdatamodeld", steps: 89)
    static let trailer = RealChain(
        path: "ptsochantaris+trailer/Shared/Trailer.xcdatamodeld", steps: 43)

    /// Whole ones take tens of seconds in a debug build.
    static let all =
        Corpus.isWhole
        ? [wooCommerce, wire, trailer] : [Corpus.isFull ? trailer : trailer.steps(27..<33)]

    /// The model's name.
    var name: String {
        URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
    }

    var testDescription: String { name }

    /// The bundle.
    var bundle: String { Corpus.folder.path + "/models/" + path }

    /// What is declared about its steps.
    private var declarations: String { Corpus.history(of: name).path }

    /// The bundle, compiled, with what was found out about each step.
    func compile() -> Compilation {
        ModelCompiler.compile(bundle, declarations: declarations, checksLock: false)
    }

    /// Some steps of it alone.
    func steps(_ range: Range<Int>) -> RealChain {
        RealChain(path: path, steps: range.count, start: range.lowerBound)
    }

    /// Calls a body with a copy of the bundle that has the versions of these steps, and with what
    /// compiles it.
    func withCopy(_ body: (_ copy: URL, _ compile: () -> Compilation) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("chain-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let copy = folder.appendingPathComponent(name + ".xcdatamodeld")
        try FileManager.default.copyItem(atPath: bundle, toPath: copy.path)
        var history = try String(contentsOfFile: declarations, encoding: .utf8)
        let versions = BundleReader.read(bundle).0.chain.map(\.version)
        let kept = versions[start...start + steps]
        if kept.last != versions.last {
            // Then the last one that is there is the current one.
            try FileManager.default.removeItem(
                at: copy.appendingPathComponent(".xccurrentversion"))
        }
        for version in versions where !kept.contains(version) {
            try FileManager.default.removeItem(
                at: copy.appendingPathComponent("\(version).xcdatamodel"))
        }
        // Without the steps that do not begin at one of them.
        for version in versions where !kept.dropLast().contains(version) {
            guard let head = history.range(of: "<migration from=\"\(version)\""),
                let end = history.range(
                    of: "</migration>", range: head.lowerBound..<history.endIndex)
            else { continue }
            history.removeSubrange(head.lowerBound..<end.upperBound)
        }
        let declared = folder.appendingPathComponent("\(name).history.xml")
        try Data(history.utf8).write(to: declared)
        try body(copy) {
            ModelCompiler.compile(copy.path, declarations: declared.path, checksLock: false)
        }
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
