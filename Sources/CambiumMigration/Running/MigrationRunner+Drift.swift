import CambiumModel
import CambiumSQL
import CambiumSQLite

/// The changes of other programs to the model's tables and indexes, and their handling.
extension MigrationRunner {
    /// The known tables of a store at the beginning of the chain; nil if the store has the
    /// program's version and there is no chain.
    func expectedObjects(of store: StoreMetadata, _ chain: MigrationChain?) -> ExpectedObjects {
        guard let chain else { return .all(schema) }
        guard let first = chain.migrations.first else { return .columns(schema) }
        if let draft = chain.draft { return .all(draft.schema) }
        if let earlier = earlierSchema(store) {
            return earlier.hash == store.schemaHash ? .all(earlier) : .columns(earlier)
        }
        guard first.schemaHash == store.schemaHash else { return .nothing }
        let earlier = migrations(before: first)
        let fingerprints = (earlier + [first])
            .reduce(into: [String: String]()) { $0.merge($1.objects) { $1 } }
            .filter { !$0.value.isEmpty }
        return .fingerprints(
            fingerprints, later: schema,
            .init(
                earlier: earlier.flatMap(\.statements), later: chain.operations))
    }

    /// The migrations up to the first version of a migration. Each contains only its changes since
    /// the one before.
    private func migrations(before first: Migration) -> [Migration] {
        var path = [first]
        while let last = path.last, path.count <= migrations.count,
            let former = migrations.first(where: {
                $0.to == last.from && $0.toHash == last.fromHash
            })
        {
            path.append(former)
        }
        return path.dropFirst().reversed()
    }

    /// Returns the changes of another program to a store's tables and indexes, as far as this
    /// program can detect them, sorted by name. For a store of the program's version, that is all
    /// of them.
    package func differences(in connection: Connection) throws -> [StoreDifference] {
        guard let metadata = try Self.readMetadata(connection) else { return [] }
        return try expectedObjects(of: metadata, chain(from: metadata, in: connection))
            .differences(in: connection)
    }

    // MARK: Columns of other programs

    /// The added columns that are migrated.
    ///
    /// - Throws: ``MigrationError/storeDiffers(_:)`` if the migration cannot keep some of them.
    func addedColumns(
        _ changed: [StoreDifference], on connection: Connection, _ chain: MigrationChain
    ) throws -> AddedColumns {
        guard driftPolicy == .report, !changed.isEmpty else {
            return AddedColumns(areRepaired: !changed.isEmpty)
        }
        let added = AddedColumns(
            changed, in: Catalogue(rows: try connection.rows(Catalogue.query)))
        let lost = Set(chain.migrations.flatMap(added.lost))
        guard lost.isEmpty else {
            throw MigrationError.columnsHaveNoPlace(changed.filter { lost.contains($0.name) })
        }
        return added
    }

    /// Searches the tables of the new version for columns that were unknown before, because the
    /// store was created with another form of its version. The columns stay, or the store is
    /// refused.
    func leaveOrRefuse(_ added: inout AddedColumns, in catalogue: Catalogue) throws {
        if added.areRepaired { return }
        let found = added.add(besides: schema, in: catalogue)
        guard driftPolicy != .refuse || found.isEmpty else {
            throw MigrationError.storeDiffers(found)
        }
    }

    // MARK: The effect of a repair on the data

    /// The same differences with the number of values that a repair deletes, and with the reasons
    /// that prevent a repair. Reads only the tables that differ, if they are ordinary tables.
    /// Columns that another program has added with computed values are not read.
    func weighed(
        _ differences: [StoreDifference], in connection: Connection, _ expected: ExpectedObjects
    ) throws(SQLiteError) -> [StoreDifference] {
        guard differences.contains(where: { $0.kind != .external }) else { return differences }
        let catalogue = Catalogue(rows: try connection.rows(Catalogue.query))
        let tables = expected.tables
        let ordinary = try OrdinaryTables(in: connection)
        return try differences.map { difference throws(SQLiteError) -> StoreDifference in
            var difference = difference
            let isOrdinary = ordinary.contains(difference.name)
            let computed = isOrdinary ? try ordinary.computedColumns(of: difference.name) : []
            for index in difference.parts.indices {
                let part = difference.parts[index]
                guard part.kind == .external, part.isColumn, isOrdinary,
                    !computed.contains(part.name.lowercased())
                else { continue }
                difference.parts[index].values = connection.count(
                    TableRepair.values(of: part.name, in: difference.name))
            }
            difference.obstacles =
                difference.kind == .external
                ? []
                : ordinary.nameConflicts(among: [difference.name]).first?.obstacles
                    ?? obstacles(
                        to: difference, in: connection, catalogue, tables, ordinary, computed)
            return difference
        }
    }

