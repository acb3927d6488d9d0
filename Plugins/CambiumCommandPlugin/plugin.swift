import Foundation
import PackagePlugin

/// `swift package cambium …`: the tool, for a package's models.
///
/// If no model is named, these are used:
///
/// - `check`, `diff`, `format`, `freeze`, `sql`, `diagram`, `docs` and `migrate verify` use the
///   models of the package; `format` only the ones in Cambium's own format.
/// - `migrate` of a store file and `version new` use the only model of the package.
/// - `generate` finds the targets without the plugin by itself.
///
/// The command determines the place of its output, with two exceptions. `docs` without `--output`
/// writes into the plugin's own folder. `sql --write` writes the SQL for review into the package,
/// as `SQL/<Target>/Shop-3.sql`, because SwiftPM would warn about unhandled files in a target's
/// sources.
///
/// The plugin declares no permission to write. SwiftPM permissions apply to a plugin and not to a
/// command: with one declared, SwiftPM would ask even before a `check`, and reject it if nobody can
/// answer. A user who calls a command that writes (`new`, `version new`, `format`, `convert`,
/// `freeze`, `generate`, `sql --write`) has already requested the output. If the plugin runs in a
/// sandbox, as on macOS, the user must also write `swift package
/// --allow-writing-to-package-directory cambium …`; the error message says so.
@main
struct CambiumCommandPlugin: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) throws {
        let tool = try CompilingTool("CambiumTool", context)
        let folder = context.package.directoryURL
        for call in try calls(for: arguments, in: context) {
            let writesSwift = ["compile", "generate"].contains(call.first)
            let expectation = writesSwift ? tool.expectation : []
            try run(tool.url, call.prefix(1) + expectation + call.dropFirst(), in: folder)
        }
    }

    /// The command lines of the tool that a command line of the package means.
    private func calls(for arguments: [String], in context: PluginContext) throws -> [[String]] {
        guard let command = arguments.first else { return [[]] }
        let isHelp = arguments.contains("--help") || arguments.contains("-h")
        let rest = arguments.filter { $0 != "--write" }
        let targets = context.package.targets.compactMap { $0 as? any SourceModuleTarget }
        if command == "new", !isHelp, !arguments.contains(where: { $0.hasPrefix("--in") }) {
            return [arguments + ["--in", try folderForNewModel(among: targets)]]
        }
        let models = targets.flatMap { target in
            bundles(below: target.directoryURL).map { (path: $0.path, target: target.name) }
        }
        let namesModel = arguments.contains { argument in
            Self.extensions.contains {
                argument.hasSuffix(".\($0)") || argument.hasSuffix(".\($0)/")
            }
        }
        let output = context.pluginWorkDirectoryURL
        guard !isHelp, !namesModel, !models.isEmpty else {
            let isDocs = command == "docs" && !isHelp
            return [isDocs ? withOutput(rest, output, modelName(in: rest)) : rest]
        }
        switch command {
        case "check":
            // It finds the models of a package itself.
            if rest.contains(where: { $0.hasPrefix("--package") }) { return [rest] }
            return [rest + proofs(for: rest, in: output) + models.map(\.path)]
        case "generate":
            return [rest + proofs(for: rest, in: output)]
        case "format":
            // Xcode lays its own files out.
            let own = models.map(\.path).filter { $0.hasSuffix(".cambium") }
            if own.isEmpty { print("No model of this package is in Cambium's own format") }
            return own.isEmpty ? [] : [rest + own]
        case "diff":
            // The versions follow the model.
            return models.map { ["diff", $0.path] + rest.dropFirst() }
        case "freeze":
            return models.map { rest + [$0.path] }
        case "sql":
            let root = context.package.directoryURL.appending(path: "SQL")
            return models.map { model in
                let folder = root.appending(path: model.target).path
                return rest + [model.path]
                    + (arguments.contains("--write") ? ["--output", folder] : [])
            }
        case "version":
            guard models.count == 1, let model = models.first else {
                throw CommandFailed(
                    reason: "Name the model: version new MODEL, one of "
                        + models.map(\.path).sorted().joined(separator: ", "))
            }
            return [rest + [model.path]]
        case "migrate":
            let proofs = proofs(for: rest, in: output)
            if rest.dropFirst().first == "verify" {
                return models.map { rest + proofs + ["--model", $0.path] }
            }
            guard models.count == 1, let model = models.first else {
                throw CommandFailed(
                    reason: "Name the model: --model MODEL, one of "
                        + models.map(\.path).sorted().joined(separator: ", "))
            }
            return [rest + proofs + ["--model", model.path]]
        case "diagram":
            return models.map { rest + [$0.path] }
        case "docs":
            return models.map { model in
                let name = URL(fileURLWithPath: model.path).deletingPathExtension()
                    .lastPathComponent
                return withOutput(rest + [model.path], output, name)
            }
        default:
            return [rest]
        }
    }

    /// Results of proofs are stored in the plugin's own folder, which needs no permission.
    private func proofs(for arguments: [String], in folder: URL) -> [String] {
        arguments.contains { $0.hasPrefix("--proofs") || $0 == "--no-proof-cache" }
            ? [] : ["--proofs", folder.appending(path: "Proofs").path]
    }

    /// The name of the model that a command line names.
    private func modelName(in arguments: [String]) -> String {
        let path = arguments.first { argument in
            let url = URL(fileURLWithPath: argument)
            return !argument.hasPrefix("-") && Self.extensions.contains(url.pathExtension)
        }
        return path.map {
            URL(fileURLWithPath: $0).deletingPathExtension().lastPathComponent
        } ?? "Model"
    }

    /// The extensions of the folders that are models.
    private static let extensions = ["cambium", "xcdatamodeld", "xcdatamodel"]

    /// A page is written into the plugin's own folder, which needs no permission, unless another
    /// folder is named.
    private func withOutput(_ arguments: [String], _ folder: URL, _ name: String) -> [String] {
        arguments.contains { $0.hasPrefix("--output") }
            ? arguments : arguments + ["--output", folder.appending(path: "\(name).html").path]
    }

    /// The sources of the only target that can have one.
    private func folderForNewModel(among targets: [any SourceModuleTarget]) throws -> String {
        let candidates = targets.filter { $0.kind != .test }
        guard candidates.count == 1, let target = candidates.first else {
            throw CommandFailed(
                reason: "Name the folder: --in FOLDER, one of "
                    + candidates.map(\.directoryURL.path).sorted().joined(separator: ", "))
        }
        return target.directoryURL.path
    }

    private func run(_ tool: URL, _ arguments: [String], in folder: URL) throws {
        let process = Process()
        process.executableURL = tool
        process.arguments = arguments
        process.currentDirectoryURL = folder
        try process.run()
        process.waitUntilExit()
        if process.terminationReason != .exit || process.terminationStatus != 0 {
            // The tool has already printed the reason.
            throw CommandFailed(
                reason: "cambium ended with exit code \(process.terminationStatus)")
        }
    }

    private func bundles(below folder: URL) -> [URL] {
        let found = FileManager.default.enumerator(
            at: folder, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
        return (found?.compactMap { $0 as? URL } ?? [])
            .filter { url in
                // The versions in a bundle of Xcode have an extension that may be a model's too.
                Self.extensions.contains(url.pathExtension)
                    && !Self.extensions.contains(url.deletingLastPathComponent().pathExtension)
            }
            .sorted { $0.path < $1.path }
    }
}

/// The tool ended with an error, or could not be called.
struct CommandFailed: Error, CustomStringConvertible {
    let reason: String
    var description: String { reason }
}
