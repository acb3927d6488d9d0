import CambiumAuthoring
import CambiumCompiler
import CambiumMigration

extension MigrateCommand {
    /// Proves every step of a bundle.
    static func verify(
        _ path: String, _ arguments: Arguments, _ console: Console
    ) throws -> ExitCode {
        try Files.requireModel(path)
        let declarations = try Declarations.file(arguments)
        let verdicts = ProofFolder.verdicts(arguments, console)
        let verification = BundleVerification(
            of: path, declarations: declarations, verdicts: verdicts)
        verdicts?.prune()
        let errors = verification.diagnostics.filter(\.isError)
        console.report(errors)
        guard let report = verification.report else { return .modelHasErrors }
        try print(report, arguments, console)
        guard errors.isEmpty, report.isProven else { return .modelHasErrors }
        return report.lacksRows ? .provenWithoutRows : .fine
    }
}
