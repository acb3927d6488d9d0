import CambiumModel
import CambiumSQL
import CambiumSQLite

/// The parts of a store that the version has no place for.
struct OmittedParts {
    let layout: CoreDataLayout
    let store: CoreDataStore
    let connection: Connection

    /// Tables that hold no objects and are not reported.
    private static let silent: Set = ["Z_METADATA", "Z_PRIMARYKEY", "Z_MODELCACHE"]
    private static let history: Set = ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"]

    func all() throws(SQLiteError) -> [CoreDataImportReport.OmittedPart] {
        var parts: [CoreDataImportReport.OmittedPart] = []
        func add(_ name: String, _ rows: Int?, _ reason: String, isBookkeeping: Bool = false) {
            parts.append(
                .init(name: name, rows: rows, reason: reason, isBookkeeping: isBookkeeping))
        }
        for table in layout.unusedTables where !Self.silent.contains(table) {
            let rows = try connection.number(CoreDataImportSQL.count(ofSourceTable: table))
            let (reason, isBookkeeping) = reason(for: table)
            add(table, rows, reason, isBookkeeping: isBookkeeping)
        }
        for (table, column) in layout.unusedColumns {
            let values = try connection.number(
                CoreDataImportSQL.count(ofValuesIn: column, ofSourceTable: table))
            add("\(table).\(column)", values, "the version has no property for the column")
        }
        for (name, isIndex) in store.catalogue.virtualTables {
            let reason = isIndex ? "a spatial index" : "a virtual table"
            add(name, nil, reason, isBookkeeping: isIndex)
        }
        for name in store.metadata.otherNotes {
            add(name, nil, "metadata that is neither text nor a number, or cannot be read")
        }
        for fault in store.file.logFaults { add(fault.path, nil, fault.reason) }
        for name in store.metadata.ownNotes {
            add(name, nil, "what Core Data notes of the store", isBookkeeping: true)
        }
        return parts
    }

    private func reason(for table: String) -> (words: String, isBookkeeping: Bool) {
        if Self.history.contains(table) {
            return ("Core Data's history; the new store has its own", true)
        }
        if table.hasPrefix("ANSCK") || table.hasPrefix("ZNSCK") {
            return ("what Core Data keeps for CloudKit", true)
        }
        if store.catalogue.isSystemTable(table) {
            return ("what Core Data keeps for itself", true)
        }
        return ("the version has no entity or relationship for the table", false)
    }
}
