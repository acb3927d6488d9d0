import CambiumSQL
import CambiumSQLite

/// The tables of a version in memory, without rows, with the objects of other programs: what of
/// these works there.
struct ForeignTrial {
    /// A question of SQLite's answer to one of them: its kind and name, and which question.
    struct Question: Hashable {
        let object: StoreObject
        let number: Int
    }

    /// The answers that were errors, each in SQLite's words.
    private(set) var failures: [Question: String] = [:]
    private let connection: Connection

    /// Makes all of it.
    ///
    /// - Parameters:
    ///   - tables: The statements of the version's tables and indexes.
    ///   - objects: Those of other programs, in the order of their making.
    ///   - virtualColumns: The columns of those of its tables that a module of SQLite's keeps.
    init(
        of tables: [String], with objects: [StoreObject], virtualColumns: [String: [String]]
    ) throws(SQLiteError) {
        connection = try Connection(path: ":memory:")
        // What cannot be made is missed by whoever needs it.
        for statement in tables { try? connection.executeAlone(statement) }
        for object in objects where object.kind == .table {
            let columns = virtualColumns[object.name] ?? []
            make(object, object.isVirtual ? object.standIn(columns: columns) : object.sql)
        }
        for object in objects where object.kind == .table { probe(object, object.name) }
        for object in objects where object.kind == .index { make(object, object.sql) }
        for object in objects where object.kind == .view { make(object, object.sql) }
        for object in objects where object.kind == .view {
            if let message = failure(of: StoreObject.probes(of: object.name, columns: [])[0]) {
                failures[Question(object: object, number: 1)] = message
            }
        }
        for object in objects where object.kind == .trigger { tryTrigger(object) }
    }

    private mutating func make(_ object: StoreObject, _ statement: String) {
        do {
            try connection.executeAlone(statement)
        } catch {
            failures[Question(object: object, number: 0)] = error.message
        }
    }

    private mutating func probe(_ object: StoreObject, _ table: String) {
        for (number, message) in answers(about: table) {
            failures[Question(object: object, number: number + 1)] = message
        }
    }

    /// A trigger is at fault for what does not work with it and has worked without it, or has not for
    /// another reason: a view cannot be written at all before it has a trigger. Then it goes again, so
    /// that it is not the next one's fault.
    private mutating func tryTrigger(_ object: StoreObject) {
        let before = answers(about: object.table)
        make(object, object.sql)
        let after = answers(about: object.table).filter { before[$0.key] != $0.value }
        for (number, message) in after {
            failures[Question(object: object, number: number + 1)] = message
        }
        if !after.isEmpty { try? connection.execute(object.removal) }
        let columns = Set(columns(of: object.table).map { $0.name.lowercased() })
        if let lost = object.watchedColumns.first(where: { !columns.contains($0) }) {
            failures[Question(object: object, number: 9)] = "no such column: \(lost)"
        }
    }

    private func answers(about table: String) -> [Int: String] {
        let writable = columns(of: table).filter(\.canBeWritten).map(\.name)
        let probes = StoreObject.probes(of: table, columns: writable).enumerated()
        return probes.reduce(into: [:]) { $0[$1.offset] = failure(of: $1.element) }
    }

    private func columns(of table: String) -> [(name: String, canBeWritten: Bool)] {
        let rows = (try? connection.rows(StoreObject.columns(of: table))) ?? []
        return rows.compactMap { row in
            row.first?.text.map { ($0, row.last == .integer(0)) }
        }
    }

    /// Why a statement cannot be compiled; nil where it can.
    private func failure(of statement: String) -> String? {
        // One that was compiled before knows nothing of what was made since.
        connection.forgetStatements()
        do throws(SQLiteError) {
            _ = try connection.statement(statement)
            return nil
        } catch {
            return error.message
        }
    }
}
