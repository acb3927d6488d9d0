import CambiumModel
import CambiumRecords
import CambiumSQL

/// The limits of a store that receives the tables of another one.
package protocol MovedTableRules: Sendable {
    /// The tables, with the columns that are written.
    var tables: [MovedTable] { get }
    /// The format of dates; nil if each is kept exactly.
    var datePrecision: StoredDatePrecision? { get }
    /// The greatest number of bytes of a large value that is kept apart; nil for any.
    var largestLargeValue: Int? { get }

    /// Whether a column may have values that the store cannot hold.
    func mayRefuse(_ column: MovedTable.Column) -> Bool

    /// The reason why the store cannot hold a value; nil if it can.
    func refusal(of record: Record, _ slot: Int, _ column: MovedTable.Column)
        -> (code: ValidationError.Code, words: String)?
}

/// The far side of a move, inside of the one transaction that writes it.
package protocol MovedTableWriter: AnyObject {
    /// Checks that the tables have no rows, and drops everything that is faster to create
    /// afterwards.
    func begin(_ tables: [MovedTable]) throws

    /// Writes the rows of a table.
    ///
    /// - Parameter rows: Hands them over, some at a time.
    func load(
        _ table: MovedTable, _ rows: @escaping (_ take: ([Record]) throws -> Void) throws -> Void
    ) throws

    /// Writes the large values that are kept apart.
    func loadLargeValues(
        _ values: @escaping (_ take: (String, UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws

    /// The steps that create the indexes and check the links, each with a name.
    var finishing: [(name: String, run: () throws -> Void)] { get }

    /// Writes the first keys that were never given, by the names of root entities.
    func setNextKeys(_ keys: [String: Int64]) throws

    /// The tables as they are in the transaction.
    var written: any MovedTables { get }
}

/// Moves the tables of a store into an empty one of another kind.
package struct TableMove {
    private let rows: MovedRows
    private let rules: any MovedTableRules
    private let source: any MovedTables

    package init(
        _ rows: MovedRows, from source: any MovedTables, by rules: any MovedTableRules
    ) {
        self.rows = rows
        self.source = source
        self.rules = rules
    }

    /// The greatest number of reported values that the new store cannot hold.
    package static let mostRefusals = 20

    /// The share of each part in a move, for each row.
    private enum Share {
        static let checking = 1.0
        static let copying = 3.0
        static let finishing = 2.0
        static let comparing = 2.0
        static let all = checking + copying + finishing + comparing
    }

    /// Checks that the new store can hold all values, before anything is written.
    ///
    /// - Returns: The number of rows of each table.
    /// - Throws: ``ValidationError``, or ``ValidationErrors`` with some of them. They name the
    ///   values that it cannot hold.
    package func requireFitting() throws -> [Int] {
        let meter = MoveMeter(rows.progress)
        let counts = try rules.tables.map { try source.count(of: $0) }
        let total = Double(max(1, counts.reduce(0, +))) * Share.all / Share.checking
        var done = 0
        var found: [ValidationError] = []
        for (table, count) in zip(rules.tables, counts) {
            try rows.requireUncancelled()
            if let part = table.selecting(rules.mayRefuse), count > 0 {
                try source.scan(part) { records in
                    try rows.requireUncancelled()
                    for record in records where found.count < Self.mostRefusals {
                        try check(record, part, &found)
                    }
                    done += records.count
                    meter.show(.checking, table.name, Double(done) / total)
                    // The remaining rows would show nothing new.
                    if found.count >= Self.mostRefusals {
                        throw ValidationErrors.combined(found)
                    }
                }
            } else {
                done += count
            }
            try requireLargeValues(of: table, &found)
        }
        guard found.isEmpty else { throw ValidationErrors.combined(found) }
        return counts
    }

    private func check(
        _ record: Record, _ table: MovedTable, _ found: inout [ValidationError]
    ) throws {
        for (slot, column) in table.columns.enumerated()
        where record.hasValue(slot) && rules.mayRefuse(column) {
            guard let (code, words) = rules.refusal(of: record, slot, column) else { continue }
            found.append(refusal(code, words, of: record, column, table))
        }
    }

    private func refusal(
        _ code: ValidationError.Code, _ words: String, of record: Record,
        _ column: MovedTable.Column, _ table: MovedTable
    ) -> ValidationError {
        let id = table.objectID(of: record, in: rows.model, rows.source.identifier)
        return ValidationError(
            code: code, entityName: id?.entityName ?? table.name, objectID: id,
            property: column.attribute?.name ?? column.name, message: words)
    }

    /// Looks for the large values that rows name.
    private func requireLargeValues(
        of table: MovedTable, _ found: inout [ValidationError]
    ) throws {
        guard let limit = rules.largestLargeValue,
            let part = table.selecting({ $0.attribute?.usesExternalForm == true })
        else { return }
        let slots = part.externalSlots
        try source.scan(part) { records in
            try rows.requireUncancelled()
            for record in records {
                for slot in slots where found.count < Self.mostRefusals {
                    guard let name = record.nameOfLargeValue(slot) else { continue }
                    let column = part.columns[slot]
                    do {
                        guard let size = try source.size(ofLargeValue: name), size > limit else {
                            continue
                        }
                        let words = RefusalText.isTooLarge(
                            column.attribute?.name ?? "", size, limit)
                        found.append(refusal(.tooLong, words, of: record, column, part))
                    } catch {
                        let id = part.objectID(of: record, in: rows.model, rows.source.identifier)
                        throw StoreError.missingLargeValue(
                            of: "\(id?.entityName ?? table.name)/\(id?.key ?? 0)."
                                + "\(column.attribute?.name ?? column.name)", error)
                    }
                }
            }
        }
    }

    /// Writes all of it.
    ///
    /// - Parameter counts: The number of rows in each table.
    package func run(_ counts: [Int], into writer: any MovedTableWriter) throws -> MoveReport {
        let meter = MoveMeter(rows.progress)
        let rowCount = Double(max(1, counts.reduce(0, +)))
        func fraction(_ before: Double, _ done: Int, _ share: Double) -> Double {
            (before + Double(done) / rowCount * share) / Share.all
        }
        try writer.begin(rules.tables)
        var report = MoveReport()
        var nextKeys = try source.nextKeys()
        var sums: [TableChecksum] = []
        var done = 0
        for table in rules.tables {
            let rounding = DateRounding(table, rules.datePrecision)
            var sum = TableChecksum()
            try writer.load(table) { take in
                try source.scan(table) { records in
                    try rows.requireUncancelled()
                    for record in records {
                        report.roundedDates += rounding.round(record)
                        sum.add(record, table.shape)
                    }
                    try noteKeys(records, table, &nextKeys)
                    try take(records)
                    done += records.count
                    meter.show(
                        .copying, table.name, fraction(Share.checking, done, Share.copying))
                }
            }
            sums.append(sum)
        }
        let tables = rules.tables.filter { !$0.externalSlots.isEmpty }
        var largeValues = TableChecksum()
        if !tables.isEmpty {
            try writer.loadLargeValues { take in
                try source.scanLargeValues(of: tables) { name, value in
                    try rows.requireUncancelled()
                    largeValues.add(name, value)
                    try take(name, value)
                }
            }
        }
        try writer.setNextKeys(nextKeys)
        let steps = writer.finishing
        for (number, step) in steps.enumerated() {
            try rows.requireUncancelled()
            let part = Double(number) / Double(max(1, steps.count))
            meter.show(
                .indexing, step.name,
                (Share.checking + Share.copying + part * Share.finishing) / Share.all)
            try step.run()
        }
        // The content of the new store is read again.
        done = 0
        let before = Share.checking + Share.copying + Share.finishing
        for (table, sum) in zip(rules.tables, sums) {
            var written = TableChecksum()
            try writer.written.scan(table) { records in
                try rows.requireUncancelled()
                for record in records { written.add(record, table.shape) }
                done += records.count
                meter.show(.comparing, table.name, fraction(before, done, Share.comparing))
            }
            try report.note(table.name, sum, written)
        }
        if !tables.isEmpty {
            var written = TableChecksum()
            try writer.written.scanLargeValues(of: tables) { name, value in
                try rows.requireUncancelled()
                written.add(name, value)
            }
            try report.note(MoveReport.largeValues, largeValues, written)
        }
        return report
    }

    private func noteKeys(
        _ records: [Record], _ table: MovedTable, _ next: inout [String: Int64]
    ) throws {
        guard case .objects(let root) = table.content, let slot = table.keySlot else { return }
        let last = records.reduce(0) { max($0, $1.integer(slot)) }
        let (afterLast, isFull) = last.addingReportingOverflow(1)
        if isFull { throw StoreError.noKeysLeft(for: root) }
        next[root] = max(next[root] ?? 1, afterLast)
    }
}

/// Rounds the dates of rows to the precision of the new store.
private struct DateRounding {
    private let slots: [Int]
    private let dates: StoredDatePrecision?

    init(_ table: MovedTable, _ dates: StoredDatePrecision?) {
        self.dates = dates
        slots =
            dates == nil
            ? [] : table.columns.indices.filter { table.columns[$0].attribute?.type == .date }
    }

    /// - Returns: The number of changed dates in the row.
    func round(_ record: Record) -> Int {
        guard let dates else { return 0 }
        var count = 0
        for slot in slots where record.hasValue(slot) {
            let seconds = record.real(slot)
            let kept = dates.rounded(seconds)
            if kept.bitPattern == seconds.bitPattern { continue }
            record.setReal(slot, kept)
            count += 1
        }
        return count
    }
}

/// Reports the progress of a move, no more often than a user can see.
private final class MoveMeter {
    private let receive: (@Sendable (MoveProgress) -> Void)?
    private var last: (phase: MoveProgress.Phase, name: String, fraction: Double)?

    init(_ receive: (@Sendable (MoveProgress) -> Void)?) {
        self.receive = receive
    }

    func show(_ phase: MoveProgress.Phase, _ name: String, _ fraction: Double) {
        guard let receive else { return }
        if let last, last.phase == phase, last.name == name, fraction < last.fraction + 0.001 {
            return
        }
        last = (phase, name, fraction)
        receive(MoveProgress(phase: phase, name: name, fraction: min(1, fraction)))
    }
}

extension Record {
    /// The name of the large value outside of the row that a slot references; nil if it references
    /// none.
    package func nameOfLargeValue(_ slot: Int) -> String? {
        guard hasValue(slot) else { return nil }
        let bytes = bytes(slot)
        guard bytes.first == ExternalForm.file else { return nil }
        return String(decoding: bytes.dropFirst(), as: UTF8.self)
    }
}

extension StoreError {
    /// The error of a row that names a missing large value.
    ///
    /// - Parameter place: The object and the property.
    package static func missingLargeValue(of place: String, _ error: any Error) -> StoreError {
        StoreError(
            code: .missingFile, message: "The file of \(place) cannot be read.",
            remedy: "Restore it from a backup, or set another value.", underlying: error)
    }
}
