import CambiumSQL

/// What a migration of a copy of a store did: the store itself was only read.
package struct RehearsalReport: MigrationReport, Hashable {
    /// A table before and after.
    package struct Table: Encodable, Sendable, Hashable {
        /// Its name.
        package let name: String
        /// How many rows it had; nil where it is new.
        package let before: Int?
        /// How many it has; nil where it is gone.
        package let after: Int?
    }

    /// The store's path.
    package let store: String
    /// The versions on the way; empty where there was nothing to do.
    package let versions: [String]
    /// The class of the gravest step.
    package let `class`: String?
    /// The tables, by name.
    package let tables: [Table]
    /// How many bytes the copy had before, and afterwards.
    package let sizeBefore: Int
    package let sizeAfter: Int
    /// How long the migration took, without the copying.
    package let seconds: Double
    /// Why the migration failed; nil where it did not.
    package let failure: String?

    package var text: String {
        guard failure == nil else {
            return "\(store): the migration of a copy failed after \(ReportText.seconds(seconds))\n"
                + "error: \(failure ?? "").\n"
        }
        guard !versions.isEmpty else { return "Nothing to rehearse: \(store)\n" }
        let changed = tables.filter { $0.before != $0.after }
        let table = ReportText.table(
            ["Table", "Rows before", "Rows after"],
            changed.map {
                [$0.name, $0.before.map(String.init) ?? "", $0.after.map(String.init) ?? ""]
            })
        let same = tables.count - changed.count
        let others = changed.isEmpty ? "Tables" : "Others"
        return
            "\(store): \(ReportText.way(versions)): a copy was migrated, the store was only read\n"
            + (changed.isEmpty ? "" : table)
            + ReportText.list([
                (others, "\(ReportText.count(same, "table")) with as many rows as before"),
                ("Time", "\(ReportText.seconds(seconds)), without the copying"),
                (
                    "Size",
                    "\(ReportText.bytes(sizeBefore)) before, \(ReportText.bytes(sizeAfter)) after"
                ),
            ])
    }
}
