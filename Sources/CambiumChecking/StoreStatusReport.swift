import CambiumEngine
import CambiumMaintenance
import CambiumModel

/// The numbers of objects in a store, and the space that they take.
package struct StoreStatusReport: MigrationReport {
    /// The store: a path, or a URL without a password.
    private let store: String
    private let model: Model
    /// The last version of the model that is known.
    private let latest: String
    private let statistics: StoreStatistics

    package init(
        store: String, _ model: Model, latest: String, _ statistics: StoreStatistics
    ) {
        self.store = store
        self.model = model
        self.latest = latest
        self.statistics = statistics
    }

    private func date(_ date: Date?) -> String? { date.flatMap(ISO8601Text.text) }

    // MARK: For programs

    package var members: ReportValue {
        .object([
            "store": .text(store), "engine": .text(statistics.engine),
            "model": .text(model.name), "version": .text(model.version),
            "latestVersion": .text(latest), "bytes": .number(statistics.bytes),
            "logBytes": .number(statistics.logBytes),
            "objects": .number(statistics.tables.reduce(0) { $0 + $1.rows }),
            "tables": .list(statistics.tables.map(members)),
            "external": statistics.external.map {
                .object(["count": .number($0.count), "bytes": .number($0.bytes)])
            } ?? .text(nil),
            "history": statistics.history.map(members) ?? .text(nil),
            "oldestTransaction": statistics.oldestTransaction.map {
                .object(["seconds": .number($0.seconds), "program": .text($0.program)])
            } ?? .text(nil),
        ])
    }

    private func members(_ table: StoreStatistics.TableSize) -> ReportValue {
        .object([
            "entity": .text(table.entity), "rows": .number(table.rows),
            "estimated": .flag(table.isEstimate), "bytes": .number(table.bytes),
            "entities": .list(
                table.rowsByEntity.ordered { $0.key < $1.key }.map {
                    .object(["name": .text($0.key), "rows": .number($0.value)])
                }),
        ])
    }

    private func members(_ history: StoreStatistics.HistorySize) -> ReportValue {
        .object([
            "content": .text(history.content), "transactions": .number(history.transactions),
            "bytes": .number(history.bytes), "oldest": .text(date(history.oldest)),
            "newest": .text(date(history.newest)),
            "recordsOtherPrograms": .flag(history.recordsOthers),
        ])
    }

    // MARK: For people

    package var text: String {
        ReportText.list([
            ("Store", store), ("Engine", statistics.engine),
            (
                "Model",
                "\(model.name), version \(model.version)"
                    + (latest == model.version ? "" : " (the latest one is \(latest))")
            ),
            ("Size", size), ("Large values", statistics.external.map(words)),
            ("History", statistics.history.map(words) ?? "none"),
            ("Oldest transaction", statistics.oldestTransaction.map(words)),
        ]) + "\n"
            + ReportText.table(["Entity", "Rows", "Size"], statistics.tables.flatMap(rows))
    }

    private var size: String {
        ReportText.bytes(statistics.bytes)
            + (statistics.logBytes.map { ", \(ReportText.bytes($0)) of it in the log" } ?? "")
    }

    private func words(_ external: StoreStatistics.ExternalSize) -> String {
        "\(external.count), \(ReportText.bytes(external.bytes))"
    }

    private func words(_ history: StoreStatistics.HistorySize) -> String {
        var parts = [history.transactions.counted("transaction")]
        if let bytes = history.bytes { parts.append(ReportText.bytes(bytes)) }
        if let oldest = date(history.oldest), let newest = date(history.newest) {
            parts.append("from \(oldest) to \(newest)")
        }
        parts.append(history.content == "values" ? "with values" : "without values")
        parts.append(
            history.recordsOthers ? "with other programs' writes" : "without other programs' writes"
        )
        return parts.joined(separator: ", ")
    }

    private func words(_ oldest: StoreStatistics.OldestTransaction) -> String {
        "open for \(oldest.seconds) s"
            + (oldest.program.isEmpty ? "" : ", by \(oldest.program.excerpt())")
    }

    /// The line of a table, and those of its sub-entities.
    private func rows(_ table: StoreStatistics.TableSize) -> [[String]] {
        let members = table.rowsByEntity.ordered { $0.key < $1.key }
        let own = [
            table.entity, (table.isEstimate ? "about " : "") + "\(table.rows)",
            table.bytes.map(ReportText.bytes) ?? "unknown",
        ]
        guard members.contains(where: { $0.key != table.entity }) else { return [own] }
        return [own] + members.map { ["  \($0.key)", "\($0.value)", ""] }
    }
}
