extension MigrationCommand {
    func run(_ words: Words) throws -> Ending {
        if words.action == .verify { return verify(words) }
        if let problem = StorePathProblem(of: words.path) {
            writeError("\(name): error: \(problem)\n")
            return .file
        }
        guard FileManager.default.fileExists(atPath: words.path) || words.action == .status else {
            writeError("\(name): error: There is no file \(words.path).\n")
            return .file
        }
        var runner = model.migrationRunner
        runner.driftPolicy = words.drift
        if words.action == .apply { runner.progress = progress }
        let store = StoreMaintenance(runner, storeAt: words.path)
        do {
            switch words.action {
            case .status:
                let report = try store.status()
                print(report, words)
                return Self.ending(of: report)
            case .plan:
                let report = try store.plan()
                print(report, words)
                return report.isRefused(words.drift) ? .storeRefused : .fine
            case .apply:
                print(try store.apply(announcing: writeError), words)
            case .rehearse:
                let report = try rehearse(store)
                print(report, words)
                return report.failure == nil ? .fine : .storeRefused
            case .verify: break
            }
            return .fine
        } catch {
            guard let failure = StoreFailure(error, storeAt: words.path) else { throw error }
            writeError("\(name): error: \(failure.message).\n")
            return failure.cause == .file ? .file : .storeRefused
        }
    }

    private func print(_ report: some MigrationReport, _ words: Words) {
        write(words.isJSON ? report.json : report.text)
    }

    private func verify(_ words: Words) -> Ending {
        let report =
            verification?()
            ?? VerifyReport(model: model.model.name, version: model.model.version, steps: [])
        if verification == nil, !words.isJSON {
            write("All steps are SQL, and were proven when the model was compiled\n")
        } else {
            print(report, words)
        }
        guard report.isProven else { return .notProven }
        return report.lacksRows ? .provenWithoutRows : .fine
    }

    private func rehearse(_ store: StoreMaintenance) throws -> RehearsalReport {
        let folder = try ScratchFolder()
        return try withExtendedLifetime(folder) { try store.rehearse(in: folder.path) }
    }

    /// A line for each tenth of a migration that takes longer than a second.
    private var progress: (MigrationProgress) -> Void {
        let start = ContinuousClock.now
        var told = 0
        return { progress in
            let tenth = Int(progress.fraction * 10)
            guard tenth > told, ContinuousClock.now - start > .seconds(1) else { return }
            told = tenth
            writeError("\(tenth * 10) % \(progress.summary)\n")
        }
    }

    private static func ending(of report: StatusReport) -> Ending {
        if !report.inTheWay.isEmpty { return .storeRefused }
        return switch report.state {
        case .none, .current: report.differences.isEmpty ? .fine : .storeRefused
        case .outdated, .behind: report.differences.isEmpty ? .storeIsBehind : .storeRefused
        case .refused: .storeRefused
        }
    }
}
