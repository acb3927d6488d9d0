import CambiumMigration
import CambiumModel
import CambiumSQL

/// The result of a migration of a store.
package struct ApplyReport: MigrationReport {
    /// The outcome, under its name in reports for programs.
    package enum Outcome: String, Sendable {
        case migrated, refreshed, current, created
    }

    /// The store's path.
    package let store: String
    /// The outcome of the command.
    package let outcome: Outcome
    /// The store's version before.
    package var from: String?
    /// The version of the store after the migration.
    package let version: String
    /// The completed steps, in order.
    package var steps: [String] = []
    /// The path of the copy that was made first.
    package var backup: String?
    /// The changes of another program. With the outcome `refreshed` or `migrated`, they are
    /// repaired now.
    package let differences: [StatusReport.Difference]
    /// A description of the repair of these changes; nil if there was none.
    package let repair: String?
    /// A description of the effect on the store's history; nil if it has none.
    package let history: String?
    /// The duration.
    package let seconds: Double
    /// Whether the store is on a server. If so, `backup` is the schema of the copies of tables.
    package var isOnServer = false

    /// Creates a report of the effects of opening a store.
    package init(
        store: String, version: String, _ outcome: MigrationOutcome,
        differences: [StatusReport.Difference] = [], repair: String? = nil,
        history: String? = nil, seconds: Double
    ) {
        self.history = history
        self.repair = repair
        self.store = store
        self.version = version
        self.differences = differences
        self.seconds = seconds
        switch outcome {
        case .created: self.outcome = .created
        case .current: self.outcome = .current
        case .refreshed(let copy):
            self.outcome = .refreshed
            backup = copy
        case .migrated(let from, _, let done, let copy):
            self.outcome = .migrated
            self.from = from
            steps = done.map(\.summary)
            backup = copy
        }
    }

    package var members: ReportValue {
        .object([
            "store": .text(store), "outcome": .text(outcome.rawValue), "from": .text(from),
            "version": .text(version), "steps": .texts(steps), "backup": .text(backup),
            "differences": .list(differences.map(\.members)), "repair": .text(repair),
            "history": .text(history), "seconds": .fraction(seconds),
        ])
    }

    package var text: String {
        let time = ReportText.seconds(seconds)
        var text =
            switch outcome {
            case .migrated:
                "\(store): migrated from version \(from ?? "?") to \(version), "
                    + "\(steps.count.counted("step")) in \(time)\n"
            case .refreshed:
                "\(store): checks, defaults or indexes brought up to date in \(time)\n"
            case .created: "\(store): made, version \(version)\n"
            case .current: "\(store): nothing to do, it has version \(version)\n"
            }
        if !differences.isEmpty {
            text += "Another program had changed: \(StatusReport.Difference.list(differences))"
            text += outcome == .current ? "; it was left as it is\n" : "\n"
        }
        if let repair { text += "Repair: \(repair)\n" }
        if let history { text += "The history \(history)\n" }
        if let backup {
            text +=
                isOnServer
                ? "Backup of the tables: the schema \(backup)\n"
                : "Backup of the store: \(backup)\n"
        }
        return text
    }
}

/// The result of a migration of a copy of a store. The store itself was only read.
package struct RehearsalReport: MigrationReport {
    /// A table before and after.
    package struct Table: Sendable {
        /// The name of the table.
        package let name: String
        /// The number of its rows before; nil if it is new.
        package let before: Int?
        /// The number of its rows afterwards; nil if it was deleted.
        package let after: Int?
    }

    /// The store's path.
    package let store: String
    /// The versions of the migration; empty if there was nothing to do.
    package let versions: [String]
    /// The class of the gravest step.
    package let `class`: String?
    /// The tables, by name.
    package let tables: [Table]
    /// The number of bytes of the copy before and after the migration.
    package let sizeBefore: Int
    package let sizeAfter: Int
    /// The duration of the migration without the copy.
    package let seconds: Double
    /// The reason why the migration failed; nil if it did not.
    package let failure: String?

    /// Makes a report.
    ///
    /// - Parameters:
    ///   - before: The number of rows in each table before.
    ///   - after: The number of rows in each table afterwards.
    package init(
        store: String, versions: [String], class: String?, before: [String: Int],
        after: [String: Int], sizeBefore: Int, sizeAfter: Int, seconds: Double, failure: String?
    ) {
        self.store = store
        self.versions = versions
        self.class = `class`
        tables = Set(before.keys).union(after.keys).sorted()
            .map { Table(name: $0, before: before[$0], after: after[$0]) }
        self.sizeBefore = sizeBefore
        self.sizeAfter = sizeAfter
        self.seconds = seconds
        self.failure = failure
    }

    package var members: ReportValue {
        .object([
            "store": .text(store), "versions": .texts(versions), "class": .text(self.class),
            "tables": .list(
                tables.map { table in
                    .object([
                        "name": .text(table.name), "before": .number(table.before),
                        "after": .number(table.after),
                    ])
                }),
            "sizeBefore": .number(sizeBefore), "sizeAfter": .number(sizeAfter),
            "seconds": .fraction(seconds), "failure": .text(failure),
        ])
    }

    package var text: String {
        guard failure == nil else {
            return "\(store): the migration of a copy failed after \(ReportText.seconds(seconds))\n"
                + "error: \(failure ?? "").\n"
        }
        guard !versions.isEmpty else { return "Nothing to rehearse: \(store)\n" }
        let changed = tables.filter { $0.before != $0.after }
        let table = ReportText.table(
            ["Table", "Rows before", "Rows after"],
            changed.map {
                [$0.name, $0.before.map(String.init) ?? "", $0.after.map(String.init) ?? ""]
            })
        let same = tables.count - changed.count
        let others = changed.isEmpty ? "Tables" : "Others"
        return
            "\(store): \(ReportText.path(versions)): a copy was migrated, the store was only read\n"
            + (changed.isEmpty ? "" : table)
            + ReportText.list([
                (others, "\(same.counted("table")) with as many rows as before"),
                ("Time", "\(ReportText.seconds(seconds)), without the copying"),
                (
                    "Size",
                    "\(ReportText.bytes(sizeBefore)) before, \(ReportText.bytes(sizeAfter)) after"
                ),
            ])
    }
}
