import CambiumPlan

/// What a migration of a store would do, before it does it.
package struct PlanReport: MigrationReport {
    /// A step of the migration.
    package struct Step: Sendable {
        /// What it does.
        package let summary: String
        /// Its class.
        package let `class`: String
        /// Whether data is deleted or becomes less exact.
        package let losesData: Bool
        /// The program's own step that runs in it.
        package let code: String?
        /// How many statements it has.
        package let statements: Int
        /// How many rows it writes, estimated.
        package let rows: Int
    }

    /// The store's path.
    package let store: String
    /// The versions on the way; empty where there is nothing to do.
    package let versions: [String]
    /// The class of the gravest step.
    package let `class`: String?
    /// Whether data is deleted or becomes less exact in a step.
    package let losesData: Bool
    /// The steps in order.
    package let steps: [Step]
    /// How many rows are written in all, estimated.
    package let rows: Int
    /// How many bytes the store has.
    package let storeSize: Int
    /// How many bytes the disk should have free.
    package let bytesNeeded: Int
    /// How many it has.
    package let freeSpace: Int?
    /// Whether a copy of the store is made first.
    package let makesBackup: Bool
    /// What another program has changed.
    package let differences: [StatusReport.Difference]
    /// What a repair of that would do, in words.
    package let repair: String?
    /// What other programs have put into the store that is in the way of the migration.
    package let inTheWay: [StatusReport.ExternalObject]
    /// What becomes of the store's history, in words; nil where it has none.
    package let history: String?

    /// Makes a report of what a runner forecasts; nil where there is nothing to do.
    package init(store: String, _ forecast: MigrationForecast?) {
        self.store = store
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

    /// Whether a program, and `apply`, would refuse the store as it is: others have changed what is the
    /// model's, or something of theirs is in the way.
    package func isRefused(_ policy: DriftPolicy) -> Bool {
        let changed = differences.filter { $0.kind != StoreDifference.Kind.external.rawValue }
        return switch policy {
        case _ where !inTheWay.isEmpty: true
        case .refuse: !changed.isEmpty
        case .repair: changed.contains { !$0.obstacles.isEmpty }
        // The differences alone do not tell.
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
        ])
    }

    package var text: String {
        guard !versions.isEmpty else { return "Nothing to migrate: \(store)\n" }
        var text = "\(store): \(ReportText.way(versions))\n"
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
                    ("Backup", makesBackup ? "made first, beside the store" : "none needed"),
                ]
                    + StatusReport.entries(
                        history: history, differences: differences, repair: repair,
                        inTheWay: inTheWay))
    }
}
