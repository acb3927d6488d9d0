import CambiumEngine
import CambiumMigration

/// The manual operations on a store on a server. They are the same as for a store file.
package struct ServerMaintenance {
    private let migrations: any ServerMigrations
    /// The model and the migrations to it.
    package let target: ServerTarget
    private let name: String

    /// Prepares for a store.
    ///
    /// - Parameter name: The name of the store in reports.
    package init(
        _ migrations: any ServerMigrations, _ target: ServerTarget, storeAt name: String
    ) {
        (self.migrations, self.target, self.name) = (migrations, target, name)
    }

    /// Returns whether there is a store, even if the program cannot open it.
    ///
    /// - Throws: If the server cannot be reached.
    package func exists() throws -> Bool {
        do {
            return try migrations.survey(target) != nil
        } catch is MigrationError {
            return true
        }
    }

    /// Returns the status of the store for the program. It changes nothing.
    ///
    /// - Throws: If the server cannot be reached. If the program cannot open the store, no error is
    ///   thrown: the report contains the reason.
    package func status() throws -> StatusReport {
        let model = target.model.model
        do {
            return StatusReport(store: name, of: model, try migrations.survey(target))
        } catch let error as MigrationError {
            return StatusReport(store: name, of: model, refusedFor: error)
        }
    }

    /// Returns the effects of a migration. It changes nothing.
    ///
    /// - Throws: ``MigrationError`` if the program cannot open the store.
    package func plan() throws -> PlanReport {
        PlanReport(store: name, try migrations.forecast(target), isOnServer: true)
    }

    /// Migrates the store.
    ///
    /// - Parameter progress: Called with the progress, on the calling thread.
    /// - Throws: The error of the migration. Then the store is unchanged.
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

    /// Migrates a copy of the store, in a transaction that is rolled back.
    ///
    /// - Throws: If the store cannot be copied, or the program cannot open it. If the migration
    ///   fails, no error is thrown: the report contains the reason.
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
