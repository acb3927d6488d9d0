import CambiumSQL
import CambiumSQLite

/// What other programs have changed about the model's tables and indexes, and what becomes of it.
extension MigrationRunner {
    /// What is known of the tables of a store that the chain starts from; nil where the store has
    /// the program's version and there is none.
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

    /// Those up to the version that a migration starts from: each says what its own has other than
    /// the one before.
    private func migrations(before first: Migration) -> [Migration] {
        var way = [first]
        while let last = way.last, way.count <= migrations.count,
            let former = migrations.first(where: {
                $0.to == last.from && $0.toHash == last.fromHash
            })
        {
            way.append(former)
        }
        return way.dropFirst().reversed()
    }

    /// What another program has changed about a store's tables and indexes, as far as this one can
    /// know: everything for a store of the program's version, sorted by name.
    package func differences(in connection: Connection) throws -> [StoreDifference] {
        guard let metadata = try Self.readMetadata(connection) else { return [] }
        return try expectedObjects(of: metadata, chain(from: metadata, in: connection))
            .differences(in: connection)
    }

    // MARK: Columns of others

    /// The columns that are migrated.
    ///
    /// - Throws: ``MigrationError/storeDiffers(_:)`` where the migration has no place for some.
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

    /// Looks at the tables of the new version for columns that were unknown before, because the
    /// store was made by another form of its version. They stay, or the store is refused.
    func leaveOrRefuse(_ added: inout AddedColumns, in catalogue: Catalogue) throws {
        if added.areRepaired { return }
        let found = added.add(besides: schema, in: catalogue)
        guard driftPolicy != .refuse || found.isEmpty else {
            throw MigrationError.storeDiffers(found)
        }
    }

    // MARK: What a repair would mean for the data

    /// The same differences with the number of values that a repair deletes, and with what is in
    /// its way. Goes through the tables that differ, and through those alone, as far as they are
    /// tables. What another program has them compute is not looked at.
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
                : ordinary.impostors(among: [difference.name]).first?.obstacles
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
                "\(name) is called \(other) now, and SQLite takes both for the same; give it its name "
                    + "back: \(StoreObject.renamings(of: other, to: name))"
            ]
        }
        if table.isComputed(by: computed) {
            return ["\(name) has a column that another program computes from others"]
        }
        // A rule may ask for a column whose computing another program has changed.
        let changed = difference.parts.filter { $0.kind == .changed }.map { $0.name.lowercased() }
        guard computed.isDisjoint(with: changed) else { return [] }
        let repair = TableRepair(of: table, in: catalogue)
        if repair.hasNoKeys { return ["the objects of \(name) have lost their numbers"] }
        return repair.conditions.compactMap { condition in
            guard let count = connection.count(condition.query), count > 0 else { return nil }
            return "\(condition.violation) (\(count.counted("row")))"
        }
    }

    /// The links that reference objects which were deleted with their table.
    private func links(
        to table: String, in connection: Connection, _ tables: [Table],
        _ ordinary: OrdinaryTables
    ) -> [String] {
        // What the store says of the links to a table is deleted with its name.
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

    /// Makes the tables that differ what the store's version says, inside of the migration.
    func repair(
        _ differences: [StoreDifference], of metadata: StoreMetadata, _ chain: MigrationChain,
        on connection: Connection, _ meter: MigrationMeter
    ) throws {
        guard driftPolicy == .repair, !differences.isEmpty else { return }
        let isCurrent = chain.migrations.isEmpty
        // Checks, defaults and indexes of the program's own version are brought up to date anyway,
        // which need not write the rows again.
        let names = differences.filter { !isCurrent || $0.isMissingSomeTable }.map(\.name)
        let expected = isCurrent ? .all(schema) : expectedObjects(of: metadata, chain)
        let repair = StoreRepair(
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
