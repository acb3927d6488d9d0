import CambiumAuthoring
import CambiumCompiler
import Foundation

/// `cambium diff`: the changes between versions, and their effects on a store.
enum DiffCommand: Command {
    static let name = "diff"
    static let summary = "Show the changes between versions, and their effect on a store"
    static let usage = """
        MODEL [FROM [TO]] [--format text|markdown|json]
                            [--output FILE] [--declarations FILE]
               cambium diff OLD-MODEL NEW-MODEL [FROM [TO]] …
        """
    static let details = """
        Compares versions entity by entity, like the build. For each change, the command prints the
        class, which is the effect on existing data: additive, reversible, lossy, destructive, needs
        data (existing values must meet a condition, or the model must give new values) or needs
        code. For each table, the command prints the work: changed in constant time, read, changed
        in place, rewritten, created or dropped. Then the command lists the decisions that the model
        does not contain yet, with the lines that the build proposes. The command runs no migration,
        and reads no store.

        Without versions, the command compares the current version with the previous version. With
        one version, it compares all versions from FROM on. With two bundles, such as those of two
        branches, it compares the current version of the first bundle with the current version of
        the second. If you give versions, it compares FROM of the first bundle with TO of the
        second:

            cambium diff Shop.cambium
            cambium diff Shop.cambium 1 3 --format markdown
            cambium diff ../main/Shop.cambium Shop.cambium --format json

        A step with missing decisions is shown too, and the exit code is 1. In a bundle of Xcode,
        such a step between shipped versions needs code.
        """
    static let options =
        [
            Option("--format", "FORM", "text (default), markdown or json"),
            Option("--output", "FILE", "write to a file"),
        ] + Declarations.options

    static func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
        let format = try arguments.word("--format", BundleDifference.Format.self) ?? .text
        var words = try arguments.bundles()
        let path = words.removeFirst()
        let other = words.first.flatMap { isBundle($0) ? $0 : nil }
        if other != nil { words.removeFirst() }
        guard words.count <= 2 else {
            throw arguments.usage("'diff' takes two versions at most.")
        }
        let declarations = try Declarations.file(arguments)
        // They are about the bundle with the newer version.
        guard let bundle = try read(path, other == nil ? declarations : nil, console) else {
            return .modelHasErrors
        }
        let difference: BundleDifference
        do {
            if let other {
                guard let newer = try read(other, declarations, console) else {
                    return .modelHasErrors
                }
                difference = try newer.difference(
                    from: bundle, words.first, to: words.dropFirst().first)
            } else {
                difference = try bundle.difference(
                    from: words.first, to: words.dropFirst().first)
            }
        } catch let failure as CheckedBundle.Failure {
            throw arguments.usage(failure.message)
        }
        let folder = FileManager.default.currentDirectoryPath
        try Files.deliver(
            difference.rendered(as: format, relativeTo: folder), to: arguments.value("--output"),
            console)
        return difference.isIncomplete ? .modelHasErrors : .fine
    }

    /// Whether a word is the path of a bundle. The name of a version does not have such an
    /// extension.
    private static func isBundle(_ word: String) -> Bool {
        let word = word.hasSuffix("/") ? String(word.dropLast()) : word
        return BundleReader.extensions.contains { word.hasSuffix(".\($0)") }
    }

    /// The versions of a bundle. Only findings that are errors are reported.
    private static func read(
        _ path: String, _ declarations: String?, _ console: Console
    ) throws(ToolError) -> CheckedBundle? {
        try Files.requireModel(path)
        let (bundle, diagnostics) = CheckedBundle.read(path, declarations: declarations)
        console.report(diagnostics.filter(\.isError))
        return bundle
    }
}
