import CambiumModel
import CambiumSQL
import CambiumSQLite

/// What other programs have put into a store beside the model's tables.
extension MigrationRunner {
    /// Those that a migration cannot leave as they are, in the order of their making. Nothing is
    /// changed; a store that has none costs the look at its catalogue.
    ///
    /// - Parameter differences: What others have changed about the model's own tables.
    func externalObjects(
        inWayOf chain: MigrationChain?, from store: StoreMetadata,
        _ differences: [StoreDifference], in connection: Connection
    ) throws(SQLiteError) -> [ExternalObject] {
        let objects = try connection.rows(StoreObject.query).compactMap(StoreObject.init)
            .filter { !$0.isOfHistory }
        let expected = expectedObjects(of: store, chain)
        let ours = Set(
            expected.names(among: objects, chain, schema).map { $0.lowercased() })
        let external = objects.filter { object in
            object.kind == .view || object.kind == .trigger
                || !ours.contains(object.name.lowercased())
        }
        let migrations = chain?.migrations ?? []
        guard !external.isEmpty else { return [] }
        var names = MigratedNames(of: objects, keeping: external)
        for migration in migrations { names.follow(migration.operations) }
        let own = objects.filter { !external.contains($0) }
        let virtualColumns = columns(of: external.filter(\.isVirtual), in: connection)
        let others = external.filter { !names.taken.contains($0.name.lowercased()) }
        let before = try ExternalObjectTrial(
            of: own.map(\.sql), with: others, virtualColumns: virtualColumns)
        let catalogue = Catalogue(rows: own.map(\.row))
        let kept = keptColumns(expected, differences, in: catalogue, chain)
        let after = try ExternalObjectTrial(
            of: schema.statements + kept.additions.map(\.sql), with: others,
            virtualColumns: virtualColumns)
        let usedNames = Set(objects.map { $0.name.lowercased() }).union(names.made.keys)
        let lostViews = try LostViews(names, own, external, virtualColumns)
        var conflicts = ExternalObjectConflicts()
        for object in external {
            let reason: ExternalObject.Reason
            let key = object.name.lowercased()
            if object.kind != .trigger, names.taken.contains(key), let made = names.made[key] {
                reason = .nameIsNeeded(made)
            } else if object.kind == .index, TableIndex.mayBeOurs(object.name) {
                reason = .looksLikeOurs
            } else if let message = after.firstFailure(of: object, besides: before) {
                reason = .wouldBreak(message)
            } else if let column = catalogue.deletedColumn(from: object, virtualColumns, schema) {
                reason = .wouldBreak("no such column: \(column)")
            } else if let text = names.otherMeaning(of: object, in: catalogue, own) {
                reason = .wouldMeanSomethingElse(text)
            } else if let view = lostViews.needed(by: object) {
                reason = .wouldMeanSomethingElse("\(view) is something else then")
            } else {
                continue
            }
            conflicts.add(object, reason)
        }
        conflicts.addCompanions(among: external)
        return conflicts.inOrder.map { ExternalObject($0.object, $0.reason, usedNames) }
    }

    /// The columns of others that stay.
    private func keptColumns(
        _ expected: ExpectedObjects, _ differences: [StoreDifference], in catalogue: Catalogue,
        _ chain: MigrationChain?
    ) -> AddedColumns {
        var columns = AddedColumns()
        if case .nothing = expected {
            // What the chain reads is the model's own.
            let own = chain?.operations.columnsRead ?? []
            _ = columns.add(besides: schema, in: catalogue) { !own.contains($0.name) }
        } else if driftPolicy != .repair {
            columns = AddedColumns(differences, in: catalogue)
        }
        return columns
    }

    private func columns(
        of tables: [StoreObject], in connection: Connection
    ) -> [String: [String]] {
        tables.reduce(into: [:]) { columns, table in
            // Where the module is not there, the table cannot be read either.
            let rows = (try? connection.rows(StoreObject.columns(of: table.name))) ?? []
            columns[table.name] = rows.compactMap { $0.first?.text }
        }
    }

