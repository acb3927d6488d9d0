import CambiumAuthoring
import CambiumCompiler
import CambiumMigration
import Foundation

/// The targets of a Swift package, and the models in them.
struct PackageModels {
    /// A target, with the parts that concern Cambium.
    struct Target {
        let name: String
        /// The path of its folder, from the package's.
        let folder: String
        /// Whether it uses the plugin that compiles models.
        let usesPlugin: Bool
        /// The paths of its models, from the package's folder.
        let models: [String]
        /// The models that are not compiled: the target has no plugin and no generated code.
        let forgotten: [String]
        /// The models and the files that belong to them, from the target's folder, that the
        /// manifest does not exclude from the sources.
        let unhandled: [String]
    }

    let targets: [Target]

    /// Reads the targets of a package with Swift.
    ///
    /// - Parameters:
    ///   - folder: The package's folder.
    ///   - path: The folders to search for `swift`, separated by colons.
    init(of folder: String, path: String?) throws(ToolError) {
        guard Files.exists(folder + "/Package.swift") else {
            throw .file("There is no package in \(folder): it has no Package.swift.")
        }
        targets = try Self.manifest(of: folder, path).targets.map { Target($0, in: folder) }
    }
}

extension PackageModels.Target {
    fileprivate init(_ target: Manifest.Target, in package: String) {
        name = target.name
        let folder =
            target.path ?? (target.type == "test" ? "Tests" : "Sources") + "/\(target.name)"
        self.folder = folder
        usesPlugin = target.usesPlugin
        let root = "\(package)/\(folder)"
        let found = FileManager.default.enumerator(atPath: root)
        var models: [String] = []
        var sources: [String] = []
        while let file = found?.nextObject() as? String {
            if Self.isModel(file) {
                found?.skipDescendants()
                models.append(file)
            } else if file.hasSuffix("Model.swift") {
                sources.append(file)
            }
        }
        models.sort()
        self.models = models.map { "\(folder)/\($0)" }
        let generated = sources.compactMap { try? Files.text(of: "\(root)/\($0)") }
        let forgotten = models.filter { model in
            let name = URL(fileURLWithPath: model).lastPathComponent
            return !generated.contains { SwiftFile.isGenerated($0, from: name) }
        }
        self.forgotten = target.usesPlugin ? [] : forgotten.map { "\(folder)/\($0)" }
        let declared = target.exclude + target.resources.map(\.path)
        let files = models.flatMap { model in
            let companions = BundleContents.companions(of: model)
            return [model]
                + (companions.settings + [companions.history])
                .filter { Files.exists("\(root)/\($0)") }
        }
        unhandled = Set(files).filter { file in
            !declared.contains { file == $0 || file.hasPrefix("\($0)/") }
        }.sorted()
    }

    private static func isModel(_ path: String) -> Bool {
        [".cambium", ".xcdatamodeld", ".xcdatamodel"].contains { path.hasSuffix($0) }
    }
}

/// The relevant part of the output of `swift package dump-package`.
private struct Manifest: Decodable {
    struct Target: Decodable {
        struct Resource: Decodable {
            let path: String
        }

        let name: String
        let type: String
        let path: String?
        let exclude: [String]
        let resources: [Resource]
        let pluginUsages: [[String: [String?]]]?

        /// Whether the target uses a plugin that compiles models.
        var usesPlugin: Bool {
            (pluginUsages ?? []).contains { usage in
                usage.values.contains { $0.first == "CambiumBuildPlugin" }
            }
        }
    }

    let targets: [Target]
}

extension PackageModels {
    /// Runs `swift package dump-package`, which compiles the manifest.
    private static func manifest(of folder: String, _ path: String?) throws(ToolError) -> Manifest {
        let programs = (path ?? "").split(separator: ":").map { "\($0)/swift" }
        guard let swift = programs.first(where: FileManager.default.isExecutableFile) else {
            throw .file(
                "There is no 'swift' in PATH, which lists the content of a package. Add it.")
        }
        let scratch = try Files.scratchFolder()
        defer { withExtendedLifetime(scratch) {} }
        let (output, errors) = (scratch.path + "/package.json", scratch.path + "/errors")
        do {
            for file in [output, errors] { try Data().write(to: URL(fileURLWithPath: file)) }
            let process = Process()
            process.executableURL = URL(fileURLWithPath: swift)
            // A separate scratch folder, so that it does not wait for a running build.
            process.arguments = [
                "package", "--package-path", folder, "--scratch-path", scratch.path + "/build",
                "dump-package",
            ]
            process.standardOutput = FileHandle(forWritingAtPath: output)
            process.standardError = FileHandle(forWritingAtPath: errors)
            try process.run()
            process.waitUntilExit()
            let json = try Data(contentsOf: URL(fileURLWithPath: output))
            if process.terminationStatus == 0 {
                return try JSONDecoder().decode(Manifest.self, from: json)
            }
        } catch {
            throw .file("\(folder)/Package.swift cannot be read: \(error.localizedDescription)")
        }
        let reason = try Files.text(of: errors) ?? ""
        throw .file("\(folder)/Package.swift cannot be read:\n\(reason)")
    }
}
