import CambiumModel
import CambiumSQL
import CambiumSQLite

/// The tables of a version in memory, without rows, with the objects of other programs: what of
/// these works there.
struct ExternalObjectTrial {
    /// An answer about one of them that was an error, in SQLite's words.
    private struct Failure {
        let object: StoreObject
        /// Which question it answers.
        let number: Int
        let message: String

        func isOfSameQuestion(as other: Failure) -> Bool {
            number == other.number && object == other.object
        }
    }

    private var failures: [Failure] = []
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
        // What cannot be created fails where it is needed.
        for statement in tables { try? connection.executeAlone(statement) }
        for object in objects where object.kind == .table {
            let columns = virtualColumns[object.name] ?? []
            make(object, object.isVirtual ? object.replacementTable(columns: columns) : object.sql)
        }
        for object in objects where object.kind == .table { probe(object, object.name) }
        for object in objects where object.kind == .index { make(object, object.sql) }
        for object in objects where object.kind == .view { make(object, object.sql) }
        for object in objects where object.kind == .view {
            note(object, 1, failure(of: StoreObject.probes(of: object.name, columns: [])[0]))
        }
        for object in objects where object.kind == .trigger { tryTrigger(object) }
    }

    /// Why something does not work here that works in another version.
    func firstFailure(of object: StoreObject, besides other: ExternalObjectTrial) -> String? {
        failures.filter { failure in
            failure.object == object
                && !other.failures.contains { $0.isOfSameQuestion(as: failure) }
        }.min { $0.number < $1.number }?.message
    }

    private mutating func note(_ object: StoreObject, _ number: Int, _ message: String?) {
        guard let message else { return }
        failures.append(Failure(object: object, number: number, message: message))
    }

    private mutating func make(_ object: StoreObject, _ statement: String) {
        do {
            try connection.executeAlone(statement)
        } catch {
            note(object, 0, error.message)
        }
    }

    private mutating func probe(_ object: StoreObject, _ table: String) {
        for (number, message) in answers(about: table).enumerated() {
            note(object, number + 1, message)
        }
    }

    /// A trigger is at fault for what does not work with it and has worked without it, or has not
    /// for another reason: a view cannot be written at all before it has a trigger. Then it is
    /// dropped again, so that it is not the next one's fault.
    private mutating func tryTrigger(_ object: StoreObject) {
        let before = answers(about: object.table)
        make(object, object.sql)
        let after = answers(about: object.table)
        let failed = after.indices.filter { after[$0] != nil && after[$0] != before[$0] }
        for number in failed { note(object, number + 1, after[number]) }
        if !failed.isEmpty { try? connection.execute(object.removal) }
        let columns = Set(columns(of: object.table).map { $0.name.lowercased() })
        if let lost = object.watchedColumns.first(where: { !columns.contains($0) }) {
            note(object, 9, "no such column: \(lost)")
        }
    }

    private func answers(about table: String) -> [String?] {
        let writable = columns(of: table).filter(\.canBeWritten).map(\.name)
        return StoreObject.probes(of: table, columns: writable).map(failure)
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

/// The links from tables of other programs. Some may dangle, but a migration must not break any:
/// foreign keys are off meanwhile, so that nothing is nullified or deleted with what they
/// reference.
struct ExternalObjectLinks {
    /// The tables, each with the number of its dangling links.
    private let tables: [(object: StoreObject, broken: Int)]

    /// Counts them, before anything is done. Costs nothing where there are no such tables.
    init(
        in connection: Connection, _ chain: MigrationChain, _ schema: Schema
    ) throws(SQLiteError) {
        var ours = Set(schema.tables.map { $0.name.lowercased() })
        for case .dropTable(let table) in chain.operations { ours.insert(table.lowercased()) }
        tables = try connection.storeObjects()
            .filter { object in
                object.isOrdinaryTable && !object.isOfHistory
                    && !ours.contains(object.name.lowercased())
            }
            .compactMap { object in
                // One whose keys SQLite cannot follow does not work, before or afterwards.
                Self.count(of: object, connection).map { (object, $0) }
            }
    }

    private static func count(of object: StoreObject, _ connection: Connection) -> Int? {
        try? connection.rows(MigrationSQL.foreignKeyCheck(of: object.name)).count
    }

    /// - Throws: ``MigrationError/externalObjectsInTheWay(_:)`` where more dangle now.
    func verify(in connection: Connection) throws(MigrationError) {
        let objects = tables.compactMap { object, broken -> ExternalObject? in
            guard let count = Self.count(of: object, connection), count > broken else { return nil }
            return ExternalObject(object, .wouldLoseLinks(count - broken))
        }
        guard objects.isEmpty else { throw .externalObjectsInTheWay(objects) }
    }
}

/// The views of other programs whose names a migration needs, and what works only with them: that
/// would go on with the model's table of the name. (A table of such a name is given another one, and
/// SQLite renames it in what uses it.)
struct LostViews {
    private let views: [StoreObject]
    private let with: ExternalObjectTrial?
    private let without: ExternalObjectTrial?

    /// Tries the store's own tables with them and without. Costs nothing where there are none.
    init(
        _ names: MigratedNames, _ own: [StoreObject], _ objects: [StoreObject],
        _ virtualColumns: [String: [String]]
    ) throws(SQLiteError) {
        let lost = objects.filter { $0.kind == .view && names.taken.contains($0.name.lowercased()) }
        views = lost
        guard !lost.isEmpty else {
            (with, without) = (nil, nil)
            return
        }
        let tables = own.map(\.sql)
        let others = objects.filter { !lost.contains($0) }
        with = try ExternalObjectTrial(of: tables, with: objects, virtualColumns: virtualColumns)
        without = try ExternalObjectTrial(of: tables, with: others, virtualColumns: virtualColumns)
    }

    /// The name of one that an object needs; nil for a trigger of one, which is deleted with it.
    func needed(by object: StoreObject) -> String? {
        guard !views.contains(where: { $0.name.lowercased() == object.table.lowercased() }),
            let with, let without, without.firstFailure(of: object, besides: with) != nil
        else {
            return nil
        }
        let words = object.words
        return (views.first { words.contains($0.name.lowercased()) } ?? views.first)?.name
    }
}

/// The objects of other programs that are in the way, each with the reason, and those that SQLite
/// drops with them.
struct ExternalObjectConflicts {
    private var entries: [(object: StoreObject, reason: ExternalObject.Reason)] = []

    /// Adds one.
    mutating func add(_ object: StoreObject, _ reason: ExternalObject.Reason) {
        entries.append((object, reason))
    }

    /// Adds the triggers of the views, and the triggers and indexes of the tables, that have to be
    /// dropped: a user who follows the remedy must lose only what was named.
    mutating func addCompanions(among objects: [StoreObject]) {
        let named = Set(entries.map(\.object))
        var owners: [String: StoreObject] = [:]
        for entry in entries where entry.object.takesOthersAway(where: entry.reason) {
            owners[entry.object.name.lowercased()] = entry.object
        }
        for object in objects where !named.contains(object) {
            guard object.kind == .trigger || object.kind == .index,
                let owner = owners[object.table.lowercased()]
            else { continue }
            add(object, .goesWith("the \(owner.kind.rawValue) \(owner.name)"))
        }
    }

    /// All in an order in which they can be dropped: what belongs to something before that, or it
    /// would be deleted already.
    var inOrder: [(object: StoreObject, reason: ExternalObject.Reason)] {
        let kinds: [StoreObject.Kind] = [.trigger, .view, .index, .table]
        return kinds.flatMap { kind in entries.filter { $0.object.kind == kind } }
    }
}

extension StoreObject {
    /// Whether the remedy drops it with all that belongs to it. A table that is in the way by its
    /// name alone gets another name, and keeps what it has.
    fileprivate func takesOthersAway(where reason: ExternalObject.Reason) -> Bool {
        switch (kind, reason) {
        case (.view, _): true
        case (.table, .nameIsNeeded), (.table, .wouldLoseLinks): false
        case (.table, _): true
        case (.index, _), (.trigger, _): false
        }
    }
}

/// The triggers and views of a store, out of the way while its tables change: a table that is
/// rebuilt would lose its triggers, a view that names it would keep SQLite from renaming it, and a
/// migration is no change of objects. Those of other programs come back as they were, as do their
/// indexes; those of the history as the new tables need them.
struct SetAsideObjects {
    private let connection: Connection
    /// The triggers and views of others, and their indexes, which are deleted with a table that is
    /// rebuilt.
    private let others: [StoreObject]
    /// What the store says of its history; nil where it has none.
    let history: HistorySettings?

    /// Removes all triggers and views, inside of a transaction.
    init(of connection: Connection) throws(SQLiteError) {
        self.connection = connection
        let objects = try connection.storeObjects()
        for object in objects where object.kind == .trigger || object.kind == .view {
            // A view takes its triggers with it.
            try connection.execute(object.removalIfThere)
        }
        others = objects.filter { object in
            object.kind != .table && !object.isOfHistory
                && !(object.kind == .index && TableIndex.mayBeOurs(object.name))
        }
        history = HistorySettings(rows: try connection.rows(HistorySettings.query))
    }

    /// Puts them back.
    ///
    /// - Throws: ``MigrationError/externalObjectsInTheWay(_:)`` where one does not fit any more:
    ///   that it is missing without a message must not happen; `SQLiteError`.
    func putBack(in schema: Schema, _ model: Model) throws {
        let there = Set(
            try connection.storeObjects()
                .filter { $0.kind == .index }.map(\.name))
        let kinds: [StoreObject.Kind] = [.view, .trigger, .index]
        for kind in kinds {
            for object in others
            where object.kind == kind && !(kind == .index && there.contains(object.name)) {
                do throws(SQLiteError) {
                    try connection.executeAlone(object.sql)
                } catch {
                    guard [1, 19].contains(error.primaryCode) else { throw error }
                    throw MigrationError.externalObjectsInTheWay([
                        ExternalObject(object, .wouldBreak(error.message))
                    ])
                }
            }
        }
        guard let history else { return }
        for trigger in HistoryTriggers(of: schema, model, history.content).triggers {
            try connection.execute(trigger.createStatement)
        }
    }
}
