import Cambium
import PackagesModel

/// A list of all packages in sections, as in a window of a program. It follows the saves of other
/// contexts. On a terminal, a live table shows the largest sections.
@MainActor
final class LiveList {
    private let controller: FetchedResultsController<Package>
    private let terminal: Terminal
    private var shown: [String: Int] = [:]
    private var follower: Task<Void, Never>?

    /// Fetches the list and starts following.
    init(in context: ManagedObjectContext, _ terminal: Terminal) throws {
        self.terminal = terminal
        let request = Package.fetchRequest()
            .sorted(
                by: Package.section.name.ascending, Package.name.ascending,
                Package.version.ascending, Package.architecture.ascending)
        controller = FetchedResultsController(
            request, in: context, sectionedBy: Package.section.name)
        try controller.performFetch()
        shown = counts
        terminal.event("live list: \(total)")
        terminal.table(table)
        let changes = controller.changes
        follower = Task { [weak self] in
            for await _ in changes { self?.report() }
        }
    }

    /// Ends following.
    func stop() {
        follower?.cancel()
        terminal.end()
    }

    /// The sections with most packages, with their numbers.
    func greatestSections(_ number: Int) -> String {
        let greatest = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(number)
        return greatest.map { "\($0.key) \(grouped($0.value))" }.joined(separator: ", ")
    }

    /// Reports the changes of the list since the last report, if there are any.
    func report() {
        let now = counts
        if now == shown { return }
        let names = Set(now.keys).union(shown.keys).filter { now[$0] != shown[$0] }.sorted()
        let differences = names.map { name in
            switch (shown[name], now[name]) {
            case (nil, let new?): "new section \(name) (\(grouped(new)))"
            case (_, nil): "section \(name) was removed"
            case (let old?, let new?): "section \(name) \(grouped(old)) → \(grouped(new))"
            }
        }
        shown = now
        terminal.table(table)
        // An import changes nearly all sections at once; in this case only the totals are shown.
        if differences.count > 3 {
            terminal.progress("live list: \(total)")
        } else {
            terminal.event("live list: \(total): \(differences.joined(separator: ", "))")
        }
    }

    /// The greatest sections and all, each with its number and a bar; nothing while the list is
    /// empty.
    private var table: [String] {
        guard let most = shown.values.max() else { return [] }
        let greatest = shown.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(8)
        let lines = greatest.map { name, count in
            Self.row(name, count) + " " + String(repeating: "▪", count: count * 30 / max(1, most))
        }
        return lines + [Self.row("\(shown.count) sections", shown.values.reduce(0, +))]
    }

    private static func row(_ name: String, _ count: Int) -> String {
        let name = String(name.prefix(20))
        let number = grouped(count)
        return "  " + name + String(repeating: " ", count: 22 - name.count)
            + String(repeating: " ", count: max(0, 10 - number.count)) + number
    }

    private var counts: [String: Int] {
        var counts: [String: Int] = [:]
        for section in controller.sections {
            counts[section.name, default: 0] += section.numberOfObjects
        }
        return counts
    }

    private var total: String {
        let packages = shown.values.reduce(0, +)
        return "\(counted(packages, "package")) in \(counted(shown.count, "section"))"
    }
}
