import Cambium
import CambiumChecking
import CambiumMaintenance
import CambiumMigration
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// `status | plan | apply | verify | rehearse | forget` for the stores of a program, within the
/// program itself, which has its own steps of migrations. A tool cannot have these steps. Without
/// such steps it does the same as `cambium migrate`.
///
/// ```swift
/// @main struct ShopTool {
///     static func main() {
///         var arguments = CommandLine.arguments.dropFirst()
///         guard arguments.popFirst() == "migrate" else { return serve() }
///         let command = MigrationCommand(
///             model: Shop.model, migration: ShopSteps(), name: "shop migrate")
///         exit(command.run(arguments))
///     }
/// }
/// ```
///
/// | exit code | meaning |
/// |---|---|
/// | 0 | all is well |
/// | 1 | a step is not proven, or the store has problems (`check-store`) |
/// | 2 | the command line is wrong, or the store cannot be checked (`check-store`) |
/// | 4 | a file cannot be read or written |
/// | 6 | the store has to be migrated (`status`) |
/// | 7 | the store cannot be opened or migrated, or another program has changed it |
/// | 9 | all steps are right, and one was proven without two rows of an entity (`verify`) |
public struct MigrationCommand: Sendable {
    /// Writes results and notes for a person. By default, to the program's own output.
    public var write: @Sendable (String) -> Void = { StandardStream.output.write($0) }
    /// Writes errors and progress.
    public var writeError: @Sendable (String) -> Void = { StandardStream.error.write($0) }
    /// Returns the location of a store on a server. The arguments are the URL on the command line,
    /// such as `postgresql://host/database`, and the name of the schema: the part behind `#`, or
    /// `cambium`. The default is nil: the command accepts only files. With the product
    /// `CambiumPostgres`, the function is `{ .postgres($0, schema: $1) }`.
    public var server: (@Sendable (_ url: String, _ schema: String) -> StoreLocation)?

    let name: String
    let storePath: String?
    let model: CompiledModel
    let verification: (@Sendable () -> VerifyReport)?

    /// Creates a command for a model with steps of the program in its migrations.
    ///
    /// - Parameters:
    ///   - model: The compiled model, such as `Shop.model`.
    ///   - migration: The program's steps.
    ///   - path: The store's path, or its URL on a server, if the command line names none.
    ///   - name: The name of the command, for its own help.
    public init<Steps>(
        model: SteppedModel<Steps>, migration: Steps, storeAt path: String? = nil,
        name: String = "migrate"
    ) {
        self.name = name
        storePath = path
        self.model = model.performing(migration)
        verification = { model.verification(of: migration) }
    }

    /// Creates a command for a model with migrations in SQL alone. `verify` then adds nothing to
    /// the proof at the time of compilation.
    ///
    /// - Parameters:
    ///   - model: The compiled model, such as `Shop.model`.
    ///   - path: The store's path, or its URL on a server, if the command line names none.
    ///   - name: The name of the command, for its own help.
    public init(model: CompiledModel, storeAt path: String? = nil, name: String = "migrate") {
        self.name = name
        storePath = path
        self.model = model
        verification = nil
    }

    /// Not available: a model with steps of the program requires the steps.
    @available(
        *, unavailable, message: "the model has steps of the program: add the argument 'migration:'"
    )
    public init<Steps>(
        model: SteppedModel<Steps>, storeAt path: String? = nil, name: String = "migrate"
    ) {
        self.init(model: model.withoutSteps, storeAt: path, name: name)
    }

    /// Runs the command with these words of the command line. If the task is cancelled, the
    /// complete migration is rolled back.
    ///
    /// - Parameter arguments: The words after the command's own name.
    /// - Returns: The exit code for the program, see ``MigrationCommand``.
    public func run(_ arguments: some Sequence<String>) -> Int32 {
        do {
            return try run(Words(arguments, of: self)).rawValue
        } catch let error as Usage {
            guard !error.message.isEmpty else {
                write(usage)
                return Ending.fine.rawValue
            }
            writeError("\(name): error: \(error.message)\n\(usage)")
            return Ending.usage.rawValue
        } catch {
            writeError("\(name): error: \(error)\n")
            return Ending.file.rawValue
        }
    }
}