    private func obstacles(
        to difference: StoreDifference, in connection: Connection, _ catalogue: Catalogue,
        _ tables: [Table], _ ordinary: OrdinaryTables, _ computed: Set<String>
    ) -> [String] {
        let name = difference.name
        if let owner = tables.first(where: { $0.indexes.contains { $0.name == name } }),
            let index = owner.indexes.first(where: { $0.name == name })
        {
            guard difference.kind != .external, ordinary.contains(owner.name),
                !owner.isComputed(by: (try? ordinary.computedColumns(of: owner.name)) ?? []),
                let search = RefusalSQL.search(after: owner.creation(of: index)),
                let rows = try? connection.rows(search.query), !rows.isEmpty
            else { return [] }
            return ["\(ConstraintName(name)?.violation ?? "two objects are equal in \(name)")"]
        }
        guard let table = tables.first(where: { $0.name == name }) else {
            guard difference.isMissingSomeTable else { return [] }
            return [
                "only the model says how the store's version made \(name): swift package cambium "
                    + "migrate apply --drift repair"
            ]
        }
        if difference.kind == .missing {
            let other = catalogue.entries.keys.first { $0.lowercased() == name.lowercased() }
            guard let other else { return links(to: name, in: connection, tables, ordinary) }
            return [
                "\(name) is called \(other) now, and SQLite treats both names as equal; give it its name "
                    + "back: \(StoreObject.renamings(of: other, to: name))"
            ]
        }
        if table.isComputed(by: computed) {
            return ["\(name) has a column that another program computes from others"]
        }
        // A rule may read a computed column that another program has changed.
        let changed = difference.parts.filter { $0.kind == .changed }.map { $0.name.lowercased() }
        guard computed.isDisjoint(with: changed) else { return [] }
        let repair = TableRepair(of: table, in: catalogue)
        if repair.hasNoKeys { return ["the objects of \(name) have lost their numbers"] }
        return repair.conditions.compactMap { condition in
            guard let count = connection.count(condition.query), count > 0 else { return nil }
            return "\(condition.violation) (\(count.counted("row")))"
        }
    }

    /// The references to objects that were deleted with their table.
    private func links(
        to table: String, in connection: Connection, _ tables: [Table],
        _ ordinary: OrdinaryTables
    ) -> [String] {
        // The store's information about the links to a table is deleted with its name.
        var links = tables.flatMap { source in
            source.columns(leadingTo: table).map { [source.name, $0.name] }
        }
        for row in (try? connection.rows(TableRepair.links(to: table))) ?? [] {
            guard case .text(let source)? = row.first, case .text(let column)? = row.last,
                !links.contains([source, column])
            else { continue }
            links.append([source, column])
        }
        return links.compactMap { link in
            let (source, column) = (link[0], link[1])
            guard ordinary.contains(source),
                (try? ordinary.computedColumns(of: source))?.contains(column.lowercased()) == false,
                let count = connection.count(TableRepair.values(of: column, in: source)),
                count > 0
            else { return nil }
            return "\(source).\(column) references deleted objects of \(table) "
                + "(\(count.counted("row")))"
        }
    }

    // MARK: Doing it

