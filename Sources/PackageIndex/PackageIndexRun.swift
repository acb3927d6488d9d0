import Cambium
import PackagesModel

/// One run of the program: its stages, in order.
@MainActor
package struct PackageIndexRun {
    private let list: PackageList
    private let store: DemoStore
    private let terminal: Terminal

    package init(_ arguments: Arguments, _ store: DemoStore, _ terminal: Terminal) {
        self.terminal = terminal
        self.store = store
        list = PackageList(path: arguments.input)
    }

    @discardableResult
    package func run() async throws -> Summary {
        let clock = ContinuousClock()
        let start = clock.now
        terminal.event("list: \(list.name)")
        let container = try await openContainer()
        let live = try LiveList(in: container.viewContext, terminal)
        defer { live.stop() }

        let importStart = clock.now
        let report = try await importList(into: container)
        let importTime = clock.now - importStart
        await follow(container, live)
        terminal.event("live list: the greatest sections are \(live.greatestSections(5))")

        if report.hasChanges {
            try await showLaterChanges(in: container, live, terminal)
            try ConflictDemo(container: container, terminal: terminal).run()
            await follow(container, live)
        } else {
            terminal.event("no later changes and no conflict: they would write to the store")
        }

        let summary = try Summary(
            of: report, container, importTime: importTime,
            totalTime: clock.now - start, store)
        for line in summary.lines { terminal.event(line) }
        return summary
    }

    /// Opens the store. If there is none, the first release creates one to start from.
    private func openContainer() async throws -> PersistentContainer {
        if let path = store.path, !FileManager.default.fileExists(atPath: path) {
            let names = try await makeFirstRelease(at: path, with: try firstRecords())
            terminal.event(
                "store: made with version 1 of the model: \(names.joined(separator: ", "))")
        }
        let clock = ContinuousClock()
        let start = clock.now
        let container = try PersistentContainer(model: Packages.model, at: store.location)
        if case .migrated(let from, let to, let steps, let backup) = container.migration {
            for step in steps { terminal.event("store: \(step.summary)") }
            terminal.event(
                "store: migrated from version \(from) to \(to) in \(formatted(clock.now - start))"
                    + (backup.map { "; before that, a copy was made at \($0)" } ?? ""))
        }
        return container
    }

    /// A few packages of the list that version 1 accepts.
    private func firstRecords() throws -> [PackageRecord] {
        var records: [PackageKey: PackageRecord] = [:]
        try list.forEachStanza { stanza in
            if let record = try? PackageRecord(stanza), record.isPlain {
                records[record.key] = record
            }
            return records.count < 5
        }
        return records.values.sorted { $0.line < $1.line }
    }

    private func importList(into container: PersistentContainer) async throws -> ImportReport {
        let (list, terminal) = (list, terminal)
        return try await container.performBackgroundTask { context in
            let importer = try PackageImporter(context) { event in
                switch event {
                case .packages(let count):
                    terminal.progress("import: \(counted(count, "package"))")
                case .edges(let done, let total):
                    terminal.progress("import: \(grouped(done)) of \(counted(total, "edge"))")
                case .refused(let refusal):
                    terminal.event(
                        "refused: line \(refusal.line): \(refusal.package): \(refusal.reason)")
                }
            }
            try importer.run(list)
            return importer.report
        }
    }
}

extension PackageRecord {
    /// Whether every version of the model accepts the package.
    fileprivate var isPlain: Bool {
        key.name.wholeMatch(of: /[a-z0-9][a-z0-9+.\-]+/) != nil && !isEssential
            && installedSize >= 0 && (downloadSize ?? 0) >= 0
            && key.version.wholeMatch(of: /([0-9]+:)?[0-9A-Za-z][0-9A-Za-z.+~\-]*/) != nil
    }
}
