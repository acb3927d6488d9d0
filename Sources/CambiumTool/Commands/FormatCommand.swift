import CambiumAuthoring
import CambiumCompiler
import Foundation

/// `cambium format`: one layout for all model files.
enum FormatCommand: Command {
    static let name = "format"
    static let summary = "Format model files"
    static let usage = "MODEL ... [--check]"
    static let details = """
        Formats the versions of bundles Name.cambium, or single files such as Shop.cambium/3.xml:
        two spaces for each level, attributes in a fixed order, long lines broken. Comments and
        elements of other namespaces are kept, and the meaning stays the same, so you can format a
        frozen version. Formatted files are not written again.

        --check writes nothing. It lists the files that would change, and ends with exit code 5.
        """
    static let options = [Option("--check", nil, "only list the files that would change")]

    static func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
        let isCheck = arguments.has("--check")
        var code = ExitCode.fine
        for path in try arguments.bundles() {
            for file in try files(at: path) {
                guard let bytes = try Files.bytes(of: file) else {
                    throw ToolError.file("There is no file \(file).")
                }
                let formatted: String
                do throws(Diagnostic) {
                    formatted = try ModelFormatter.format(SourceText(path: file, bytes: bytes))
                } catch {
                    console.report([error])
                    code = .modelHasErrors
                    continue
                }
                guard !bytes.elementsEqual(formatted.utf8) else { continue }
                if isCheck {
                    try console.write("\(file) is not formatted\n")
                    code = code == .fine ? .differs : code
                    continue
                }
                do {
                    try Files.write(formatted, to: file)
                } catch {
                    console.writeError("cambium: error: \(error.message)\n")
                    code = .file
                    continue
                }
                try console.write("Formatted \(file)\n")
            }
        }
        return code
    }

    /// A file, or the versions in a bundle.
    private static func files(at path: String) throws(ToolError) -> [String] {
        if path.hasSuffix(".xml") { return [path] }
        if path.hasSuffix(".cambium") || path.hasSuffix(".cambium/") {
            try Files.requireModel(path)
        }
        let names = try? FileManager.default.contentsOfDirectory(atPath: path)
        guard path.hasSuffix(".cambium") || path.hasSuffix(".cambium/"), let names else {
            throw .usage("'\(path)' is not a folder Name.cambium; only those can be formatted.")
        }
        return names.filter { $0.hasSuffix(".xml") && !$0.hasPrefix(".") }
            .sorted(by: VersionOrder.precedes)
            .map { path.hasSuffix("/") ? path + $0 : "\(path)/\($0)" }
    }
}
