import CambiumModel
import CambiumSQL
import CambiumSQLite

/// Tries the objects of other programs with the tables of a version. The tables are created in
/// memory, without rows. The trial finds the objects that do not work with them.
struct ExternalObjectTrial {
    /// A failed query about an object, with SQLite's message.
    private struct Failure {
        let object: StoreObject
        /// The index of the query that failed.
        let number: Int
        let message: String

        func isOfSameQuestion(as other: Failure) -> Bool {
            number == other.number && object == other.object
        }
    }

    private var failures: [Failure] = []
    private let connection: Connection

    /// Creates all tables and objects.
    ///
    /// - Parameters:
    ///   - tables: The statements of the version's tables and indexes.
    ///   - objects: The objects of other programs, in the order of their creation.
    ///   - virtualColumns: The columns of their virtual tables.
    init(
        of tables: [String], with objects: [StoreObject], virtualColumns: [String: [String]]
    ) throws(SQLiteError) {
        connection = try Connection(path: ":memory:")
        // An object that cannot be created fails when it is needed.
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

    /// The error of an object that does not work with this version, but with another one.
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

    /// Tries a trigger. The trigger fails the test in two cases: a statement on the trigger's table
    /// works only without the trigger, or the statement has another error with the trigger than
    /// without the trigger. (Without a trigger, each statement that writes to a view has an error.)
    /// A trigger that fails the test is dropped again, so that its errors are not attributed to the
    /// next trigger.
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

    /// The reason why a statement cannot be compiled; nil if it can.
    private func failure(of statement: String) -> String? {
        // A statement that was compiled before does not reflect later changes of the schema.
        connection.forgetStatements()
        do throws(SQLiteError) {
            _ = try connection.statement(statement)
            return nil
        } catch {
            return error.message
        }
    }
}

/// The references from tables of other programs. Some may dangle, but a migration must not break
/// any. Foreign keys are off during a migration, so that no reference is set to nil and no
/// referencing row is deleted.
struct ExternalObjectLinks {
    /// The tables, each with the number of its dangling links.
    private let tables: [(object: StoreObject, broken: Int)]

    /// Counts the dangling links before the migration begins. If there are no such tables, nothing
    /// is counted.
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
                // If SQLite cannot follow a table's keys, the table works neither before nor
                // afterwards.
                Self.count(of: object, connection).map { (object, $0) }
            }
    }

    private static func count(of object: StoreObject, _ connection: Connection) -> Int? {
        try? connection.rows(MigrationSQL.foreignKeyCheck(of: object.name)).count
    }

    /// - Throws: ``MigrationError/externalObjectsInTheWay(_:)`` if more dangle now.
    func verify(in connection: Connection) throws(MigrationError) {
        let objects = tables.compactMap { object, broken -> ExternalObject? in
            guard let count = Self.count(of: object, connection), count > broken else { return nil }
            return ExternalObject(object, .wouldLoseLinks(count - broken))
        }
        guard objects.isEmpty else { throw .externalObjectsInTheWay(objects) }
    }
}

/// The views of other programs that have a name needed by a migration, and the objects that work
/// only with these views. If such a view were dropped, these objects would use the model's table of
/// the same name instead. (If a table of another program has such a name, the table is renamed, and
/// SQLite changes the name in all objects that use the table.)
struct LostViews {
    private let views: [StoreObject]
    private let with: ExternalObjectTrial?
    private let without: ExternalObjectTrial?

    /// Tries the objects with the store's own tables twice: with the views and without the views.
    /// If there are no such views, nothing is tried.
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

    /// The name of the view that an object needs. Nil for a trigger of a view: it is deleted with
    /// the view.
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

/// The objects of other programs that prevent a migration, each with the reason, and the objects
/// that SQLite drops with them.
struct ExternalObjectConflicts {
    private var entries: [(object: StoreObject, reason: ExternalObject.Reason)] = []

    /// Adds one.
    mutating func add(_ object: StoreObject, _ reason: ExternalObject.Reason) {
        entries.append((object, reason))
    }

    /// Adds the triggers of the views, and the triggers and indexes of the tables, that have to be
    /// dropped. A user who follows the remedy must lose only objects that were named.
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
            add(object, .belongsTo("the \(owner.kind.rawValue) \(owner.name)"))
        }
    }

    /// All objects in an order in which they can be dropped: a trigger or index before its table or
    /// view. Dropping the table or view would delete it.
    var inOrder: [(object: StoreObject, reason: ExternalObject.Reason)] {
        let kinds: [StoreObject.Kind] = [.trigger, .view, .index, .table]
        return kinds.flatMap { kind in entries.filter { $0.object.kind == kind } }
    }
}

extension StoreObject {
    /// Whether the remedy drops the object with its triggers and indexes. If only the name of a
    /// table is in conflict, it is renamed, and keeps them.
    fileprivate func takesOthersAway(where reason: ExternalObject.Reason) -> Bool {
        switch (kind, reason) {
        case (.view, _): true
        case (.table, .nameIsNeeded), (.table, .wouldLoseLinks): false
        case (.table, _): true
        case (.index, _), (.trigger, _): false
        }
    }
}

/// The triggers and views of a store, removed while its tables change. Otherwise a rebuilt table
/// would lose its triggers, SQLite could not rename the table of a view, and the history would
/// record a migration as changes of objects. The triggers, views and indexes of other programs are
/// restored unchanged. The triggers of the history are created for the new tables.
struct SetAsideObjects {
    private let connection: Connection
    /// The triggers, views and indexes of other programs. An index is deleted when its table is
    /// rebuilt.
    private let others: [StoreObject]
    /// The settings of the store's history; nil if it has none.
    let history: HistorySettings?

    /// Removes all triggers and views. Call it in a transaction.
    init(of connection: Connection) throws(SQLiteError) {
        self.connection = connection
        let objects = try connection.storeObjects()
        for object in objects where object.kind == .trigger || object.kind == .view {
            // Dropping a view drops its triggers too.
            try connection.execute(object.removalIfThere)
        }
        others = objects.filter { object in
            object.kind != .table && !object.isOfHistory
                && !(object.kind == .index && TableIndex.mayBeOurs(object.name))
        }
        history = HistorySettings(rows: try connection.rows(HistorySettings.query))
    }

    /// Restores them.
    ///
    /// - Throws: ``MigrationError/externalObjectsInTheWay(_:)`` if an object does not work any
    ///   more: it must not disappear without a message; `SQLiteError`.
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
