import Foundation
import PackagePlugin

/// `swift package cambium …`: the tool, for a package's models.
///
/// Where no model is named, `check` and `sql` take all of the package, and `sql --write` writes the
/// SQL for review into the package: `SQL/<Target>/Shop-3.sql`, `Shop-2-to-3.sql`. (In a target's
/// sources SwiftPM would warn of unhandled files.)
///
/// SwiftPM asks for the leave to write whatever the command; where nobody can answer, it is given
/// with `swift package --allow-writing-to-package-directory cambium …`.
@main
struct CambiumCommandPlugin: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) throws {
        let tool = try context.tool(named: "CambiumTool").url
        let package = context.package
        let targets = package.targets.compactMap { $0 as? any SourceModuleTarget }
        let models = targets.flatMap { target in
            bundles(below: target.directoryURL).map { (path: $0.path, target: target.name) }
        }
        let takesAll = !arguments.contains { $0.hasSuffix(".cambium") } && !models.isEmpty
        var calls = [arguments]
        if arguments.first == "check", takesAll {
            calls = [arguments + models.map(\.path)]
        } else if arguments.first == "sql", takesAll {
            calls = models.map { model in
                let folder = package.directoryURL.appending(path: "SQL/\(model.target)")
                let rest = arguments.filter { $0 != "--write" } + [model.path]
                return arguments.contains("--write") ? rest + ["--output", folder.path] : rest
            }
        }
        for call in calls { try run(tool, call, in: package.directoryURL) }
    }

    private func run(_ tool: URL, _ arguments: [String], in folder: URL) throws {
        let process = Process()
        process.executableURL = tool
        process.arguments = arguments
        process.currentDirectoryURL = folder
        try process.run()
        process.waitUntilExit()
        if process.terminationReason != .exit || process.terminationStatus != 0 {
            // The tool has said why.
            throw CommandFailed(status: process.terminationStatus)
        }
    }

    private func bundles(below folder: URL) -> [URL] {
        let found = FileManager.default.enumerator(
            at: folder, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
        return (found?.compactMap { $0 as? URL } ?? [])
            .filter { $0.pathExtension == "cambium" }
            .sorted { $0.path < $1.path }
    }
}

/// The tool ended with an error.
struct CommandFailed: Error, CustomStringConvertible {
    let status: Int32
    var description: String { "cambium ended with exit code \(status)" }
}
