import CambiumEngine
import CambiumMigration

/// What people do with a store on a server by hand: the same as with a store file.
package struct ServerMaintenance {
    private let migrations: any ServerMigrations
    /// The model and the ways to it.
    package let target: ServerTarget
    private let name: String

    /// Prepares for a store.
    ///
    /// - Parameter name: What reports call it.
    package init(
        _ migrations: any ServerMigrations, _ target: ServerTarget, storeAt name: String
    ) {
        (self.migrations, self.target, self.name) = (migrations, target, name)
    }

    /// Whether there is a store.
    ///
    /// - Throws: Where the server cannot be reached. A store that the program cannot open is one.
    package func exists() throws -> Bool {
        do {
            return try migrations.survey(target) != nil
        } catch is MigrationError {
            return true
        }
    }

    /// What the store is to the program. Changes nothing.
    ///
    /// - Throws: Where the server cannot be reached. A store that the program cannot open is no error:
    ///   the report says why.
    package func status() throws -> StatusReport {
        let model = target.model.model
        do {
            return StatusReport(store: name, of: model, try migrations.survey(target))
        } catch let error as MigrationError {
            return StatusReport(store: name, of: model, refusedFor: error)
        }
    }

    /// What a migration would do. Changes nothing.
    ///
    /// - Throws: ``MigrationError`` where the program cannot open the store.
    package func plan() throws -> PlanReport {
        PlanReport(store: name, try migrations.forecast(target), isOnServer: true)
    }

    /// Migrates the store.
    ///
    /// - Parameter progress: Notified of how far it is, on the thread that calls.
    /// - Throws: Why it cannot be migrated; it is as it was.
    package func apply(
        notifying progress: (@Sendable (MigrationProgress) -> Void)? = nil
    ) throws -> ApplyReport {
        let model = target.model.model
        let status = StatusReport(store: name, of: model, try migrations.survey(target))
        var options = StoreOptions()
        options.migrationProgress = progress
        let start = ContinuousClock.now
        let opened = try migrations.opener(target, options).open()
        opened.store.close()
        var report = ApplyReport(
            store: name, version: model.version, opened.migration,
            differences: status.differences, history: status.history,
            seconds: (ContinuousClock.now - start) / .seconds(1))
        report.isOnServer = true
        return report
    }

    /// Migrates a copy of the store, of which nothing stays.
    ///
    /// - Throws: Where the store cannot be copied, or the program cannot open it. That its migration
    ///   fails is no error: the report says why.
    package func rehearse() throws -> RehearsalReport {
        let rehearsal = try migrations.rehearse(target)
        return RehearsalReport(
            store: name, versions: rehearsal?.versions ?? [], class: rehearsal?.kind.rawValue,
            before: rehearsal?.before ?? [:], after: rehearsal?.after ?? [:],
            sizeBefore: rehearsal?.sizeBefore ?? 0, sizeAfter: rehearsal?.sizeAfter ?? 0,
            seconds: rehearsal?.seconds ?? 0,
            failure: rehearsal?.failure.map { error in
                StoreFailure(error, storeAt: name)?.reason ?? StoreFiles.reason(for: error)
            })
    }

    /// Removes the copies that migrations have left.
    package func forget() throws -> ForgetReport {
        ForgetReport(store: name, removed: try migrations.removeCopies())
    }
}
