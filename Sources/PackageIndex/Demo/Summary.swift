import Cambium
import PackagesModel

/// The summary at the end.
@MainActor
package struct Summary {
    let report: ImportReport
    let store: DemoStore
    package let figures: Figures
    /// Whether the store was empty before, so that all its content is from the list.
    package let isOfNewStore: Bool

    init(
        of report: ImportReport, _ container: PersistentContainer, importTime: Duration,
        totalTime: Duration, _ store: DemoStore
    ) throws {
        self.report = report
        self.store = store
        if case .created = container.migration { isOfNewStore = true } else { isOfNewStore = false }
        let context = container.viewContext
        figures = Figures(
            store: store.name, packages: try context.count(for: Package.fetchRequest()),
            edges: try context.count(for: Dependency.fetchRequest()),
            sections: try context.count(for: Section.fetchRequest()),
            maintainers: try context.count(for: Maintainer.fetchRequest()),
            refused: report.refused.count, importTime: importTime, totalTime: totalTime)
    }

    var lines: [String] {
        var lines = [
            "list: \(counted(report.read, "package")), of which \(grouped(report.imported))"
                + " imported (\(grouped(report.inserted)) new, \(grouped(report.updated)) updated,"
                + " \(grouped(report.unchanged)) as before) and \(grouped(report.refused.count))"
                + " refused",
            "edges: \(grouped(report.edges)) of the list, \(grouped(report.resolvedEdges)) of them"
                + " to a package of the store; \(grouped(report.changedEdges)) written",
            "store: \(counted(figures.packages, "package")), \(counted(figures.edges, "edge")),"
                + " \(counted(figures.sections, "section")),"
                + " \(counted(figures.maintainers, "maintainer"))",
            "time: import \(formatted(figures.importTime)), all \(formatted(figures.totalTime))",
        ]
        if let path = store.path, let size = store.size {
            lines.append("size: \(formatted(bytes: size)) in \(path)")
        }
        if report.otherStanzas > 0 {
            lines.insert(
                "list: \(counted(report.otherStanzas, "stanza")) without the field 'Package'"
                    + " passed over", at: 1)
        }
        if !report.hasChanges { lines.append("nothing was written: the store was up to date") }
        return lines
    }
}

/// The content of a store at the end of a run, and the times that the run took.
package struct Figures: Sendable {
    let store: String
    let packages: Int
    let edges: Int
    let sections: Int
    let maintainers: Int
    let refused: Int
    let importTime: Duration
    let totalTime: Duration

    /// The counts that are the same in all stores.
    package var counts: [Int] { [packages, edges, sections, maintainers, refused] }

    private var texts: [String] {
        counts.map(grouped) + [formatted(importTime), formatted(totalTime)]
    }

    private static let names = [
        "packages", "edges", "sections", "maintainers", "refused", "import", "all",
    ]

    /// A table of these and others.
    package func lines(beside others: Figures) -> [String] {
        func line(_ name: String, _ columns: [String]) -> String {
            name.padded(to: 20) + columns.map { $0.padded(to: 14, atStart: true) }.joined()
        }
        return [line("", [others.store, store])]
            + Self.names.indices.map { line(Self.names[$0], [others.texts[$0], texts[$0]]) }
    }
}

extension String {
    fileprivate func padded(to width: Int, atStart: Bool = false) -> String {
        let space = String(repeating: " ", count: max(0, width - count))
        return atStart ? space + self : self + space
    }
}
