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
        let migrations = try store.migrations(at: place)
        guard let bundle = try compile(model, warns: false, arguments, console) else {
            return .modelHasErrors
        }
        guard let (version, steps) = bundle.serverSteps(to: arguments.value("--to")) else {
            let names = bundle.versions.map(\.model.version).joined(separator: ", ")
            throw arguments.usage(
                "\(bundle.name) has no version '\(arguments.value("--to") ?? "")'. It has \(names)."
            )
        }
        var target = ServerTarget(
            ModelDescription(version, types: [:], common: NoObject.self),
            migrations: steps.migrations, versions: steps.versions)
        if action == .apply || action == .rehearse {
            console.signals?.catchAll()
            target.isCancelled = console.isCancelled
        }
        defer { console.signals?.restoreDefaults() }
        let server = ServerMaintenance(migrations, target, storeAt: store.name)
        return try store.explaining(besides: steps.problem) { () throws -> ExitCode in
            if action != .status { try store.requireStore() }
            switch action {
            case .status:
                let report = try server.status()
                if report.isOfUnknownVersion, let problem = steps.problem {
                    report.problem = "\(report.problem ?? ""). \(problem)"
                }
                try print(report, arguments, console)
                return report.exitCode
            case .plan:
                let report = try server.plan()
                try print(report, arguments, console)
                return report.isRefused(.refuse) ? .storeRefused : .fine
            case .apply:
                try print(apply(server, console), arguments, console)
                return .fine
            case .rehearse:
                let report = try server.rehearse()
                try print(report, arguments, console)
                return report.failure == nil ? .fine : .storeRefused
            case .verify, .forget: return .fine
            }
        }
    }

    private static func apply(
        _ server: ServerMaintenance, _ console: Console
    ) throws -> ApplyReport {
        guard let line = SharedLine(console) else { return try server.apply() }
        defer { line.end() }
        return try server.apply { line.show($0.fraction, $0.summary) }
    }

    /// Removes the copies that migrations of a store have left.
    static func forget(
        copiesOf word: String, _ arguments: Arguments, _ console: Console
    ) throws -> ExitCode {
        let store = try StoreArgument(word)
        let removed = try store.explaining {
            switch store.place {
            case .file(let path): try MigrationCopies.removeAll(ofStore: path)
            case .server(let place): try store.migrations(at: place).removeCopies()
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
        let migrations = try server.migrations(at: place)
        try Files.requireModel(path)
        guard let bundle = try compile(path, warns: false, arguments, console) else {
            return .modelHasErrors
        }
        let report = try server.explaining {
            try bundle.serverVerification { old, new, file, onServer in
                try migrations.prove(from: old, to: new, (file, onServer))
            }
        }
        try print(report, arguments, console)
        guard report.isProven else { return .modelHasErrors }
        return report.lacksRows ? .provenWithoutRows : .fine
    }
}

extension StoreArgument {
    /// Returns the operations that migrate the store at a place.
    fileprivate func migrations(
        at place: ServerStores.Place
    ) throws(ToolError) -> any ServerMigrations {
        guard let migrations = Self.servers?.migrations else {
            throw .usage("This tool cannot migrate stores on servers.")
        }
        return migrations(place)
    }

    /// Throws if the store does not exist.
    fileprivate func requireStore() throws {
        guard try metadata() != nil else {
            throw ToolError.file("There is no store at \(name).")
        }
    }

    /// Runs a body. If no migration starts at the version of the store, the error has the reason.
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
