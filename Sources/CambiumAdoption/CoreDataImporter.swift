import CambiumMigration
import CambiumModel
import CambiumSQL
import CambiumSQLite

/// Makes a store of Cambium's out of one that Core Data wrote.
///
/// The new store is made under another name and gets its own when it is whole, so that it is there
/// completely or not at all.
package struct CoreDataImporter {
    /// What becomes of the key of an object.
    package struct Identity: Hashable {
        /// The entity in the version that wrote the store.
        package let oldEntity: String
        /// The key in the store, `Z_PK`.
        package let oldKey: Int64
        /// The entity in the new store; nil where the migration took the object away.
        package let newEntity: String?
        /// The key in the new store.
        package let newKey: Int64?
    }

    /// The store that Core Data wrote.
    package let store: CoreDataStore
    /// All versions of the model, the oldest first.
    package let versions: [Model]
    /// The name of the program's version.
    package let current: String
    /// Gives the steps from one version to another, by their names, and why none starts from a
    /// version.
    package let steps: (_ first: String, _ last: String) -> Steps
    /// The name of the version that wrote the store, where somebody knows it.
    package var writtenBy: String?
    /// The hashes of the versions, where somebody has them.
    package var hashes: VersionHashes?
    /// The name of the version that the new store is to have; nil is the last one.
    package var target: String?
    /// Whether the new store is migrated at all; if not, it has the version that wrote the store.
    package var migrates = true
    /// Told how far it is.
    package var progress: (CoreDataImportProgress) -> Void = { _ in }
    /// Asked before each statement, and while a long one runs; true ends the import.
    package var isCancelled: () -> Bool = { Task.isCancelled }
    /// Told what became of the key of each object; nil where nobody wants to know.
    package var identities: ((Identity) throws -> Void)?

    /// Steps from one version to another.
    package struct Steps {
        let migrations: [Migration]
        let targets: [Model]
        let obstacles: [String: String]

        /// - Parameters:
        ///   - targets: The versions that they lead to, with all declared that the steps do; a
        ///     version that is not among them declares it itself.
        ///   - obstacles: Why no step starts from a version, by its name.
        package init(
            migrations: [Migration], targets: [Model] = [], obstacles: [String: String] = [:]
        ) {
            self.migrations = migrations
            self.targets = targets
            self.obstacles = obstacles
        }
    }

    /// Prepares an import.
    package init(
        _ store: CoreDataStore, versions: [Model], current: String,
        steps: @escaping (_ first: String, _ last: String) -> Steps
    ) {
        self.store = store
        self.versions = versions
        self.current = current
        self.steps = steps
    }

    /// What an import would do: the whole of it, in a store that nobody sees and that is gone at
    /// the end. It takes as long, and as much room among the temporary files.
    ///
    /// - Throws: ``CoreDataImportError`` where it could not do it.
    package func plan() throws -> CoreDataImportReport { try adopt(in: try match(), nil) }

    /// Makes the new store.
    ///
    /// - Throws: ``CoreDataImportError``; there is nothing there then.
    package func run(in place: NewStore) throws -> CoreDataImportReport {
        let match = try match()
        try CoreDataImportError.making { () throws(NewStoreError) in try place.prepare() }
        do {
            var report = try adopt(in: match, place)
            try CoreDataImportError.making { () throws(NewStoreError) in try place.finish() }
            report.destination = place.path
            return report
        } catch {
            place.remove()
            throw error
        }
    }

    /// The steps that are to be taken from each of some versions, the oldest first.
    func ways(from models: [Model]) -> [MigrationWay] {
        let names = versions.map(\.version)
        // What leads on from the oldest leads on from the others.
        var known: [String: Steps] = [:]
        return models.map { model in
            let end = migrates ? target ?? current : model.version
            if let first = names.firstIndex(of: model.version),
                let last = names.firstIndex(of: end), last < first
            {
                return MigrationWay(at: model, tooLateFor: end)
            }
            if end == model.version {
                return MigrationWay(from: model, to: end, versions: versions, Steps(migrations: []))
            }
            let steps = known[end] ?? steps(model.version, end)
            known[end] = steps
            return MigrationWay(from: model, to: end, versions: versions, steps)
        }
    }

    static let settings: ConnectionSettings = {
        var settings = ConnectionSettings()
        settings.allowsURIs = true
        return settings
    }()

    private func match() throws(CoreDataImportError) -> VersionFinder.Match {
        let match = try VersionFinder(store: store, versions: versions, hashes: hashes)
            .match(forced: writtenBy)
        let names = versions.map(\.version)
        guard let target else { return match }
        guard let end = names.firstIndex(of: target) else {
            throw .noSuchVersion(target, known: names)
        }
        let writer = match.layout.model.version
        if let start = names.firstIndex(of: writer), end < start {
            throw .versionIsEarlier(target, than: writer)
        }
        return match
    }

    func report(of match: VersionFinder.Match) -> CoreDataImportReport {
        let model = match.layout.model
        var report = CoreDataImportReport(
            store: store.path, destination: nil, model: model.name, writtenBy: model.version,
            version: model.version, current: current,
            foundBy: match.evidence.rawValue, alsoFits: match.alsoFits,
            differences: match.layout.differences, formerNames: match.layout.formerNames)
        report.remarks = [match.remark].compactMap(\.self) + match.layout.remarks
        return report
    }
}
