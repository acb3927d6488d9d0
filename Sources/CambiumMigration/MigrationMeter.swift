import CambiumSQL
import CambiumSQLite

/// Reports the progress of a migration, and checks whether it was cancelled: between two
/// statements, and during long ones.
package final class MigrationMeter {
    private let progress: (MigrationProgress) -> Void
    private let isCancelled: () -> Bool
    private let total: Int
    /// The parts of the copy, each statement and the checks in the total work; their sum is 1.
    private let backupShare: Double
    private let shares: [Double]
    private let rows: [Int]

    private var phase = MigrationProgress.Phase.backup
    private var completed = 0
    private var summary = ""
    private var fractionBefore = 0.0
    private var lastFraction = 0.0
    private var ticks = 0
    private var lastReport: ContinuousClock.Instant?
    private var stopped = false

    /// - Parameter costs: The number of rows that each statement reads.
    init(
        costs rows: [Int], makesBackup: Bool, progress: @escaping (MigrationProgress) -> Void,
        isCancelled: @escaping () -> Bool
    ) {
        self.progress = progress
        self.isCancelled = isCancelled
        self.rows = rows
        total = rows.count
        // A statement without rows takes some time too.
        let weights = rows.map { Double($0) + 10 }
        let work = weights.reduce(0, +)
        let (backup, verification) = (makesBackup ? work * 0.3 : 0, work * 0.1 + 1)
        let whole = backup + work + verification
        backupShare = backup / whole
        shares = weights.map { $0 / whole }
    }

    // MARK: Events

    /// Called repeatedly during the copy.
    ///
    /// - Returns: Whether the copy should continue.
    func copied(_ pages: Int, of count: Int) -> Bool {
        summary = "Copy the store"
        report(backupShare * Double(pages) / Double(max(1, count)), isFirst: pages == 0)
        return shouldContinue()
    }

    /// Called before each statement.
    package func begins(_ summary: String) throws(MigrationError) {
        if !shouldContinue() { throw .cancelled }
        if phase != .migration {
            phase = .migration
            fractionBefore = backupShare
        }
        (self.summary, ticks) = (summary, 0)
        report(fractionBefore, isFirst: true)
    }

    /// Called after each counted statement.
    package func ended() {
        if completed < total { fractionBefore += shares[completed] }
        completed += 1
    }

    /// Called while a custom step runs, with the progress that the step reports.
    func codeIs(at part: Double) {
        guard completed < total else { return }
        report(fractionBefore + shares[completed] * min(1, max(0, part)), isFirst: false)
    }

    /// Called before the checks.
    package func verifies() {
        phase = .verification
        summary = "Check links and tables"
        ticks = 0
        report(fractionBefore, isFirst: true)
    }

    /// Throws if the migration was cancelled.
    package func checkCancellation() throws(MigrationError) {
        if !shouldContinue() { throw .cancelled }
    }

    // MARK: While a statement runs

    /// The approximate number of SQLite's instructions between two ticks.
    static let instructionsPerTick: Int32 = 10_000
    /// The approximate number of ticks for a row with its indexes.
    private static let ticksPerRow = 0.01

    /// Called by SQLite while a statement runs.
    ///
    /// - Returns: Whether the statement should continue.
    func tick() -> Bool {
        ticks += 1
        if phase == .migration, completed < total {
            let expected = max(1, Double(rows[completed]) * Self.ticksPerRow)
            // If a statement takes longer than expected, its progress approaches the end without
            // reaching it.
            let done = Double(ticks) / (Double(ticks) + expected * 0.25)
            report(fractionBefore + shares[completed] * done, isFirst: false)
        }
        return shouldContinue()
    }

    /// Whether an error of SQLite is the result of an interruption by ``tick()``.
    func isCancellation(_ error: SQLiteError) -> Bool {
        let interruptedCode: Int32 = 9
        return stopped && error.primaryCode == interruptedCode
    }

    private func shouldContinue() -> Bool {
        if !stopped { stopped = isCancelled() }
        return !stopped
    }

    /// Reports the progress, within a phase or a statement at most ten times in a second.
    private func report(_ fraction: Double, isFirst: Bool) {
        let now = ContinuousClock.now
        if !isFirst, let lastReport, now - lastReport < .milliseconds(100) { return }
        lastReport = now
        lastFraction = min(1, max(lastFraction, fraction))
        progress(
            MigrationProgress(
                phase: phase, completed: min(completed, total), total: total,
                fraction: lastFraction, summary: summary))
    }
}

/// A moment of a migration, for code that reads the store in between.
package enum MigrationMoment {
    /// A statement is about to run.
    case before(MigrationStatement)
    /// A statement has run.
    case after(MigrationStatement)
}

/// The progress of a migration.
public struct MigrationProgress: Sendable, Hashable {
    /// The phases of a migration, in this order.
    public enum Phase: String, Sendable, Hashable, CaseIterable {
        /// The migration waits for other programs: for one that creates or migrates the same store
        /// on a server, or for programs that use its earlier version. It waits no longer than
        /// `StoreOptions.busyTimeout`.
        case waiting
        /// The store is copied, because data will be deleted.
        case backup
        /// The statements run.
        case migration
        /// Links and tables are checked.
        case verification
    }

    /// The current phase.
    public let phase: Phase
    /// The number of statements that have run.
    public let completed: Int
    /// The number of all statements.
    public let total: Int
    /// The progress of the complete migration from 0 to 1. It is estimated by numbers of rows, and
    /// never decreases.
    public let fraction: Double
    /// A description of the current work.
    public let summary: String

    package init(phase: Phase, completed: Int, total: Int, fraction: Double, summary: String) {
        (self.phase, self.completed, self.total) = (phase, completed, total)
        (self.fraction, self.summary) = (fraction, summary)
    }
}
