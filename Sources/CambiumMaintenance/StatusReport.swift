import CambiumMigration
import CambiumModel
import CambiumPlan

/// The state of a store for a program: its version, and the migrations from there to the program's
/// version.
package final class StatusReport: MigrationReport {
    /// The state of a store for a program.
    package enum State: String, Sendable {
        /// There is no store.
        case none
        /// The store has the program's version.
        case current
        /// The store has the program's version with other checks, defaults or indexes.
        case outdated
        /// The store has an earlier version, and a chain ends at the program's.
        case behind
        /// The program cannot open the store.
        case refused
    }

    /// An object of the store that another program has changed.
    package struct Difference: Sendable {
        /// The name of the table or index.
        package let name: String
        /// The kind of the difference.
        package let kind: String
        /// The columns and constraints of a table that differ, if they are known.
        package let parts: [Part]
        /// The reasons why a repair is not possible; empty if it is.
        package let obstacles: [String]
        /// A description of the difference.
        let words: String

        /// A column or a constraint of a table.
        package struct Part: Sendable {
            /// The name of the part.
            package let name: String
            /// The kind of the difference.
            package let kind: String
            /// The number of values in a column that another program has added.
            package let values: Int?
        }

        var members: ReportValue {
            .object([
                "name": .text(name), "kind": .text(kind),
                "parts": .list(
                    parts.map { part in
                        .object([
                            "name": .text(part.name), "kind": .text(part.kind),
                            "values": .number(part.values),
                        ])
                    }),
                "obstacles": .texts(obstacles),
            ])
        }
    }

    /// An object of another program that prevents the migration.
    package struct ExternalObject: Sendable {
        /// The name of the object.
        package let name: String
        /// The kind of the object: table, index, view or trigger.
        package let kind: String
        /// A description of the problem.
        package let reason: String
        /// The remedy.
        package let remedy: String

        /// The reason and the remedy.
        var words: String { "\(reason): \(remedy)" }

        var members: ReportValue {
            .object([
                "name": .text(name), "kind": .text(kind), "reason": .text(reason),
                "remedy": .text(remedy),
            ])
        }

        init(_ object: CambiumMigration.ExternalObject) {
            (name, kind) = (object.name, object.kind.rawValue)
            (reason, remedy) = (object.description, object.remedy)
        }
    }

    /// The store's path.
    package let store: String
    /// The program's model.
    package let model: String
    /// The program's version of it.
    package let programVersion: String
    /// The state of the store.
    package let state: State
    /// The store's version, if it is known.
    package var version: String?
    /// The versions from the store's to the program's; empty if there is no migration.
    package var versions: [String] = []
    /// The class of the step with the greatest effect.
    package var `class`: String?
    /// Whether the migration deletes data or makes it less exact. A class with a greater effect
    /// does not show that.
    package var losesData = false
    /// The program's custom steps.
    package var codeSteps: [String] = []
    /// A description of the effect on the store's history; nil if it has none.
    package var history: String?
    /// The changes of another program.
    package var differences: [Difference] = []
    /// A description of the repair of these changes.
    package var repair: String?
    /// Tables, triggers and views of other programs that prevent the migration.
    package var inTheWay: [ExternalObject] = []
    /// The reason why the program cannot open the store.
    package var problem: String?
    /// Whether there is no migration from the store's version to the program's.
    package private(set) var isOfUnknownVersion = false

    init(store: String, model: String, programVersion: String, state: State) {
        self.store = store
        self.model = model
        self.programVersion = programVersion
        self.state = state
    }

    /// Creates a report of a survey; nil if there is no store.
    package convenience init(store: String, of model: Model, _ survey: StoreSurvey?) {
        let state: State =
            switch survey {
            case nil: .none
            case let survey? where survey.steps == nil: .current
            case let survey?: survey.versions.isEmpty ? .outdated : .behind
            }
        self.init(
            store: store, model: model.name, programVersion: model.version, state: state)
        guard let survey else { return }
        let steps = survey.steps ?? []
        version = survey.version
        versions = survey.versions
        `class` = steps.map(\.kind).max()?.rawValue
        losesData = steps.contains(where: \.losesData)
        codeSteps = steps.compactMap(\.code)
        history = survey.history?.words
        differences = survey.differences.map(Difference.init)
        repair = survey.differences.repairWords
        inTheWay = survey.externalObjects.map(ExternalObject.init)
    }

    /// Makes a report of a store that the program cannot open.
    package convenience init(store: String, of model: Model, refusedFor error: MigrationError) {
        self.init(
            store: store, model: model.name, programVersion: model.version, state: .refused)
        version = error.storeVersion
        problem = error.description
        if case .unknownVersion = error { isOfUnknownVersion = true }
    }

    package var members: ReportValue {
        .object([
            "store": .text(store), "model": .text(model), "programVersion": .text(programVersion),
            "state": .text(state.rawValue), "version": .text(version),
            "versions": .texts(versions), "class": .text(self.class),
            "losesData": .flag(losesData), "codeSteps": .texts(codeSteps),
            "history": .text(history), "differences": .list(differences.map(\.members)),
            "repair": .text(repair), "inTheWay": .list(inTheWay.map(\.members)),
            "problem": .text(problem),
        ])
    }

    package var text: String {
        let words =
            switch state {
            case .none: "there is no store yet"
            case .current: "current: version \(programVersion) of \(model)"
            case .outdated:
                "version \(programVersion) of \(model); checks, defaults or indexes will be "
                    + "brought up to date"
            case .behind: "behind: version \(version ?? "?"), the program has \(programVersion)"
            case .refused: "cannot be opened"
            }
        let count = max(0, versions.count - 1).counted("migration")
        return ReportText.list(
            [
                ("Store", store), ("State", words),
                ("Way", state == .behind ? "\(ReportText.path(versions)) (\(count))" : nil),
                ("Why", state == .refused ? problem ?? "unknown" : nil),
                ("Class", `class`.flatMap(MigrationKind.init)?.words(losesData: losesData)),
                ("Code", codeSteps.isEmpty ? nil : codeSteps.joined(separator: ", ")),
            ]
                + StatusReport.entries(
                    history: history, differences: differences, repair: repair, inTheWay: inTheWay))
    }

    /// The further entries about a store.
    static func entries(
        history: String?, differences: [Difference], repair: String?, inTheWay: [ExternalObject]
    ) -> [(label: String, value: String?)] {
        let names = differences.isEmpty ? nil : Difference.list(differences)
        return [
            ("History", history), ("Changed", names.map { "by another program: \($0)" }),
            ("Repair", repair),
        ] + inTheWay.map { ("In the way", $0.words) }
    }
}

