import CambiumAuthoring
import CambiumCompiler
import CambiumMigration
import Foundation

/// `cambium check`: everything that is wrong with models.
enum CheckCommand: Command {
    static let name = "check"
    static let summary = "Report all findings in models, and prove their migrations"
    static let usage = """
        MODEL ... [--strict] [--verbose] [--engine sqlite|postgres]
                             [--format text|json|sarif] [--output FILE]
                             [--declarations FILE] [--proofs FOLDER | --no-proof-cache]
               cambium check --package FOLDER
        """
    static let details = """
        Reads and checks every version of the model. Plans the migration from each version to the
        next, and proves it: the migration runs with sample rows on an SQLite in memory, and the
        result is checked. The build does the same, and also writes Swift.

        Each finding is a line that editors understand, with a code for `cambium explain`:

            Shop.cambium/2.xml:9:53: error: 'Product' has no property 'salePrise' [CM603]
            Shop.cambium/2.xml:9:53: note: Did you mean 'salePrice'?

        The forms json and sarif (2.1.0) are for programs, code hosts and editors. They are printed,
        or written with --output. Their paths are relative to the current folder. In the text form,
        findings go to the error output, and the line about success goes to the output.

        A shipped version cannot be changed, so its findings are notes, except for errors. --verbose
        shows these notes.

        With --engine postgres the command also warns of strings without a limit in unique
        constraints and indexes, because PostgreSQL refuses to store long strings there. The command
        lists each table, column or index that has another name on a server, because its name has
        more than 63 bytes or is that of a system column.

        With --package, the command lists the targets of a Swift package with a model that is not
        compiled, because the target has neither the build plugin nor generated code.

            Package.swift: error: Nothing compiles Sources/App/Shop.cambium of the target 'App'.

        \(ProofFolder.details)
        """
    static let options =
        [
            Option("--strict", nil, "end with exit code 3 if there are warnings"),
            Option("--verbose", nil, "also show notes on shipped versions"),
            Option("--engine", "NAME", "the engine of the stores: sqlite (default) or postgres"),
            Option("--format", "FORM", "text (default), json or sarif"),
            Option("--output", "FILE", "write json or sarif into a file"),
            Option("--package", "FOLDER", "list the targets of a package with uncompiled models"),
        ] + Declarations.options + ProofFolder.options

    static func run(_ arguments: Arguments, _ console: Console) throws -> ExitCode {
        if let folder = arguments.value("--package") {
            guard arguments.words.isEmpty else {
                throw arguments.usage("--package takes no models: it finds them.")
            }
            return try check(package: folder, console)
        }
        let paths = try arguments.bundles()
        let format = try arguments.word("--format", DiagnosticReport.Format.self) ?? .text
        if format == .text, arguments.has("--output") {
            throw arguments.usage("--output belongs to --format json or sarif.")
        }
        for path in paths { try Files.requireModel(path) }
        let declarations = try Declarations.file(arguments)
        if declarations != nil, paths.count > 1 {
            throw arguments.usage("--declarations belongs to one model.")
        }
        let engine = try arguments.word("--engine", CheckedEngine.self) ?? .sqlite
        let verdicts = ProofFolder.verdicts(arguments, console)
        let reports = reports(on: paths, declarations, engine, verdicts)
        verdicts?.prune()
        let diagnostics = reports.flatMap(\.diagnostics)
        let findings =
            arguments.has("--verbose")
            ? reports.flatMap { ($0.diagnostics + $0.notes).sortedByPlace() } : diagnostics
        let report = DiagnosticReport(
            findings, relativeTo: FileManager.default.currentDirectoryPath)
        if format == .text {
            console.writeError(report.rendered(as: .text))
            for report in reports {
                guard let summary = report.summary else { continue }
                try console.write(summary + "\n")
                for line in report.remarks { try console.write("  \(line)\n") }
            }
        } else {
            try Files.deliver(
                report.rendered(as: format), to: arguments.value("--output"), console)
        }
        if reports.contains(where: { $0.summary == nil }) { return .modelHasErrors }
        return arguments.has("--strict") && !diagnostics.isEmpty ? .modelHasWarnings : .fine
    }

    private static func check(package folder: String, _ console: Console) throws -> ExitCode {
        let models = try PackageModels(of: folder, path: Files.programPath)
        let manifest = folder == "." ? "Package.swift" : "\(folder)/Package.swift"
        let forgetful = models.targets.filter { !$0.forgotten.isEmpty }
        for target in forgetful {
            for model in target.forgotten {
                console.writeError(
                    "\(manifest): error: Nothing compiles \(model) of the target "
                        + "'\(target.name)'.\n")
            }
            console.writeError(
                "\(manifest): note: Add to the target '\(target.name)': plugins: [.plugin("
                    + "name: \"CambiumBuildPlugin\", package: \"Cambium\")]\n"
                    + "\(manifest): note: Or write its Swift into it: swift package cambium generate "
                    + "--target \(target.name)\n")
        }
        guard forgetful.isEmpty else { return .modelHasErrors }
        let count = models.targets.count { !$0.models.isEmpty }
        try console.write("Each model is compiled. Targets with models: \(count)\n")
        return .fine
    }

    /// The reports in the order of the paths. The largest bundle is begun first, so that none is
    /// left at the end for one thread alone.
    private static func reports(
        on paths: [String], _ declarations: String?, _ engine: CheckedEngine,
        _ verdicts: VerdictCache?
    ) -> [BundleReport] {
        let contents = paths.concurrentMap { BundleContents(of: $0, declarations: declarations) }
        let order = paths.indices.sorted {
            (contents[$0]?.size ?? .max, $1) > (contents[$1]?.size ?? .max, $0)
        }
        let found = order.concurrentMap { index -> (Int, BundleReport) in
            let report = BundleReport(
                checking: paths[index], declarations: declarations, contents[index],
                engine: engine, verdicts: verdicts)
            return (index, report)
        }
        return found.sorted { $0.0 < $1.0 }.map(\.1)
    }
}
