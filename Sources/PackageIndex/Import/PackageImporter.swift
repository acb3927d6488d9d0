import Cambium
import PackagesModel

/// Imports a package list into a store. New packages are inserted, changed packages are updated,
/// and equal packages are not touched.
///
/// An importer is in the isolation of its context. Objects are found in dictionaries, never by one
/// fetch each, and saved in batches. If a row violates a limit or a rule of the model, the other
/// rows of its batch are saved all the same.
final class PackageImporter {
    let context: ManagedObjectContext
    private(set) var report = ImportReport()

    private let batchSize: Int
    private let notify: (ImportEvent) -> Void
    private var existing: [PackageKey: Package] = [:]
    private var lineOfKey: [PackageKey: Int] = [:]
    private var directory: PackageDirectory
    private var imported: [ImportedPackage] = []
    private var batch: [PackageRecord] = []

    init(
        _ context: ManagedObjectContext, batchSize: Int = 4000,
        notify: @escaping (ImportEvent) -> Void
    ) throws {
        self.context = context
        self.batchSize = batchSize
        self.notify = notify
        directory = try PackageDirectory(context)
        for package in try context.fetch(Package.fetchRequest()) {
            existing[PackageKey(package)] = package
        }
    }

    /// Imports a list: first all packages, then the edges between them, because the target of an
    /// edge may come later in the list.
    func run(_ list: PackageList) throws {
        try list.forEachStanza { stanza in
            try importStanza(stanza)
            return true
        }
        try importBatch()
        var edges = try EdgeImporter(context, imported: imported, existing: existing.values)
        try edges.run { notify(.edges($0, of: $1)) }
        report.edges = edges.total
        report.resolvedEdges = edges.resolved
        report.changedEdges = edges.changed
        report.count(imported, changedEdgesOf: edges.changedPackages)
    }

    private func importStanza(_ stanza: ControlStanza) throws {
        let count = stanza.count(of: "package")
        report.read += count
        if count == 0 { report.otherStanzas += 1 }
        do {
            let record = try PackageRecord(stanza)
            if let line = lineOfKey[record.key] {
                throw RefusalReason(
                    line: record.line, description: "duplicate of the package at line \(line)")
            }
            lineOfKey[record.key] = record.line
            batch.append(record)
        } catch let reason as RefusalReason {
            // A stanza with two names (no empty line between them) is two packages refused.
            for _ in 0..<count {
                refuse(stanza["package"]?.value ?? "", at: reason.line, reason.description)
            }
        }
        if batch.count == batchSize { try importBatch() }
    }

    private func importBatch() throws {
        // New packages are first saved to a store in memory. A rejected package would leave no
        // trace in this store either, except that its key would be used up. Then an import without
        // changes would write to the store.
        let violations = try trial(of: batch.filter { existing[$0.key] == nil })
        var items: [ImportedPackage] = []
        for record in batch {
            if let reason = violations[record.key] {
                refuse(record.key.name, at: record.line, reason)
            } else {
                items.append(importRecord(record))
            }
        }
        batch.removeAll(keepingCapacity: true)
        imported += try save(items)
        notify(.packages(report.read))
    }

    private func importRecord(_ record: PackageRecord) -> ImportedPackage {
        let section = record.section.map { directory.section(named: $0) }
        let maintainer = record.maintainer.map { directory.maintainer($0) }
        if let package = existing[record.key] {
            let isUpdated = package.update(from: record, section: section, maintainer: maintainer)
            return ImportedPackage(package, record, isUpdated ? .updated : .unchanged)
        }
        let package = Package(in: context, record: record)
        _ = package.update(from: record, section: section, maintainer: maintainer)
        return ImportedPackage(package, record, .inserted)
    }

    /// Saves. If the model rejects objects, they are removed and reported, and the rest is saved.
    ///
    /// - Returns: The saved packages.
    private func save(_ items: [ImportedPackage]) throws -> [ImportedPackage] {
        do {
            try context.save()
            return items
        } catch {
            let violations = Violations(error)
            let (good, bad) = items.partitioned { violations[$0.package.objectID] == nil }
            if bad.isEmpty { throw error }  // something else went wrong: saving again cannot help
            for item in bad {
                let reason = violations[item.package.objectID] ?? ""
                refuse(item.record.key.name, at: item.record.line, reason)
                item.withdraw(from: context)
            }
            return try save(good)
        }
    }

    private func refuse(_ package: String, at line: Int, _ reason: String) {
        let refusal = Refusal(line: line, package: package, reason: reason)
        report.refused.append(refusal)
        notify(.refused(refusal))
    }
}

extension ImportReport {
    /// Counts the outcomes of the imported packages.
    fileprivate mutating func count(
        _ imported: [ImportedPackage], changedEdgesOf changed: Set<ObjectID>
    ) {
        for item in imported {
            switch item.outcome {
            case .inserted: inserted += 1
            case .updated: updated += 1
            case .unchanged where changed.contains(item.package.objectID): updated += 1
            case .unchanged: unchanged += 1
            }
        }
    }
}

extension Array {
    /// The elements that meet the condition, and the others.
    fileprivate func partitioned(_ meets: (Element) -> Bool) -> (yes: [Element], no: [Element]) {
        var yes: [Element] = []
        var no: [Element] = []
        for element in self {
            if meets(element) { yes.append(element) } else { no.append(element) }
        }
        return (yes, no)
    }
}