extension MigrationCommand {
    func run(_ words: Words) throws -> Ending {
        if words.action == .verify { return verify(words) }
        if let address = ServerAddress(words.path) { return try run(words, at: address) }
        if let problem = StorePathProblem(of: words.path) {
            writeError("\(name): error: \(problem)\n")
            return .file
        }
        guard FileManager.default.fileExists(atPath: words.path) || words.action == .status else {
            writeError("\(name): error: There is no file \(words.path).\n")
            return .file
        }
        if words.action == .checkStore {
            return checkStore(words, .file(words.path), named: words.path)
        }
        let runner = model.migrationRunner
        runner.driftPolicy = words.drift ?? .refuse
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
                return report.isRefused(words.drift ?? .refuse) ? .storeRefused : .fine
            case .apply:
                print(try store.apply(announcing: writeError), words)
            case .rehearse:
                let report = try rehearse(store)
                print(report, words)
                return report.failure == nil ? .fine : .storeRefused
            case .forget:
                let removed = try MigrationCopies.removeAll(ofStore: words.path)
                print(ForgetReport(store: words.path, removed: removed), words)
            case .verify, .checkStore: break
            }
            return .fine
        } catch {
            guard let failure = StoreFailure(error, storeAt: words.path) else { throw error }
            writeError("\(name): error: \(failure.message).\n")
            return failure.cause == .file ? .file : .storeRefused
        }
    }

    /// Does something with a store on a server.
    private func run(_ words: Words, at address: ServerAddress) throws -> Ending {
        guard let server else {
            throw Usage(message: "\(address.name) is on a server, and this command takes files.")
        }
        guard let schema = address.schema else {
            throw Usage(
                message: "The name of a schema follows the # of \(address.name), such as #shop.")
        }
        guard words.drift == nil else {
            throw Usage(
                message: "--drift is for stores in files, and \(address.name) is on a server.")
        }
        let location = server(address.url, schema)
        if words.action == .checkStore { return checkStore(words, location, named: address.name) }
        guard let migrations = location.migrations(of: model) else {
            throw Usage(message: "Stores at \(address.name) are not migrated.")
        }
        var target = migrations.target
        target.isCancelled = { Task.isCancelled }
        let maintenance = ServerMaintenance(migrations.store, target, storeAt: address.name)
        do {
            guard try words.action == .status || maintenance.exists() else {
                writeError("\(name): error: There is no store at \(address.name).\n")
                return .file
            }
            switch words.action {
            case .status:
                let report = try maintenance.status()
                print(report, words)
                return Self.ending(of: report)
            case .plan:
                let report = try maintenance.plan()
                print(report, words)
                return report.isRefused(.refuse) ? .storeRefused : .fine
            case .apply: print(try maintenance.apply(notifying: progress), words)
            case .rehearse:
                let report = try maintenance.rehearse()
                print(report, words)
                return report.failure == nil ? .fine : .storeRefused
            case .forget: print(try maintenance.forget(), words)
            case .verify, .checkStore: break
            }
            return .fine
        } catch {
            let message =
                StoreFailure(error, storeAt: address.name)?.message
                ?? "\(address.name): \(StoreFiles.reason(for: error))"
            writeError("\(name): error: \(message).\n")
            return .storeRefused
        }
    }

    private func checkStore(
        _ words: Words, _ location: StoreLocation, named store: String
    ) -> Ending {
        var check = StoreCheck(model: model, store: StoreDescription(location: location))
        let start = ContinuousClock.now
        let shown = Mutex(0)
        check.progress = { fraction, summary in
            let tenth = Int(fraction * 10)
            shown.withLock { shown in
                guard tenth > shown, ContinuousClock.now - start > .seconds(1) else { return }
                shown = tenth
                writeError("\(tenth * 10) % \(summary)\n")
            }
        }
        do {
            let report = try check.run(repairing: words.repairs)
            print(report, words)
            return report.isClean ? .fine : .storeHasFaults
        } catch {
            let message =
                StoreFailure(error, storeAt: store)?.message
                ?? "\(store): \(StoreFiles.reason(for: error))"
            writeError("\(name): error: \(message).\n")
            return .notChecked
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
    private var progress: @Sendable (MigrationProgress) -> Void {
        let start = ContinuousClock.now
        let shown = Mutex(0)
        return { progress in
            // If the migration waits for other programs, this is printed at once.
            guard progress.phase != .waiting else { return writeError("\(progress.summary)\n") }
            let tenth = Int(progress.fraction * 10)
            shown.withLock { shown in
                guard tenth > shown, ContinuousClock.now - start > .seconds(1) else { return }
                shown = tenth
                writeError("\(tenth * 10) % \(progress.summary)\n")
            }
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

/// The program's own output and error output.
enum StandardStream: Int32 {
    case output = 1
    case error = 2

    /// Writes a text. If the output has no reader any more, the rest is discarded.
    func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            // Safety: the buffer is read before the closure returns.
            let count = rest.withUnsafeBytes { buffer in
                #if canImport(Glibc)
                    Glibc.write(rawValue, buffer.baseAddress, buffer.count)
                #elseif canImport(Musl)
                    Musl.write(rawValue, buffer.baseAddress, buffer.count)
                #else
                    Darwin.write(rawValue, buffer.baseAddress, buffer.count)
                #endif
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

extension MigrationCommand {
    /// The actions of the command.
    enum Action: String, CaseIterable {
        case status, plan, apply, verify, rehearse, forget
        case checkStore = "check-store"
    }

    /// The exit codes of the command, which are the same as the tool's.
    enum Ending: Int32 {
        case fine = 0
        case notProven = 1
        case usage = 2
        case file = 4
        case storeIsBehind = 6
        case storeRefused = 7
        case provenWithoutRows = 9

        static let storeHasFaults = Ending.notProven
        static let notChecked = Ending.usage
    }

    /// A mistake on the command line. An empty message means that the user requests the help.
    struct Usage: Error {
        let message: String
    }

    /// The parsed command line.
    struct Words {
        let action: Action
        /// The store's path or URL; empty if the action needs none.
        let path: String
        let isJSON: Bool
        /// Whether `check-store` repairs the findings that it can.
        let repairs: Bool
        /// The handling of changes by other programs; nil if the command line does not define it.
        let drift: DriftPolicy?

        init(_ arguments: some Sequence<String>, of command: MigrationCommand) throws(Usage) {
            var words: [String] = []
            var isJSON = false
            var repairs = false
            var drift: DriftPolicy?
            var rest = Array(arguments)[...]
            while let word = rest.popFirst() {
                switch word {
                case "--help", "-h": throw Usage(message: "")
                case "--json": isJSON = true
                case "--repair": repairs = true
                case "--drift":
                    guard let policy = rest.popFirst().flatMap(DriftPolicy.init) else {
                        throw Usage(message: "--drift takes refuse, repair or report.")
                    }
                    drift = policy
                case _ where word.hasPrefix("-"):
                    throw Usage(message: "There is no option '\(word)'.")
                default: words.append(word)
                }
            }
            let all = Action.allCases.map { $0.rawValue }.joined(separator: ", ")
            guard let first = words.first else {
                throw Usage(message: "Name an action: \(all).")
            }
            if first == "help" { throw Usage(message: "") }
            guard let action = Action(rawValue: first) else {
                throw Usage(message: "'\(first)' is not one of \(all).")
            }
            self.action = action
            self.repairs = repairs
            if repairs, action != .checkStore {
                throw Usage(message: "--repair belongs to 'check-store'.")
            }
            self.isJSON = isJSON
            self.drift = drift
            if action == .verify {
                guard words.count == 1 else {
                    throw Usage(message: "'verify' takes no store: it proves the steps.")
                }
                path = ""
                return
            }
            guard words.count <= 2, let path = words.dropFirst().first ?? command.storePath else {
                throw Usage(message: "'\(first)' takes one store.")
            }
            self.path = path
        }
    }

    /// The help.
    var usage: String {
        let store = storePath == nil ? "STORE" : "[STORE]"
        let lines = [
            ("status \(store) [--json]", "which version the store has"),
            ("plan \(store) [--json]", "what a migration would do"),
            ("apply \(store) [--drift POLICY] [--json]", "migrate it, or leave it unchanged"),
            ("rehearse \(store) [--drift POLICY] [--json]", "migrate a copy, and compare"),
            ("forget \(store) [--json]", "remove the copies that migrations have left"),
            ("verify [--json]", "prove the program's own steps"),
            ("check-store \(store) [--repair] [--json]", "check every object, link and value"),
        ]
        let width = lines.map(\.0.count).max() ?? 0
        let start = "Usage: "
        let text = lines.enumerated().map { index, line in
            let indent = index == 0 ? start : String(repeating: " ", count: start.count)
            let space = String(repeating: " ", count: width - line.0.count + 3)
            return "\(indent)\(name) \(line.0)\(space)\(line.1)\n"
        }
        return text.joined() + """
            POLICY is for tables that another program has changed: refuse (default), repair, report.

            """
    }
}
