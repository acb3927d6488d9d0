import CambiumSQLite

/// Tells how far an adoption is, and asks whether it shall go on: between two statements, and while
/// a long one runs.
final class AdoptionMeter {
    private let progress: (CoreDataImportProgress) -> Void
    private let isCancelled: () -> Bool
    private var phase = CoreDataImportProgress.Phase.copying
    private var summary = ""
    private var start = 0.0
    private var share = 0.0
    private var expectedTicks = 1.0
    private var ticks = 0.0
    private var lastFraction = 0.0
    private var lastReport: ContinuousClock.Instant?
    private(set) var isStopped = false

    /// About how many of SQLite's instructions lie between two questions.
    static let instructionsPerTick: Int32 = 10_000
    /// How many of them a row takes, roughly.
    private static let ticksPerRow = 0.005

    init(progress: @escaping (CoreDataImportProgress) -> Void, isCancelled: @escaping () -> Bool) {
        self.progress = progress
        self.isCancelled = isCancelled
    }

    /// Called before a part of the work.
    ///
    /// - Parameters:
    ///   - fraction: How much of the whole is done by then.
    ///   - share: How much of the whole the part is.
    ///   - rows: How many rows it goes through.
    func begins(
        _ phase: CoreDataImportProgress.Phase, _ summary: String, at fraction: Double,
        share: Double,
        rows: Int
    ) throws(CoreDataImportError) {
        (self.phase, self.summary) = (phase, summary)
        (start, self.share, ticks) = (fraction, share, 0)
        expectedTicks = max(1, Double(rows) * Self.ticksPerRow)
        report(isFirst: true)
        if !goesOn() { throw .cancelled }
    }

    /// Called between two files that are copied.
    func requireGoingOn() throws(CoreDataImportError) {
        if !goesOn() { throw .cancelled }
    }

    /// Called by SQLite while a statement runs.
    ///
    /// - Returns: Whether it goes on.
    func tick() -> Bool {
        ticks += 1
        report(isFirst: false)
        return goesOn()
    }

    /// Called while a migration runs.
    func migrates(_ fraction: Double, _ summary: String) {
        self.summary = summary
        report(start + share * fraction)
    }

    private func goesOn() -> Bool {
        if !isStopped { isStopped = isCancelled() }
        return !isStopped
    }

    /// Tells how far it is; within a part not more than ten times in a second.
    private func report(isFirst: Bool) {
        let now = ContinuousClock.now
        if !isFirst, let lastReport, now - lastReport < .milliseconds(100) { return }
        lastReport = now
        // What takes longer than expected comes near the end, and does not go past it.
        report(start + share * ticks / (ticks + expectedTicks * 0.25))
    }

    private func report(_ fraction: Double) {
        lastFraction = min(1, max(lastFraction, fraction))
        progress(CoreDataImportProgress(phase: phase, fraction: lastFraction, summary: summary))
    }
}
