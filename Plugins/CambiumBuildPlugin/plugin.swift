import Foundation
import PackagePlugin

/// Compiles the models that lie in a target's sources: for each `Name.cambium` and each
/// `Name.xcdatamodeld` one command that writes the same four files whatever is in the model.
///
/// Tried with Swift 6.3 on Linux:
/// - A command runs only when one of its inputs changed. A file that is added to a bundle changes
///   the folder, which is an input too, and the list of inputs.
/// - The tool leaves a file alone that would not change, and Swift then compiles nothing.
/// - SwiftPM warns of no unhandled file in a bundle as long as every file in it is an input; the
///   folder alone is not enough. A bundle that the target excludes is found here all the same.
/// - The tool itself is an input. SwiftPM links it in two passes, and once more in the build that
///   follows one with changes; the models are compiled again then, which takes no time and changes
///   no file. The build after that does nothing.
@main
struct CambiumBuildPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let target = target as? any SourceModuleTarget else { return [] }
        let tool = try CompilingTool("CambiumGenerator", context)
        let source = tool.wasBuiltBefore ? " with \(tool.url.path)" : ""
        // The plugin's own folder is the only one that it may write to.
        let proofs = context.pluginWorkDirectoryURL.appending(path: "Proofs")
        var names: Set<String> = []
        return bundles(below: target.directoryURL).compactMap { bundle in
            let name = modelName(of: bundle)
            guard names.insert(name).inserted else {
                Diagnostics.error("\(bundle.path): The target has two models named '\(name)'")
                return nil
            }
            let output = context.pluginWorkDirectoryURL.appending(path: name)
            return .buildCommand(
                displayName: "Compiling the model \(name) for \(target.name)\(source)",
                executable: tool.url,
                arguments: [
                    "compile", bundle.path, "--output", output.path, "--proofs", proofs.path,
                ] + tool.expectation,
                // SwiftPM knows by itself of a tool that it builds.
                inputFiles: (tool.wasBuiltBefore ? [tool.url] : []) + [bundle]
                    + files(in: bundle) + companions(of: bundle),
                outputFiles: ["Model", "Entities", "Validation", "Migrations"].map {
                    output.appending(path: "\(name)\($0).swift")
                })
        }
    }

    /// The bundles in a folder and the folders below it, in the order of their paths. A model
    /// within a bundle is a version, or a stray copy, and none of its own.
    private func bundles(below folder: URL) -> [URL] {
        let extensions = ["cambium", "xcdatamodeld", "xcdatamodel"]
        var bundles: [URL] = []
        let found = FileManager.default.enumerator(
            at: folder, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
        while let item = found?.nextObject() as? URL {
            guard extensions.contains(item.pathExtension) else { continue }
            found?.skipDescendants()
            bundles.append(item)
        }
        return bundles.sorted { $0.path < $1.path }
    }

    /// All files of a bundle. Of the hidden ones only Xcode's choice of the current version counts.
    private func files(in bundle: URL) -> [URL] {
        let found = FileManager.default.enumerator(
            at: bundle, includingPropertiesForKeys: [.isDirectoryKey])
        return (found?.compactMap { $0 as? URL } ?? [])
            .filter { file in
                let isFolder = try? file.resourceValues(forKeys: [.isDirectoryKey]).isDirectory
                let name = file.lastPathComponent
                return isFolder != true && (!name.hasPrefix(".") || name == ".xccurrentversion")
            }
            .sorted { $0.path < $1.path }
    }

    /// The settings and declarations that belong to a bundle and lie beside it.
    private func companions(of bundle: URL) -> [URL] {
        let folder = bundle.deletingLastPathComponent()
        let stem = bundle.deletingPathExtension().lastPathComponent
        return ["\(bundle.lastPathComponent).json", "cambium.json", "\(stem).history.xml"]
            .map { folder.appending(path: $0) }
            .filter { FileManager.default.fileExists(atPath: $0.path) }
    }

    /// The name that the tool gives to a model and the files it makes: the folder's, with an
    /// underscore for every sign that a name in Swift cannot have.
    private func modelName(of bundle: URL) -> String {
        let stem = bundle.deletingPathExtension().lastPathComponent
        let name = String(
            stem.unicodeScalars.map { $0.properties.isXIDContinue ? Character($0) : "_" })
        let first = name.unicodeScalars.first
        return first?.properties.isXIDStart == true ? name : "Model" + name
    }
}
