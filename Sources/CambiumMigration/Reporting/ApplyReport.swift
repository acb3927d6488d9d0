/// What a migration of a store did.
package struct ApplyReport: MigrationReport, Hashable {
    /// What was done, as reports for programs call it.
    package enum Outcome: String, Encodable, Sendable, Hashable {
        case migrated, refreshed, current, created
    }

    /// The store's path.
    package let store: String
    /// What was done.
    package let outcome: Outcome
    /// The store's version before.
    package var from: String?
    /// Its version now.
    package let version: String
    /// What was done, in order.
    package var steps: [String] = []
    /// The path of the copy that was made first.
    package var backup: String?
    /// What another program had changed: with the outcome `refreshed` or `migrated` it is as it
    /// should be now.
    package let differences: [StatusReport.Difference]
    /// What the repair of that did, in words; nil where there was none.
    package let repair: String?
    /// What became of the store's history, in words; nil where it has none.
    package let history: String?
    /// How long it took.
    package let seconds: Double

    /// Makes a report of what opening a store did to it.
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

    package var text: String {
        let time = ReportText.seconds(seconds)
        var text =
            switch outcome {
            case .migrated:
                "\(store): migrated from version \(from ?? "?") to \(version), "
                    + "\(ReportText.count(steps.count, "step")) in \(time)\n"
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
        if let backup { text += "The store as it was: \(backup)\n" }
        return text
    }
}
