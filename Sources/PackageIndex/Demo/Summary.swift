import Cambium
import PackagesModel

/// What is said at the end.
@MainActor
struct Summary {
    let list: PackageList
    let report: ImportReport
    let store: String
    let importTime: Duration
    let totalTime: Duration

    /// The lines, with what the store itself counts.
    func lines(_ context: ManagedObjectContext) throws -> [String] {
        let packages = try context.count(for: Package.fetchRequest())
        let edges = try context.count(for: Dependency.fetchRequest())
        let sections = try context.count(for: Section.fetchRequest())
        let maintainers = try context.count(for: Maintainer.fetchRequest())
        var lines = [
            "list: \(counted(report.read, "package")), of which \(grouped(report.imported))"
                + " imported (\(grouped(report.inserted)) new, \(grouped(report.updated)) updated,"
                + " \(grouped(report.unchanged)) as before) and \(grouped(report.refused.count))"
                + " refused",
            "edges: \(grouped(report.edges)) of the list, \(grouped(report.resolvedEdges)) of them"
                + " to a package of the store; \(grouped(report.changedEdges)) written",
            "store: \(counted(packages, "package")), \(counted(edges, "edge")),"
                + " \(counted(sections, "section")), \(counted(maintainers, "maintainer"))",
            "time: import \(formatted(importTime)), all \(formatted(totalTime))",
            "size: \(formatted(bytes: storeSize)) in \(store)",
        ]
        if report.otherStanzas > 0 {
            lines.insert(
                "list: \(counted(report.otherStanzas, "stanza")) without the field 'Package'"
                    + " passed over", at: 1)
        }
        if !report.hasChanges { lines.append("nothing was written: the store was up to date") }
        return lines
    }

    /// The bytes of the store's files.
    private var storeSize: Int {
        storeFiles(store).reduce(0) { sum, path in
            let attributes = try? FileManager.default.attributesOfItem(atPath: path)
            // The type of the number differs between platforms.
            let size = attributes?[.size]
            return sum
                + (size as? Int ?? (size as? any BinaryInteger).map { Int(clamping: $0) } ?? 0)
        }
    }
}

/// The files that make up a SQLite store.
func storeFiles(_ path: String) -> [String] {
    [path, path + "-wal", path + "-shm"]
}
