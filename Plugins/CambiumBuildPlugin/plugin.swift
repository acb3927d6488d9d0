import Foundation
import PackagePlugin

/// Compiles the models in a target's sources. Each `Name.cambium` and each `Name.xcdatamodeld` has
/// one command that always writes the same four files.
///
/// Tested with Swift 6.3 on Linux:
/// - A command runs only if one of its inputs changed. If a file is added to a bundle, this changes
///   the folder, which is an input too, and the list of inputs.
/// - If the content of a file would not change, the tool does not write it, and Swift compiles
///   nothing.
/// - SwiftPM does not warn about unhandled files in a bundle, because every file in it is an input;
///   the folder alone is not sufficient. The plugin also finds a bundle that the target excludes.
/// - The tool itself is an input. SwiftPM links it in two passes, and once more in the next build
///   after one with changes. The models are compiled again then, which is fast and changes no file.
///   The build after that does nothing.
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
                // If SwiftPM builds the tool, the tool is an input automatically.
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

    /// All files of a bundle. Hidden files are ignored, except Xcode's choice of the current
    /// version.
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

    /// The settings and declarations beside a bundle.
    private func companions(of bundle: URL) -> [URL] {
        let folder = bundle.deletingLastPathComponent()
        let stem = bundle.deletingPathExtension().lastPathComponent
        return ["\(bundle.lastPathComponent).json", "cambium.json", "\(stem).history.xml"]
            .map { folder.appending(path: $0) }
            .filter { FileManager.default.fileExists(atPath: $0.path) }
    }

    /// The name of the model in the names of generated files. It is the folder's name, with an
    /// underscore in place of each character that a Swift name cannot contain.
    private func modelName(of bundle: URL) -> String {
        let stem = bundle.deletingPathExtension().lastPathComponent
        let name = String(
            stem.unicodeScalars.map { $0.properties.isXIDContinue ? Character($0) : "_" })
        let first = name.unicodeScalars.first
        return first?.properties.isXIDStart == true ? name : "Model" + name
    }
}
