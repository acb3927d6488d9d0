import CambiumCompiler

/// `cambium generate`: the Swift of models among the sources of their targets, in place of the
/// plugin.
enum GenerateCommand: Command {
    static let name = "generate"
    static let summary = "Write the Swift of models into their targets, to build without plugin"
    static let usage = """
        [--target NAME] ... [--package FOLDER] [--check]
               cambium generate MODEL ... --output FOLDER [--check]
        """
    static let details = """
        Writes the Swift of each model in a package into the folder Generated of its target. Without
        --target, the command does this for every target that does not use the build plugin. Commit
        the files. The package then builds without Cambium's tool. Run the command again after a
        change of a model, or an update of Cambium:

            swift package cambium generate --target App
            swift package cambium generate --check       in the checks of a project

        In Package.swift the target has no plugin, and excludes the model or declares it as a
        resource. The command prints the changes to make there. It writes all files, or none if a
        model has errors. Files with the same content are not written again. If Cambium generated a
        file of the folder, and no model produces it any more, the command removes the file. Other
        files are never changed.

        With --output the command writes the Swift of the given models into one folder, and removes
        no files.

        --check writes nothing. It lists missing, outdated and superfluous files. If there are such
        files, the exit code is 10.
        """
    static let options =
        [
            Option("--target", "NAME", "a target, even if it uses the plugin; may be repeated"),
            Option("--package", "FOLDER", "the package (default: here)"),
            Option("--output", "FOLDER", "the folder for the files of the given models"),
            Option("--check", nil, "only list the files that differ from the models"),
        ] + emittingOptions

    /// A folder, and the models whose files belong there.
    private struct Place {
        let folder: String
        let models: [String]
        /// The existing generated files. Files that no model generates are obsolete.
        var generated: [String] = []
    }

    /// A file that differs from the generated one.
    private struct Change {
        let path: String
        /// The text that it should have; nil if no model generates it.
        let text: String?
        /// A description of the difference.
        let fault: String
    }

    static func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
        let folder = arguments.value("--package") ?? "."
        var targets: [PackageModels.Target] = []
        let places: [Place]
        if arguments.words.isEmpty {
            if arguments.has("--output") { throw arguments.usage("--output needs the models.") }
            let all = try PackageModels(of: folder, path: Files.programPath).targets
            targets = try chosen(among: all, arguments)
            places = try targets.map { try place(of: $0, in: folder) }
            if places.allSatisfy({ $0.models.isEmpty && $0.generated.isEmpty }) {
                let others = all.filter { $0.usesPlugin && !$0.models.isEmpty }
                throw arguments.usage(
                    "There is no model to generate Swift of."
                        + others.map { " The plugin compiles those of: --target \($0.name)" }
                        .joined())
            }
        } else {
            guard let output = arguments.value("--output") else {
                throw arguments.usage(
                    "A model needs --output FOLDER. Without a model, each goes into its target.")
            }
            if arguments.has("--target") || arguments.has("--package") {
                throw arguments.usage("--target and --package take no models: they find them.")
            }
            places = [Place(folder: output, models: arguments.words)]
        }
        guard let changes = try changes(in: places, arguments, console) else {
            return .modelHasErrors
        }
        if arguments.has("--check") {
            for change in changes { try console.write("\(change.path) \(change.fault)\n") }
            if !changes.isEmpty {
                console.writeError("cambium: note: Run: swift package cambium generate\n")
            }
            return changes.isEmpty ? .fine : .generatedCodeIsStale
        }
        try apply(changes, console)
        for target in targets {
            for advice in advice(on: target) {
                console.writeError("Package.swift: note: \(advice)\n")
            }
        }
        return .fine
    }

    /// The targets whose models are generated.
    private static func chosen(
        among all: [PackageModels.Target], _ arguments: Arguments
    ) throws(ToolError) -> [PackageModels.Target] {
        let names = arguments.values("--target")
        for name in names where !all.contains(where: { $0.name == name }) {
            let hint = Suggestion.sentence(for: name, among: all.map(\.name))
            throw arguments.usage(
                "The package has no target '\(name)'." + (hint.map { " \($0)" } ?? ""))
        }
        return all.filter { names.isEmpty ? !$0.usesPlugin : names.contains($0.name) }
    }

    private static func place(
        of target: PackageModels.Target, in package: String
    ) throws(ToolError) -> Place {
        let root = package == "." ? "" : package + "/"
        let folder = "\(root)\(target.folder)/Generated"
        let files = Files.exists(folder) ? try Files.names(in: folder) : []
        let generated = files.filter { $0.hasSuffix(".swift") }.map { "\(folder)/\($0)" }
            .filter { SwiftFile.isGenerated((try? Files.text(of: $0)) ?? "") }
        return Place(folder: folder, models: target.models.map { root + $0 }, generated: generated)
    }

    /// The necessary changes; nil if a model has errors, which are reported.
    private static func changes(
        in places: [Place], _ arguments: Arguments, _ console: Console
    ) throws(ToolError) -> [Change]? {
        var changes: [Change] = []
        var hasErrors = false
        for place in places {
            var made: Set<String> = []
            for model in place.models {
                guard let files = try emit(model, arguments, console) else {
                    hasErrors = true
                    continue
                }
                for file in files {
                    let path = "\(place.folder)/\(file.name)"
                    guard made.insert(path).inserted else {
                        throw .usage("Two models would be \(path). Rename one of them.")
                    }
                    if let change = try change(of: path, to: file.contents) {
                        changes.append(change)
                    }
                }
            }
            changes += place.generated.filter { !made.contains($0) }.map {
                Change(path: $0, text: nil, fault: "is left over: it belongs to no model")
            }
        }
        return hasErrors ? nil : changes
    }

    private static func change(
        of path: String, to text: String
    ) throws(ToolError) -> Change? {
        guard let old = try Files.text(of: path) else {
            return Change(path: path, text: text, fault: "is missing")
        }
        guard SwiftFile.isGenerated(old) else {
            throw .file(
                "\(path) exists, and Cambium has not generated it; nothing was written. Move it away."
            )
        }
        return old == text ? nil : Change(path: path, text: text, fault: "is stale")
    }

    private static func apply(_ changes: [Change], _ console: Console) throws(ToolError) {
        let written = changes.compactMap { change in change.text.map { (change.path, $0) } }
        try Files.write(all: written)
        for (path, _) in written { try console.write("Wrote \(path)\n") }
        for change in changes where change.text == nil {
            try Files.remove(change.path)
            try console.write("Removed \(change.path)\n")
        }
        if changes.isEmpty { try console.write("All files are up to date\n") }
    }

    /// The missing entries of the manifest for a target with generated sources.
    private static func advice(on target: PackageModels.Target) -> [String] {
        var advice: [String] = []
        if target.usesPlugin {
            advice.append(
                "Remove the plugin 'CambiumBuildPlugin' from the target '\(target.name)': it would "
                    + "compile the model a second time.")
        }
        if !target.unhandled.isEmpty {
            let names = target.unhandled.map { "\"\($0)\"" }.joined(separator: ", ")
            advice.append("Add to the target '\(target.name)': exclude: [\(names)]")
        }
        return advice
    }
}