extension StatusReport.Difference {
    init(_ difference: StoreDifference) {
        self.init(
            name: difference.name, kind: difference.kind.rawValue,
            parts: difference.parts.map {
                Part(name: $0.name, kind: $0.kind.rawValue, values: $0.values)
            },
            obstacles: difference.obstacles, words: difference.description)
    }

    /// A description of several differences, for a person.
    static func list(_ differences: [Self]) -> String {
        differences.map(\.words).joined(separator: ", ")
    }
}

extension MigrationError {
    /// The version of the store in the error, if it names one.
    fileprivate var storeVersion: String? {
        switch self {
        case .newerVersion(let store, _), .unknownVersion(let store, _, _),
            .migrationIsOff(let store, _), .noWayBack(let store, _):
            store
        case .otherDraft(let draft): draft.version
        default: nil
        }
    }
}

/// The effects of a migration of a store, before it runs.
package struct PlanReport: MigrationReport {
    /// A step of the migration.
    package struct Step: Sendable {
        /// A description of the step.
        package let summary: String
        /// The class of the step.
        package let `class`: String
        /// Whether data is deleted or becomes less exact.
        package let losesData: Bool
        /// The program's own step that runs in it.
        package let code: String?
        /// The number of statements.
        package let statements: Int
        /// The estimated number of rows that it writes.
        package let rows: Int
    }

    /// The store's path.
    package let store: String
    /// The versions of the migration; empty if there is nothing to do.
    package let versions: [String]
    /// The class of the step with the greatest effect.
    package let `class`: String?
    /// Whether data is deleted or becomes less exact in a step.
    package let losesData: Bool
    /// The steps in order.
    package let steps: [Step]
    /// The estimated total number of rows that are written.
    package let rows: Int
    /// The size of the store in bytes.
    package let storeSize: Int
    /// The number of bytes that should be free on the disk.
    package let bytesNeeded: Int
    /// The number of bytes that are free on the disk.
    package let freeSpace: Int?
    /// Whether a copy of the store is made first.
    package let makesBackup: Bool
    /// The changes of another program.
    package let differences: [StatusReport.Difference]
    /// A description of the repair of these changes.
    package let repair: String?
    /// Tables, triggers and views of other programs that prevent the migration.
    package let inTheWay: [StatusReport.ExternalObject]
    /// A description of the effect on the store's history; nil if it has none.
    package let history: String?
    /// The tables that are rewritten.
    package let rewrittenTables: [String]
    /// The locks on tables for which other users wait.
    package let locks: [MigrationForecast.Lock]
    /// The transactions for which the migration waits.
    package let openTransactions: [MigrationForecast.OpenTransaction]
    /// Whether the store is on a server.
    package let isOnServer: Bool

    /// Creates a report of a runner's forecast; nil if there is nothing to do.
    package init(store: String, _ forecast: MigrationForecast?, isOnServer: Bool = false) {
        self.store = store
        self.isOnServer = isOnServer
        rewrittenTables = forecast?.rewrittenTables ?? []
        locks = forecast?.locks ?? []
        openTransactions = forecast?.openTransactions ?? []
        versions = forecast?.versions ?? []
        `class` = forecast?.kind.rawValue
        losesData = forecast?.steps.contains(where: \.losesData) ?? false
        steps = (forecast?.steps ?? []).map { step in
            Step(
                summary: step.summary, class: step.kind.rawValue, losesData: step.losesData,
                code: step.code, statements: step.statements, rows: step.rows)
        }
        rows = forecast?.rows ?? 0
        storeSize = forecast?.storeSize ?? 0
        bytesNeeded = forecast?.bytesNeeded ?? 0
        freeSpace = forecast?.freeSpace
        makesBackup = forecast?.makesBackup ?? false
        differences = (forecast?.differences ?? []).map(StatusReport.Difference.init)
        repair = forecast?.differences.repairWords
        inTheWay = (forecast?.externalObjects ?? []).map(StatusReport.ExternalObject.init)
        history = forecast?.history?.words
    }

    /// Whether a program, and `apply`, would reject the store in its current state. The reason is a
    /// change by another program: it changed the model's tables, or added something that prevents
    /// the migration.
    package func isRefused(_ policy: DriftPolicy) -> Bool {
        let changed = differences.filter { $0.kind != StoreDifference.Kind.external.rawValue }
        return switch policy {
        case _ where !inTheWay.isEmpty: true
        case .refuse: !changed.isEmpty
        case .repair: changed.contains { !$0.obstacles.isEmpty }
        // The differences alone do not show it.
        case .report: false
        }
    }

    package var members: ReportValue {
        .object([
            "store": .text(store), "versions": .texts(versions), "class": .text(self.class),
            "losesData": .flag(losesData),
            "steps": .list(
                steps.map { step in
                    .object([
                        "summary": .text(step.summary), "class": .text(step.class),
                        "losesData": .flag(step.losesData), "code": .text(step.code),
                        "statements": .number(step.statements), "rows": .number(step.rows),
                    ])
                }),
            "rows": .number(rows), "storeSize": .number(storeSize),
            "bytesNeeded": .number(bytesNeeded), "freeSpace": .number(freeSpace),
            "makesBackup": .flag(makesBackup),
            "differences": .list(differences.map(\.members)), "repair": .text(repair),
            "inTheWay": .list(inTheWay.map(\.members)), "history": .text(history),
            "rewrittenTables": .texts(rewrittenTables),
            "locks": .list(
                locks.map { lock in
                    .object([
                        "table": .text(lock.table), "mode": .text(lock.mode),
                        "stopsReaders": .flag(lock.stopsReaders),
                    ])
                }),
            "openTransactions": .list(
                openTransactions.map { transaction in
                    .object([
                        "program": .text(transaction.program),
                        "seconds": .number(transaction.seconds),
                    ])
                }),
        ])
    }

    /// The additional entries of a plan for a server.
    private var serverEntries: [(label: String, value: String?)] {
        guard isOnServer else { return [] }
        func list(_ label: String, _ texts: [String]) -> [(label: String, value: String?)] {
            texts.enumerated().map { ($0.offset == 0 ? label : "", $0.element) }
        }
        let others = locks.map { lock in
            "\(lock.mode) on \(lock.table): "
                + (lock.stopsReaders
                    ? "stops readers and writers" : "stops writers, others can read")
        }
        return [
            ("Rewritten", rewrittenTables.isEmpty ? nil : rewrittenTables.joined(separator: ", "))
        ] + list("Locks", others.isEmpty ? ["none that others wait for"] : others) + [
            (
                "Waits for",
                openTransactions.isEmpty ? "nobody at the moment" : openTransactions.words
            )
        ]
    }

    package var text: String {
        guard !versions.isEmpty else { return "Nothing to migrate: \(store)\n" }
        var text = "\(store): \(ReportText.path(versions))\n"
        for (number, step) in steps.enumerated() {
            text += "\(number + 1). \(step.summary)\n   "
            var facts = [MigrationKind(rawValue: step.class)?.words ?? step.class]
            facts.append("about \(step.rows.counted("row"))")
            if step.losesData { facts.append("loses data") }
            if let code = step.code { facts.append("runs \(code) of the program") }
            text += facts.joined(separator: ", ") + "\n"
        }
        if steps.isEmpty { text += "Bring checks, defaults and indexes up to date\n" }
        let free = freeSpace.map { ", \(ReportText.bytes($0)) free" } ?? ""
        let isTight = freeSpace.map { $0 < bytesNeeded } ?? false
        let disk =
            "\(ReportText.bytes(bytesNeeded)) needed\(free)"
            + (isTight ? ": too little, make room first" : "")
        return text
            + ReportText.list(
                [
                    ("Rows", "about \(rows) to write"),
                    ("Class", `class`.flatMap(MigrationKind.init)?.words(losesData: losesData)),
                    ("Store", ReportText.bytes(storeSize)), ("Disk", disk),
                    (
                        "Backup",
                        !makesBackup
                            ? "none needed"
                            : isOnServer
                                ? "copies of tables, made first in a schema of their own"
                                : "made first, beside the store"
                    ),
                ] + serverEntries
                    + StatusReport.entries(
                        history: history, differences: differences, repair: repair,
                        inTheWay: inTheWay))
    }
}
