import CambiumAuthoring
import CambiumCompiler

extension ConvertCommand {
    /// Prints or writes the migration for a mapping model.
    static func convertMapping(
        _ path: String, _ arguments: Arguments, _ console: Console
    ) throws -> ExitCode {
        guard Files.exists(path) else { throw ToolError.file("There is no \(path).") }
        let (versions, diagnostics) = try versions(of: arguments)
        if diagnostics.hasErrors {
            console.report(diagnostics.filter(\.isError))
            return .modelHasErrors
        }
        let text: String
        do throws(Diagnostic) {
            text = try MappingModelReader.migration(at: path, between: versions)
        } catch {
            console.writeError(error.rendered + "\n")
            return .modelHasErrors
        }
        let output = arguments.value("--output")
        if let output, output != "-", !arguments.has("--force") {
            try Files.requireFree(output, remedyForTaken)
        }
        try Files.deliver(text, to: output, console)
        return .fine
    }

    /// The versions named by the options, and the findings about them; nil if none is named.
    private static func versions(
        of arguments: Arguments
    ) throws -> (MappedVersions?, [Diagnostic]) {
        let given = optionsOfMapping.filter(arguments.has)
        guard let path = arguments.value("--model"), let from = arguments.value("--from"),
            let to = arguments.value("--to")
        else {
            guard given.isEmpty else {
                let missing = optionsOfMapping.filter { !given.contains($0) }
                throw arguments.usage(
                    "\(given.joined(separator: " and ")) \(given.count == 1 ? "needs" : "need") "
                        + "\(missing.joined(separator: " and ")): the model that the mapping "
                        + "model belongs to, and the two versions in it.")
            }
            return (nil, [])
        }
        try Files.requireModel(path)
        let (bundle, diagnostics) = BundleReader.read(path)
        func version(_ name: String) throws -> ParsedModel {
            if let found = bundle.versions.first(where: { $0.version == name }) { return found }
            let names = bundle.versions.map(\.version)
            let hint = Suggestion.sentence(for: name, among: names)
            throw arguments.usage(
                "There is no version '\(name)' that can be read in \(path)."
                    + (hint.map { " \($0)" } ?? ""))
        }
        let (old, new) = (try version(from), try version(to))
        let (versions, found) = MappedVersions.check(old, new, of: bundle.name)
        // Findings about other versions do not matter here.
        return (versions, versions == nil ? found + diagnostics : [])
    }
}