    // MARK: Stores that are not trusted

    /// Makes sure that a store of the program's version has nothing but what the model and its history
    /// need.
    ///
    /// - Parameter triggers: Those of the history.
    /// - Throws: ``MigrationError/objectsAreNotTrusted(_:)``; `SQLiteError`.
    package func requireTrust(in connection: Connection, triggers: [StoreTrigger]) throws {
        let objects = try connection.rows(StoreObject.query).compactMap(StoreObject.init)
        let own = schema.tables.map(\.name) + schema.tables.flatMap(\.indexes).map(\.name)
        try requireTrust(in: objects, own: own, triggers: triggers)
    }

    /// - Parameters:
    ///   - own: The names of the model's tables and indexes.
    ///   - triggers: The triggers of the history; nil where they are removed before anything is
    ///     written.
    func requireTrust(
        in objects: [StoreObject], own: [String], triggers: [StoreTrigger]?
    ) throws(MigrationError) {
        let own = Set(own.map { $0.lowercased() })
        let history = Set(HistorySQL.createStatements.map(Catalogue.normalized))
        let others = objects.filter { object in
            switch object.kind {
            case .view: true
            case .trigger:
                !object.isOfHistory
                    || triggers?.contains { $0.isSame(as: StoreTrigger(of: object)) } == false
            case .table:
                !own.contains(object.name.lowercased())
                    && !history.contains(Catalogue.normalized(object.sql))
            case .index: !own.contains(object.name.lowercased())
            }
        }
        guard others.isEmpty else {
            throw .objectsAreNotTrusted(others.map { ExternalObject($0, .isNotTrusted) })
        }
    }
}

extension MigratedNames {
    /// What an object names that is something else afterwards; nil where there is nothing.
    func otherMeaning(
        of object: StoreObject, in catalogue: Catalogue, _ own: [StoreObject]
    ) -> String? {
        let table = object.table.lowercased()
        // An index looks at nothing but its table.
        let words = object.kind == .index ? [table] : object.words.union([table])
        let tables = own.filter { $0.kind == .table && words.contains($0.name.lowercased()) }
            .map(\.name)
        // What references a deleted table does not work any more; other words may be anything.
        if let table = tables.first(where: {
            strangers.contains($0.lowercased()) && (isPresent($0) || object.isVirtual)
        }) {
            return "\(table) has other objects then"
        }
        guard object.kind != .table || object.isVirtual else { return nil }
        for table in tables {
            let columns = (catalogue.parts(of: table) ?? []).filter(\.isColumn).map(\.name)
            let strange = strangeColumns[table.lowercased()] ?? []
            if let column = columns.first(where: {
                strange.contains($0.lowercased()) && words.contains($0.lowercased())
            }) {
                return "\(table).\(column) has other values then"
            }
        }
        return nil
    }
}

extension Catalogue {
    /// A column that a virtual table shares with one of the model's that it names, and that this one
    /// has no more: such a table may have its rows there.
    func deletedColumn(
        from object: StoreObject, _ virtualColumns: [String: [String]], _ schema: Schema
    ) -> String? {
        guard object.isVirtual else { return nil }
        let words = object.words
        for table in schema.tables where words.contains(table.name.lowercased()) {
            let old = Set((parts(of: table.name) ?? []).map { $0.name.lowercased() })
            let new = Set(table.columns.map { $0.name.lowercased() })
            let gone = (virtualColumns[object.name] ?? []).first { column in
                old.contains(column.lowercased()) && !new.contains(column.lowercased())
            }
            if let gone { return gone }
        }
        return nil
    }
}

extension StoreObject {
    /// As a catalogue is read.
    fileprivate var row: [StoredValue] { [.text(name), .text(sql)] }
}