    /// Repairs the tables that differ to the form of the store's version, inside of the migration.
    func repair(
        _ differences: [StoreDifference], of metadata: StoreMetadata, _ chain: MigrationChain,
        on connection: Connection, _ meter: MigrationMeter
    ) throws {
        guard driftPolicy == .repair, !differences.isEmpty else { return }
        let isCurrent = chain.migrations.isEmpty
        // Checks, defaults and indexes of the program's own version are updated anyway,
        // without writing all rows again.
        let names = differences.filter { !isCurrent || $0.isMissingSomeTable }.map(\.name)
        let expected = isCurrent ? .all(schema) : expectedObjects(of: metadata, chain)
        let repair = SchemaRepair(
            of: Set(names), in: Catalogue(rows: try connection.rows(Catalogue.query)),
            as: expected.tables)
        for statement in repair.statements {
            do {
                try execute(
                    statement, of: "Repair what another program has changed", on: connection, meter)
            } catch MigrationError.refused(let refusal) {
                throw MigrationError.storeDiffers(differences.adding("\(refusal)"))
            }
        }
    }
}

extension Table {
    /// Whether one of its columns that has to have a value of its own is computed in a store.
    ///
    /// - Parameter computed: The names of the store's computed columns, in lower case.
    fileprivate func isComputed(by computed: Set<String>) -> Bool {
        columns.contains { !$0.isGenerated && computed.contains($0.name.lowercased()) }
    }
}

/// The objects that other programs have put into a store in addition to the model's tables.
extension MigrationRunner {
    /// The external objects that a migration cannot leave unchanged, in the order of their
    /// creation. Changes nothing. Without such objects, the cost is one query of the catalogue.
    ///
    /// - Parameter differences: The changes of other programs to the model's own tables.
    func externalObjects(
        inWayOf chain: MigrationChain?, from store: StoreMetadata,
        _ differences: [StoreDifference], in connection: Connection
    ) throws(SQLiteError) -> [ExternalObject] {
        let objects = try connection.storeObjects()
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
                reason = .usesReservedName
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

    /// The columns of other programs that stay.
    private func keptColumns(
        _ expected: ExpectedObjects, _ differences: [StoreDifference], in catalogue: Catalogue,
        _ chain: MigrationChain?
    ) -> AddedColumns {
        var columns = AddedColumns()
        if case .nothing = expected {
            // The columns that the chain reads are the model's own.
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
            // If the module is not available, the table cannot be read either.
            let rows = (try? connection.rows(StoreObject.columns(of: table.name))) ?? []
            columns[table.name] = rows.compactMap { $0.first?.text }
        }
    }

    // MARK: Stores that are not trusted

    /// Checks that a store of the program's version contains only the objects that the model and
    /// its history need.
    ///
    /// - Parameter triggers: The triggers of the history.
    /// - Throws: ``MigrationError/objectsAreNotTrusted(_:)``; `SQLiteError`.
    package func requireTrust(in connection: Connection, triggers: [StoreTrigger]) throws {
        let objects = try connection.storeObjects()
        let own = schema.tables.map(\.name) + schema.tables.flatMap(\.indexes).map(\.name)
        try requireTrust(in: objects, own: own, triggers: triggers)
    }

    /// - Parameters:
    ///   - own: The names of the model's tables and indexes.
    ///   - triggers: The triggers of the history; nil if they are removed before anything is
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
    /// A name in an object that refers to another table or column afterwards; nil if there is none.
    func otherMeaning(
        of object: StoreObject, in catalogue: Catalogue, _ own: [StoreObject]
    ) -> String? {
        let table = object.table.lowercased()
        // An index refers only to its table.
        let words = object.kind == .index ? [table] : object.words.union([table])
        let tables = own.filter { $0.kind == .table && words.contains($0.name.lowercased()) }
            .map(\.name)
        // An object that references a deleted table does not work any more. Other words in its SQL
        // may be anything.
        if let table = tables.first(where: {
            reusedNames.contains($0.lowercased()) && (isPresent($0) || object.isVirtual)
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
    /// Returns a column of a virtual table that is also a column of a model's table in the store,
    /// but no longer in the new version. The virtual table's SQL must name the model's table,
    /// because its rows may then be stored there.
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
    /// The object as a row of the catalogue.
    fileprivate var row: [StoredValue] { [.text(name), .text(sql)] }
}
