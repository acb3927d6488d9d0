import CambiumSQL
import CambiumSQLite

/// Tells how far a migration is, and asks whether it shall go on: between two statements, and while
/// a long one runs.
package final class MigrationMeter {
    private let progress: (MigrationProgress) -> Void
    private let isCancelled: () -> Bool
    private let total: Int
    /// How much the copy, each statement and the checks are of the whole; their sum is 1.
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

    /// - Parameter costs: How many rows each statement goes through.
    init(
        costs rows: [Int], makesBackup: Bool, progress: @escaping (MigrationProgress) -> Void,
        isCancelled: @escaping () -> Bool
    ) {
        self.progress = progress
        self.isCancelled = isCancelled
        self.rows = rows
        total = rows.count
        // A statement costs something with no rows too.
        let weights = rows.map { Double($0) + 10 }
        let work = weights.reduce(0, +)
        let (backup, verification) = (makesBackup ? work * 0.3 : 0, work * 0.1 + 1)
        let whole = backup + work + verification
        backupShare = backup / whole
        shares = weights.map { $0 / whole }
    }

    // MARK: What happens

    /// Called again and again during the copy.
    ///
    /// - Returns: Whether to go on.
    func copied(_ pages: Int, of count: Int) -> Bool {
        summary = "Copy the store"
        report(backupShare * Double(pages) / Double(max(1, count)), isFirst: pages == 0)
        return goesOn()
    }

    /// Called before each statement.
    package func begins(_ summary: String) throws(MigrationError) {
        if !goesOn() { throw .cancelled }
        if phase != .migration {
            phase = .migration
            fractionBefore = backupShare
        }
        (self.summary, ticks) = (summary, 0)
        report(fractionBefore, isFirst: true)
    }

    /// Called after each statement that was counted.
    package func ended() {
        if completed < total { fractionBefore += shares[completed] }
        completed += 1
    }

    /// Called while a step of the program runs, with how far it says that it is.
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

    /// Ends the migration where that was asked for.
    package func requireGoingOn() throws(MigrationError) {
        if !goesOn() { throw .cancelled }
    }

    // MARK: While a statement runs

    /// About how many of SQLite's instructions lie between two questions.
    static let instructionsPerTick: Int32 = 10_000
    /// How many of them a row takes, roughly, with its indexes.
    private static let ticksPerRow = 0.01

    /// Called by SQLite while a statement runs.
    ///
    /// - Returns: Whether it goes on.
    func tick() -> Bool {
        ticks += 1
        if phase == .migration, completed < total {
            let expected = max(1, Double(rows[completed]) * Self.ticksPerRow)
            // What takes longer than expected comes near the end, and does not go past it.
            let done = Double(ticks) / (Double(ticks) + expected * 0.25)
            report(fractionBefore + shares[completed] * done, isFirst: false)
        }
        return goesOn()
    }

    /// What an error of SQLite's means: an interruption by ``tick()`` was asked for.
    func isCancellation(_ error: SQLiteError) -> Bool {
        let interruptedCode: Int32 = 9
        return stopped && error.primaryCode == interruptedCode
    }

    private func goesOn() -> Bool {
        if !stopped { stopped = isCancelled() }
        return !stopped
    }

    /// Tells how far it is; within a phase or a statement not more than ten times in a second.
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

/// How far a migration is.
public struct MigrationProgress: Sendable, Hashable {
    /// What a migration does, in this order.
    public enum Phase: String, Sendable, Hashable, CaseIterable {
        /// Other programs are waited for: one that creates or migrates the same store on a server, or
        /// some that are still using its earlier version. No longer than `StoreOptions.busyTimeout`.
        case waiting
        /// A copy of the store is made, because data will be lost.
        case backup
        /// The statements run.
        case migration
        /// Links and tables are checked.
        case verification
    }

    /// What is done at the moment.
    public let phase: Phase
    /// How many statements have run.
    public let completed: Int
    /// How many there are.
    public let total: Int
    /// How much of the whole is done, from 0 to 1: an estimate by the number of rows, which never
    /// goes back.
    public let fraction: Double
    /// What is done now.
    public let summary: String

    package init(phase: Phase, completed: Int, total: Int, fraction: Double, summary: String) {
        (self.phase, self.completed, self.total) = (phase, completed, total)
        (self.fraction, self.summary) = (fraction, summary)
    }
}
