/// The progress of an import of a Core Data store.
public struct CoreDataImportProgress: Sendable, Hashable {
    /// The phases of an import, in this order.
    public enum Phase: String, Sendable, Hashable, CaseIterable {
        /// Objects and links are copied.
        case copying
        /// Indexes are created, and links are checked.
        case checking
        /// The new store is migrated to the program's version.
        case migrating
    }

    /// The current phase.
    public let phase: Phase
    /// The estimated part of the work that is done, from 0 to 1. It never decreases.
    public let fraction: Double
    /// The current work, in words.
    public let summary: String
}

/// Reports the progress of an import and checks whether it was cancelled: between two statements,
/// and while a long one runs.
final class ImportMeter {
    private let progress: (CoreDataImportProgress) -> Void
    let isCancelled: () -> Bool
    private var phase = CoreDataImportProgress.Phase.copying
    private var summary = ""
    private var start = 0.0
    private var share = 0.0
    private var expectedTicks = 1.0
    private var ticks = 0.0
    private var lastFraction = 0.0
    private var lastReport: ContinuousClock.Instant?
    private(set) var isStopped = false

    /// The approximate number of SQLite's instructions between two checks.
    static let instructionsPerTick: Int32 = 10_000
    /// The approximate number of such checks for each row.
    private static let ticksPerRow = 0.005

    init(progress: @escaping (CoreDataImportProgress) -> Void, isCancelled: @escaping () -> Bool) {
        self.progress = progress
        self.isCancelled = isCancelled
    }

    /// Called before a part of the work.
    ///
    /// - Parameters:
    ///   - fraction: The fraction of all work that is done before the part.
    ///   - share: The part's fraction of all work.
    ///   - rows: The number of rows that it reads.
    func begin(
        _ phase: CoreDataImportProgress.Phase, _ summary: String, at fraction: Double,
        share: Double, rows: Int
    ) throws(CoreDataImportError) {
        (self.phase, self.summary) = (phase, summary)
        (start, self.share, ticks) = (fraction, share, 0)
        expectedTicks = max(1, Double(rows) * Self.ticksPerRow)
        report(isFirst: true)
        if !continues() { throw .cancelled }
    }

    /// Called between two files that are copied.
    func requireNotCancelled() throws(CoreDataImportError) {
        if !continues() { throw .cancelled }
    }

    /// Called by SQLite while a statement runs.
    ///
    /// - Returns: Whether the statement may continue.
    func tick() -> Bool {
        ticks += 1
        report(isFirst: false)
        return continues()
    }

    /// Called while a migration runs.
    func reportMigration(_ fraction: Double, _ summary: String) {
        self.summary = summary
        report(start + share * fraction)
    }

    private func continues() -> Bool {
        if !isStopped { isStopped = isCancelled() }
        return !isStopped
    }

    /// Reports the progress; within a part at most ten times in a second.
    private func report(isFirst: Bool) {
        let now = ContinuousClock.now
        if !isFirst, let lastReport, now - lastReport < .milliseconds(100) { return }
        lastReport = now
        // A part that takes longer than expected comes near its end, and never passes it.
        report(start + share * ticks / (ticks + expectedTicks * 0.25))
    }

    private func report(_ fraction: Double) {
        lastFraction = min(1, max(lastFraction, fraction))
        progress(CoreDataImportProgress(phase: phase, fraction: lastFraction, summary: summary))
    }
}
