import CambiumAuthoring
import CambiumCompiler
import CambiumEngine
import CambiumMaintenance
import CambiumMigration
import CambiumModel
import CambiumRecords

extension MigrateCommand {
    /// Does something with a store on a server.
    static func run(
        _ action: MigrateAction, on store: StoreArgument, at place: ServerStores.Place,
        _ model: String, _ arguments: Arguments, _ console: Console
    ) throws -> ExitCode {
        for option in ["--backup", "--drift"] where arguments.has(option) {
            throw arguments.usage(
                "\(option) is for stores in files, and \(store.name) is on a server.")
        }
        let migrations = try store.migrations()
        guard let bundle = try compile(model, warns: false, arguments, console) else {
            return .modelHasErrors
        }
        guard let (version, steps) = bundle.serverSteps(to: arguments.value("--to")) else {
            let names = bundle.versions.map(\.model.version).joined(separator: ", ")
            throw arguments.usage(
                "\(bundle.name) has no version '\(arguments.value("--to") ?? "")'. It has \(names)."
            )
        }
        let target = ServerTarget(
            ModelDescription(version, types: [:], common: NoObject.self),
            migrations: steps.migrations, versions: steps.versions)
        return try store.explaining(besides: steps.problem) {
            switch action {
            case .status:
                let report: StatusReport
                do {
                    report = StatusReport(
                        store: store.name, of: version, try migrations.survey(place, target))
                } catch let error as MigrationError {
                    report = StatusReport(store: store.name, of: version, refusedFor: error)
                    if case .unknownVersion = error, let problem = steps.problem {
                        report.problem = "\(report.problem ?? ""). \(problem)"
                    }
                }
                try print(report, arguments, console)
                return report.exitCode
            case .plan:
                try store.requireStore()
                let report = PlanReport(
                    store: store.name, try migrations.forecast(place, target), isOnServer: true)
                try print(report, arguments, console)
                return report.isRefused(.refuse) ? .storeRefused : .fine
            case .apply:
                try store.requireStore()
                try apply(target, to: store, at: place, migrations, arguments, console)
                return .fine
            case .rehearse:
                try store.requireStore()
                let report = RehearsalReport(
                    try migrations.rehearse(place, target), of: store.name)
                try print(report, arguments, console)
                return report.failure == nil ? .fine : .storeRefused
            case .verify, .forget: return .fine
            }
        }
    }

    private static func apply(
        _ target: ServerTarget, to store: StoreArgument, at place: ServerStores.Place,
        _ migrations: any ServerMigrations, _ arguments: Arguments, _ console: Console
    ) throws {
        let status = StatusReport(
            store: store.name, of: target.model.model, try migrations.survey(place, target))
        let start = ContinuousClock.now
        // If the tool is terminated, the server rolls back.
        let opened = try migrations.opener(place, target, StoreOptions()).open()
        opened.store.close()
        var report = ApplyReport(
            store: store.name, version: target.model.model.version, opened.migration,
            differences: status.differences, history: status.history,
            seconds: (ContinuousClock.now - start) / .seconds(1))
        report.isOnServer = true
        try print(report, arguments, console)
    }

    /// Removes the copies that migrations of a store have left.
    static func forget(
        copiesOf word: String, _ arguments: Arguments, _ console: Console
    ) throws -> ExitCode {
        let store = try StoreArgument(word)
        let removed = try store.explaining {
            switch store.place {
            case .file(let path): try MigrationCopies.removeAll(ofStore: path)
            case .server(let place): try store.migrations().removeCopies(place)
            }
        }
        try print(ForgetReport(store: store.name, removed: removed), arguments, console)
        return .fine
    }

    /// Proves every step of a bundle on a server.
    static func verify(
        _ path: String, onServer url: String, _ arguments: Arguments, _ console: Console
    ) throws -> ExitCode {
        let server = try StoreArgument(url)
        guard case .server(let place) = server.place else {
            throw arguments.usage(
                "--url takes the URL of a server, such as postgresql://host/test.")
        }
        let migrations = try server.migrations()
        try Files.requireModel(path)
        guard let bundle = try compile(path, warns: false, arguments, console) else {
            return .modelHasErrors
        }
        let report = try server.explaining {
            try bundle.serverVerification { old, new, file, onServer in
                try migrations.prove(on: place.url, from: old, to: new, (file, onServer))
            }
        }
        try print(report, arguments, console)
        guard report.isProven else { return .modelHasErrors }
        return report.lacksRows ? .provenWithoutRows : .fine
    }
}

extension StoreArgument {
    /// The migrations of stores on servers.
    fileprivate func migrations() throws(ToolError) -> any ServerMigrations {
        guard let migrations = Self.servers?.migrations else {
            throw .usage("This tool cannot migrate stores on servers.")
        }
        return migrations
    }

    /// Throws if the store does not exist.
    fileprivate func requireStore() throws {
        guard try metadata() != nil else {
            throw ToolError.file("There is no store at \(name).")
        }
    }

    /// Runs a body. If there is no way from the version of the store, the error says why.
    fileprivate func explaining<Result>(
        besides problem: String?, _ body: () throws -> Result
    ) throws -> Result {
        try explaining {
            do {
                return try body()
            } catch let error as MigrationError {
                guard case .unknownVersion = error, let problem else { throw error }
                throw ToolError.store("\(name): \(error.description). \(problem).")
            }
        }
    }
}

extension RehearsalReport {
    /// Creates a report of the migration of a copy on a server; nil if there was nothing to do.
    fileprivate init(_ rehearsal: ServerRehearsal?, of store: String) {
        self.init(
            store: store, versions: rehearsal?.versions ?? [], class: rehearsal?.kind.rawValue,
            before: rehearsal?.before ?? [:], after: rehearsal?.after ?? [:],
            sizeBefore: rehearsal?.sizeBefore ?? 0, sizeAfter: rehearsal?.sizeAfter ?? 0,
            seconds: rehearsal?.seconds ?? 0,
            failure: rehearsal?.failure.map { error in
                StoreFailure(error, storeAt: store)?.reason ?? StoreFiles.reason(for: error)
            })
    }
}
