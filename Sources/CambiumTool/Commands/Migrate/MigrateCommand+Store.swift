import CambiumAuthoring
import CambiumCompiler
import CambiumMaintenance
import CambiumMigration
import Foundation

extension MigrateCommand {
    /// Does something with a store file.
    static func run(
        _ action: MigrateAction, on path: String, _ model: String, _ arguments: Arguments,
        _ console: Console
    ) throws -> ExitCode {
        let drift = try arguments.word("--drift", DriftPolicy.self) ?? .refuse
        guard Files.exists(path) else { throw ToolError.file("There is no file \(path).") }
        guard let bundle = try compile(model, warns: false, arguments, console) else {
            return .modelHasErrors
        }
        guard let runner = bundle.runner(to: arguments.value("--to")) else {
            let names = bundle.versions.map(\.model.version).joined(separator: ", ")
            throw arguments.usage(
                "\(bundle.name) has no version '\(arguments.value("--to") ?? "")'. It has \(names)."
            )
        }
        runner.driftPolicy = drift
        if let copy = arguments.value("--backup") {
            try Files.requireStorePath(copy)
            guard !StoreFiles.exists(copy) else {
                throw ToolError.file("The file \(copy) already exists: name another with --backup.")
            }
            guard !StoreFiles.isPart(copy, ofStore: path) else {
                throw ToolError.file(
                    "\(copy) is where SQLite keeps a part of the store: name another with --backup."
                )
            }
            runner.backupPath = copy
        }
        if action == .apply || action == .rehearse {
            console.signals?.catchAll()
            runner.isCancelled = console.isCancelled
        }
        defer { console.signals?.restoreDefaults() }
        let store = StoreMaintenance(runner, storeAt: path)
        do {
            switch action {
            case .status:
                let report = try store.status()
                try print(report, arguments, console)
                return report.exitCode
            case .plan:
                let report = try store.plan()
                try print(report, arguments, console)
                return report.isRefused(drift) ? .storeRefused : .fine
            case .apply:
                try store.requireNoCode()
                let line = ProgressLine(console)
                if let line { store.runner.progress = { line.show($0.fraction, $0.summary) } }
                defer { line?.end() }
                let report = try store.apply(announcing: console.writeError)
                line?.end()
                try print(report, arguments, console)
            case .rehearse:
                try store.requireNoCode()
                let folder = try Files.scratchFolder()
                let report = try withExtendedLifetime(folder) {
                    try store.rehearse(in: folder.path)
                }
                try print(report, arguments, console)
                return report.failure == nil ? .fine : .storeRefused
            case .verify, .forget:
                break
            }
            return .fine
        } catch {
            guard let failure = StoreFailure(error, storeAt: path) else { throw error }
            throw failure.cause == .file
                ? ToolError.file("\(failure.message).") : ToolError.store("\(failure.message).")
        }
    }
}

extension StatusReport {
    /// The exit code of the tool for this status.
    var exitCode: ExitCode {
        if !inTheWay.isEmpty { return .storeRefused }
        return switch state {
        case .none, .current: differences.isEmpty ? .fine : .storeRefused
        case .outdated, .behind: differences.isEmpty ? .storeIsBehind : .storeRefused
        case .refused: .storeRefused
        }
    }
}
