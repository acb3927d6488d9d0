import CambiumCompiler
import Foundation

/// `cambium convert`: from Xcode's format to Cambium's own and back, and from a mapping model to the
/// declaration of a migration.
enum ConvertCommand: Command {
    static let name = "convert"
    static let summary = "Turn a model of Xcode into Cambium's own format, or back"
    static let usage = "MODEL [--output FOLDER] [--force]"
    static let details = """
        The direction follows from the name: Shop.xcdatamodeld becomes Shop.cambium, and the other
        way round, with all versions. Nothing of the model is lost: what one format has no word for
        is kept in a way that the other way back restores. Xcode's diagram positions go.

            cambium convert Sources/App/Shop.xcdatamodeld

        Both formats can be compiled as they are; convert when you want what Xcode cannot say. Then
        take the old bundle out of the target: one target has one model of a name.

        A mapping model becomes the <migration> of the version that it leads to: renames, fills and
        drops, and comments for what was code and for what is still to be decided. It is printed, or
        written to the file of --output:

            cambium convert Shop1to2.xcmappingmodel --model Shop.xcdatamodeld --from 1 --to 2

        The model and its two versions say which entity declares a property, and what nothing maps
        and so is dropped. Without them, fills may name the wrong entity, and drops are missing.
        """
    static let options = [
        Option("--output", "FOLDER", "where the new bundle is made (default: beside the old)"),
        Option("--force", nil, "write over what is there"),
        Option("--model", "MODEL", "the model that a mapping model belongs to"),
        Option("--from", "VERSION", "the version that a mapping model starts from"),
        Option("--to", "VERSION", "the version that a mapping model leads to"),
    ]

    /// The options that make no sense for a bundle.
    static let optionsOfMapping = ["--model", "--from", "--to"]

    static func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
        var path = try arguments.bundle()
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        if path.hasSuffix(".xcmappingmodel") || path.hasSuffix("/xcmapping.xml") {
            return try convertMapping(path, arguments, console)
        }
        try Files.requireModel(path)
        let (bundle, diagnostics) = BundleReader.read(path)
        console.writeError(DiagnosticReport(diagnostics).rendered(as: .text))
        guard !diagnostics.contains(where: \.isError) else { return .modelHasErrors }
        let files =
            path.hasSuffix(".cambium")
            ? ModelConverter.xcodeBundle(from: bundle) : ModelConverter.ownBundle(from: bundle)
        let beside = URL(fileURLWithPath: path).deletingLastPathComponent().relativePath
        let folder = arguments.value("--output") ?? beside
        let bundles = Set(files.compactMap { $0.path.split(separator: "/").first.map(String.init) })
        if !arguments.has("--force") {
            for name in bundles.sorted() where Files.exists("\(folder)/\(name)") {
                throw ToolError.file(
                    "\(folder)/\(name) is there already; nothing was written. Take it away, or say "
                        + "--force.")
            }
        }
        for file in files { try Files.write(file.contents, to: "\(folder)/\(file.path)") }
        for name in bundles.sorted() { console.write("Wrote \(folder)/\(name)\n") }
        noteLosses(of: bundle, at: path, in: bundles.sorted().map { "\(folder)/\($0)" }, console)
        return .fine
    }

    /// Says what stayed behind.
    private static func noteLosses(
        of bundle: ParsedBundle, at path: String, in written: [String], _ console: Console
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
        guard Files.exists(lock), let new = written.first else { return }
        console.writeError(
            "cambium: note: \(lock) was not carried over: it holds for the old format. Freeze what "
                + "has shipped again: cambium freeze \(new) --through VERSION\n")
    }
}
