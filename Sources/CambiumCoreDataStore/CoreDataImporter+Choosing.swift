import CambiumMigration
import CambiumModel
import CambiumSQL
import CambiumSQLite

// Chooses between several versions that fit a store equally well.
extension CoreDataImporter {
    /// Imports the store as the first version that loses no row, link or value. If each loses some,
    /// it takes the one that loses the fewest. Versions with migrations to the target version come
    /// first, and among them the ones with migrations that change the least data.
    ///
    /// - Parameter place: The place of the new store; nil for a plan.
    func importStore(
        as match: VersionFinder.Match, in place: NewStore?
    ) throws -> CoreDataImportReport {
        let meter = ImportMeter(progress: progress, isCancelled: isCancelled)
        do {
            let candidates = byWay(
                try inForm(of: [match] + match.others.filter(isReachable).map(match.taking)))
            var losses: [Int] = []
            for candidate in candidates {
                let (run, report) = try copy(as: candidate, place, meter)
                losses.append(report.losses)
                if report.losses == 0 || candidates.count == 1 {
                    return try finish(run, candidate, report)
                }
            }
            let least = losses.firstIndex(of: losses.min() ?? 0) ?? 0
            let (run, report) = try copy(as: candidates[least], place, meter)
            return try finish(run, candidates[least], report)
        } catch let error as SQLiteError {
            throw meaning(of: error, place)
        }
    }

    private func copy(
        as match: VersionFinder.Match, _ place: NewStore?, _ meter: ImportMeter
    ) throws -> (CoreDataImportRun, CoreDataImportReport) {
        // The file of another version.
        place?.remove()
        var report = report(of: match)
        report.choice = match.choice
        let run = try CoreDataImportRun(store, match.layout, place, meter)
        try run.copy(&report)
        return (run, report)
    }

    private func finish(
        _ run: CoreDataImportRun, _ match: VersionFinder.Match, _ report: CoreDataImportReport
    ) throws -> CoreDataImportReport {
        var report = report
        let migrationPath = match.migrationPath ?? migrationPaths(from: [match.layout.model])[0]
        try run.migrate(&report, along: migrationPath, identities: identities)
        try store.file.requireUnchanged()
        return report
    }

    /// The versions by the number of changes that their migrations make to the data. If two are
    /// equal, the older one comes first.
    private func byWay(_ candidates: [VersionFinder.Match]) -> [VersionFinder.Match] {
        guard candidates.count > 1 else { return candidates }
        let models = candidates.map(\.layout.model)
        let migrationPaths = migrationPaths(from: models)
        var known: [String: Int] = [:]
        let weights = zip(models, migrationPaths).map { model, migrationPath in
            migrates
                ? (isBlocked: migrationPath.blocker != nil, changes: migrationPath.weight(&known))
                : weightOfOpening(model)
        }
        func isBefore(_ one: Int, _ other: Int) -> Bool {
            (weights[one].isBlocked ? 1 : 0, weights[one].changes, one)
                < (weights[other].isBlocked ? 1 : 0, weights[other].changes, other)
        }
        let order = candidates.indices.sorted(by: isBefore)
        return order.map { index in
            var candidate = candidates[index]
            candidate.migrationPath = migrationPaths[index]
            let earlier = (0..<index).filter { isBefore(index, $0) }
            guard let first = earlier.first else { return candidate }
            let name = candidates[first].layout.model.version
            candidate.choice =
                weights[first].isBlocked && !weights[index].isBlocked
                ? "no migration starts from '\(name)', which fits as well"
                : "the migrations from '\(name)', which fits as well, change more of the data"
            return candidate
        }
    }

    /// The weight of the migrations that a program runs when it opens the store later, by their
    /// steps alone.
    private func weightOfOpening(_ model: Model) -> (isBlocked: Bool, changes: Int) {
        guard model.version != current else { return (false, 0) }
        let migrations = steps(model.version, current).migrations
        guard let first = migrations.firstIndex(where: { $0.from == model.version }) else {
            return (true, 0)
        }
        return (false, migrations[first...].reduce(0) { $0 + $1.steps.count(where: \.losesData) })
    }

    /// Leaves out versions that store bytes in another form than the store, unless all do. The form
    /// may have a first byte that says whether the value is in a file.
    private func inForm(
        of candidates: [VersionFinder.Match]
    ) throws(SQLiteError) -> [VersionFinder.Match] {
        guard candidates.count > 1 else { return candidates }
        let forms = candidates.map(\.layout.dataColumns)
        let columns = Set(forms.flatMap(\.keys)).filter { column in
            Set(forms.compactMap { $0[column] }).count > 1
        }
        guard !columns.isEmpty else { return candidates }
        let connection = try Connection(
            path: store.file.uri, mode: .readWrite, settings: SourceFile.settings)
        var fitting = candidates
        for column in columns {
            guard let row = try connection.rows(column.formCounts).first, row[0] != .integer(0)
            else { continue }
            let hasForm = row[0] == row[1]
            fitting.removeAll { $0.layout.dataColumns[column].map { $0 != hasForm } ?? false }
        }
        return fitting.isEmpty ? candidates : fitting
    }

    /// Whether a chain of migrations exists from a version to the target version.
    private func isReachable(_ layout: CoreDataLayout) -> Bool {
        let names = versions.map(\.version)
        guard let start = names.firstIndex(of: layout.model.version),
            let end = names.firstIndex(of: migrates ? target ?? current : current)
        else { return true }
        return start <= end
    }

    /// Converts an error of SQLite. A full disk concerns the new store, damaged pages the old one.
    private func meaning(of error: SQLiteError, _ place: NewStore?) -> CoreDataImportError {
        // SQLite reports a value as too big if its length is damaged.
        let damaged: Set<Int32> = [11, 18, 26]
        let interrupted: Int32 = 9
        if error.primaryCode == interrupted { return .cancelled }
        return damaged.contains(error.primaryCode)
            ? CoreDataStore.meaning(of: error, store.path)
            : .cannotWrite(path: place?.path ?? "A temporary file", reason: error.message)
    }
}
