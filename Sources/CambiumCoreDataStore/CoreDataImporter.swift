import CambiumMigration
import CambiumModel
import CambiumSQL
import CambiumSQLite

/// Imports a store that Core Data wrote into a new store of Cambium.
///
/// The new store is written under a temporary name and renamed when it is complete. If the import
/// fails, it leaves no files.
package struct CoreDataImporter {
    /// The store that Core Data wrote.
    package let store: CoreDataStore
    /// All versions of the model, the oldest first.
    package let versions: [Model]
    /// The name of the program's version.
    package let current: String
    /// The steps from one version to another, by their names, and why none starts from a version.
    package let steps: (_ first: String, _ last: String) -> MigrationSteps
    /// The name of the version that wrote the store, if it is known.
    package var writtenBy: String?
    /// The hashes of the versions, if they are known.
    package var hashes: VersionHashes?
    /// The name of the version that the new store is to have; nil is the last one.
    package var target: String?
    /// Whether the new store is migrated at all; if not, it has the version that wrote the store.
    package var migrates = true
    /// Receives the progress.
    package var progress: (CoreDataImportProgress) -> Void = { _ in }
    /// Asked before each statement, and while a long one runs; true ends the import.
    package var isCancelled: () -> Bool = { Task.isCancelled }
    /// Receives the old and the new key of each object.
    package var identities: ((ImportedKey) throws -> Void)?

    /// Prepares an import.
    package init(
        _ store: CoreDataStore, versions: [Model], current: String,
        steps: @escaping (_ first: String, _ last: String) -> MigrationSteps
    ) {
        self.store = store
        self.versions = versions
        self.current = current
        self.steps = steps
    }

    /// Returns a report of an import without making one. It does the complete import into a
    /// temporary store, and deletes it at the end. It therefore takes as much time as the import,
    /// and as much space in the folder for temporary files.
    ///
    /// - Throws: ``CoreDataImportError`` if the import would fail.
    package func plan() throws -> CoreDataImportReport { try importStore(as: try match(), in: nil) }

    /// Creates the new store.
    ///
    /// - Throws: ``CoreDataImportError``. After an error, there is no new file.
    package func run(in place: NewStore) throws -> CoreDataImportReport {
        let match = try match()
        try CoreDataImportError.making { () throws(NewStoreError) in try place.prepare() }
        do {
            var report = try importStore(as: match, in: place)
            try CoreDataImportError.making { () throws(NewStoreError) in try place.finish() }
            report.destination = place.path
            return report
        } catch {
            place.remove()
            throw error
        }
    }

    /// The steps that are to be taken from each of some versions, the oldest first.
    func migrationPaths(from models: [Model]) -> [StoreMigrationPath] {
        let names = versions.map(\.version)
        // Steps from the oldest version serve the others too.
        var known: [String: MigrationSteps] = [:]
        return models.map { model in
            let end = migrates ? target ?? current : model.version
            if let first = names.firstIndex(of: model.version),
                let last = names.firstIndex(of: end), last < first
            {
                return StoreMigrationPath(at: model, tooLateFor: end)
            }
            if end == model.version {
                return StoreMigrationPath(
                    from: model, to: end, versions: versions, MigrationSteps(migrations: []))
            }
            let steps = known[end] ?? steps(model.version, end)
            known[end] = steps
            return StoreMigrationPath(from: model, to: end, versions: versions, steps)
        }
    }

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
