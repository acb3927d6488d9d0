import CambiumAuthoring
import CambiumCompiler
import Foundation

/// `cambium convert`: from Xcode's format to Cambium's own and back, and from a mapping model to
/// the declaration of a migration.
enum ConvertCommand: Command {
    static let name = "convert"
    static let summary = "Convert a model of Xcode to Cambium's own format, or back"
    static let usage =
        "MODEL|MAPPING [--output PATH] [--force] [--model MODEL --from V --to V]"
    static let details = """
        The name decides the direction: Shop.xcdatamodeld becomes Shop.cambium, and the other way
        round, with all versions. The meaning of the model is kept. If one format cannot express
        something, the file keeps it for the way back. Comments, the positions of Xcode's diagram
        and cambium.lock are not converted. A model with findings is converted unchanged, and the
        command prints their number.

            cambium convert Sources/App/Shop.xcdatamodeld

        Both formats compile. Convert a model if you need something that Xcode cannot express. Then
        remove the old bundle from the target: a target has one model of each name.

        With --force an existing bundle gets exactly the versions of the converted one. The versions
        that it had are overwritten or removed.

        A mapping model becomes the <migration> of its destination version, with elements such as
        <rename>, <fill> and <drop>, and comments for code and open questions. The command prints
        this <migration>, or writes it to the file of --output:

            cambium convert Shop1to2.xcmappingmodel --model Shop.xcdatamodeld --from 1 --to 2

        With --model, --from and --to the command finds the entity that declares a property, and the
        properties that nothing maps. Without these options, fills may name the wrong entity, and
        drops are missing.
        """
    static let options = [
        Option(
            "--output", "PATH",
            "the folder for the new bundle, or the file for a mapping model"
        ),
        Option("--force", nil, "replace an existing bundle or file"),
        Option("--model", "MODEL", "the model of a mapping model"),
        Option("--from", "VERSION", "the source version of a mapping model"),
        Option("--to", "VERSION", "the destination version of a mapping model"),
    ]

    /// The options that do not apply to a bundle.
    static let optionsOfMapping = ["--model", "--from", "--to"]
    static let remedyForTaken = " Move it away, or use --force."

    static func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
        var path = try arguments.bundle()
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        if path.hasSuffix(".xcmappingmodel") || path.hasSuffix("/xcmapping.xml")
            || path == "xcmapping.xml"
        {
            return try convertMapping(path, arguments, console)
        }
        if let option = optionsOfMapping.first(where: arguments.has) {
            throw arguments.usage(
                "\(option) is for a mapping model; a bundle is converted with all its versions.")
        }
        try Files.requireModel(path)
        let (bundle, diagnostics) = BundleReader.read(path)
        console.report(diagnostics)
        guard !diagnostics.contains(where: \.isError) else { return .modelHasErrors }
        let files =
            path.hasSuffix(".cambium")
            ? ModelConverter.xcodeBundle(from: bundle) : ModelConverter.ownBundle(from: bundle)
        let beside = URL(fileURLWithPath: path).deletingLastPathComponent().relativePath
        let folder = arguments.value("--output") ?? beside
        let names = Set(files.compactMap { $0.path.split(separator: "/").first.map(String.init) })
        let written = names.sorted().map { "\(folder)/\($0)" }
        if !arguments.has("--force") {
            for path in written { try Files.requireFree(path, remedyForTaken) }
        }
        for file in files { try Files.write(file.contents, to: "\(folder)/\(file.path)") }
        for path in written { try console.write("Wrote \(path)\n") }
        guard let new = written.first else { return .fine }
        try removeStale(in: new, keeping: Set(files.map { "\(folder)/\($0.path)" }), console)
        noteFindings(in: new, console)
        noteLosses(of: bundle, at: path, in: new, console)
        return .fine
    }

    /// Removes the versions, and the settings, of the former bundle that the converted one does not
    /// have. Otherwise the last of these versions would be the current one.
    private static func removeStale(
        in bundle: String, keeping files: Set<String>, _ console: Console
    ) throws(ToolError) {
        let kept = files.union(
            files.map { URL(fileURLWithPath: $0).deletingLastPathComponent().relativePath })
        let versions = try Files.names(in: bundle).filter {
            $0.hasSuffix(bundle.hasSuffix(".cambium") ? ".xml" : ".xcdatamodel")
        }
        let settings = "\(bundle).json"
        let stale =
            versions.map { "\(bundle)/\($0)" } + (Files.exists(settings) ? [settings] : [])
        for path in stale where !kept.contains(path) {
            try Files.remove(path)
            try console.write("Removed \(path), which the converted model does not have\n")
        }
    }

    /// Reports the number of findings of the new bundle. It is equivalent to the old one, but the
    /// user needs the number to decide whether it can be compiled.
    private static func noteFindings(in bundle: String, _ console: Console) {
        let diagnostics = ModelCompiler.compile(bundle).diagnostics
        guard !diagnostics.isEmpty else { return }
        let errors = diagnostics.count(where: \.isError)
        let counts = [(errors, "error"), (diagnostics.count - errors, "warning")]
            .filter { $0.0 > 0 }
            .map { "\($0) \($1)\($0 == 1 ? "" : "s")" }
        console.writeError(
            "cambium: note: the model has \(counts.joined(separator: " and ")); to see them: "
                + "swift package cambium check \(bundle.asShellWord)\n")
    }

    /// Reports the parts that were not converted.
    private static func noteLosses(
        of bundle: ParsedBundle, at path: String, in new: String, _ console: Console
    ) {
        if path.hasSuffix(".cambium") {
            let files = bundle.versions.filter { $0.root.hasComments }.map { "\($0.version).xml" }
            if !files.isEmpty {
                console.writeError(
                    "cambium: note: the comments of \(files.joined(separator: ", ")) are not in "
                        + "Xcode's format, which has none.\n")
            }
        }
        let lock = "\(path)/\(VersionFreezer.fileName)"
        guard Files.exists(lock) else { return }
        console.writeError(
            "cambium: note: \(lock) was not converted: it belongs to the old format. Freeze what "
                + "has shipped again: swift package cambium freeze \(new.asShellWord) "
                + "--through VERSION\n")
    }
}
