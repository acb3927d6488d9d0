import Foundation
import PackagePlugin

/// Compiles the models that lie in a target's sources: for each `Name.cambium` one command that
/// writes the same four files whatever is in the model.
///
/// Tried with Swift 6.3 on Linux:
/// - A command runs only when one of its inputs changed. A file that is added to a bundle changes
///   the folder, which is an input too, and the list of inputs.
/// - The tool leaves a file alone that would not change, and Swift then compiles nothing.
/// - SwiftPM warns of no unhandled file in a bundle as long as every file in it is an input; the
///   folder alone is not enough.
/// - The tool itself is an input. SwiftPM links it in two passes, and once more in the build that
///   follows one with changes; the models are compiled again then, which takes no time and changes
///   no file. The build after that does nothing.
@main
struct CambiumBuildPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let target = target as? any SourceModuleTarget else { return [] }
        let tool = try context.tool(named: "CambiumTool").url
        var names: Set<String> = []
        return try bundles(below: target.directoryURL).compactMap { bundle in
            let name = bundle.deletingPathExtension().lastPathComponent
            guard names.insert(name).inserted else {
                Diagnostics.error("\(bundle.path): The target has two models named '\(name)'")
                return nil
            }
            let output = context.pluginWorkDirectoryURL.appending(path: name)
            let files = try FileManager.default.contentsOfDirectory(
                at: bundle, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
            return .buildCommand(
                displayName: "Compiling the model \(name) for \(target.name)",
                executable: tool,
                arguments: ["compile", bundle.path, "--output", output.path],
                inputFiles: [bundle] + files.sorted { $0.path < $1.path },
                outputFiles: ["Model", "Entities", "Validation", "Migrations"].map {
                    output.appending(path: "\(name)\($0).swift")
                })
        }
    }

    /// The bundles in a folder and the folders below it, in the order of their paths.
    private func bundles(below folder: URL) throws -> [URL] {
        let found = FileManager.default.enumerator(
            at: folder, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
        return (found?.compactMap { $0 as? URL } ?? [])
            .filter { $0.pathExtension == "cambium" }
            .sorted { $0.path < $1.path }
    }
}
