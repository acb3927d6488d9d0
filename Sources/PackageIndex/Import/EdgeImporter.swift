import Cambium
import PackagesModel

/// Brings the dependency edges of imported packages into the store.
struct EdgeImporter {
    /// The number of edges of the imported packages.
    let total: Int
    /// The number of edges with a target in the store.
    private(set) var resolved = 0
    /// The number of edges that were inserted, changed or deleted.
    private(set) var changed = 0
    /// The packages that have such an edge.
    private(set) var changedPackages: Set<ObjectID> = []

    private let context: ManagedObjectContext
    private let batchSize: Int
    private let imported: [ImportedPackage]
    private var packageByName: [String: Package] = [:]
    private var edgesByPackage: [ObjectID: [Dependency]] = [:]

    /// - Parameter existing: the packages that were in the store before.
    init(
        _ context: ManagedObjectContext, imported: [ImportedPackage],
        existing: some Sequence<Package>, batchSize: Int = 20_000
    ) throws {
        self.context = context
        self.imported = imported
        self.batchSize = batchSize
        total = imported.reduce(0) { $0 + $1.record.dependencies.count }
        // If several packages have the same name, the target of an edge is the first one.
        for item in imported where packageByName[item.record.key.name] == nil {
            packageByName[item.record.key.name] = item.package
        }
        let others = existing.filter { packageByName[$0.name] == nil }
        for package in others.sorted(by: { PackageKey($0) < PackageKey($1) }) {
            if packageByName[package.name] == nil { packageByName[package.name] = package }
        }
        for edge in try context.fetch(Dependency.fetchRequest()) {
            edgesByPackage[edge.dependent.objectID, default: []].append(edge)
        }
    }

    /// Imports the edges. After each save, it calls the closure with the number of imported edges
    /// and the total.
    mutating func run(_ notify: (Int, Int) -> Void) throws {
        var done = 0
        var unsaved = 0
        for item in imported {
            let changes = update(item)
            if changes > 0 { changedPackages.insert(item.package.objectID) }
            changed += changes
            unsaved += changes
            done += item.record.dependencies.count
            if unsaved >= batchSize {
                try context.save()
                unsaved = 0
                notify(done, total)
            }
        }
        try context.save()
        notify(done, total)
    }

    /// Updates the edges of a package from its record, and returns the number of changes.
    private mutating func update(_ item: ImportedPackage) -> Int {
        var stored: [Place: Dependency] = [:]
        for edge in edgesByPackage[item.package.objectID] ?? [] { stored[Place(edge)] = edge }
        var changes = 0
        for record in item.record.dependencies {
            let target = packageByName[record.content.name]
            if target != nil { resolved += 1 }
            if let edge = stored.removeValue(forKey: Place(record)) {
                if edge.update(from: record, target: target) { changes += 1 }
            } else {
                let edge = Dependency(
                    in: context, kind: record.kind, clause: record.clause,
                    alternative: record.alternative, name: record.content.name,
                    dependent: item.package)
                _ = edge.update(from: record, target: target)
                changes += 1
            }
        }
        for edge in stored.values { context.delete(edge) }
        return changes + stored.count
    }

    /// The place of an alternative in the fields of its package.
    private struct Place: Hashable {
        let kind: DependencyKind
        let clause: Int32
        let alternative: Int32

        init(_ edge: Dependency) {
            kind = edge.kind
            clause = edge.clause
            alternative = edge.alternative
        }

        init(_ record: DependencyRecord) {
            kind = record.kind
            clause = record.clause
            alternative = record.alternative
        }
    }
}

extension Dependency {
    /// Sets the values that differ, and returns whether any did.
    fileprivate func update(from record: DependencyRecord, target: Package?) -> Bool {
        let content = record.content
        var isChanged = false
        if name != content.name {
            name = content.name
            isChanged = true
        }
        if constraint != content.constraint {
            constraint = content.constraint
            isChanged = true
        }
        if qualifier != content.qualifier {
            qualifier = content.qualifier
            isChanged = true
        }
        if architectures != content.architectures {
            architectures = content.architectures
            isChanged = true
        }
        if self.target !== target {
            self.target = target
            isChanged = true
        }
        return isChanged
    }
}
