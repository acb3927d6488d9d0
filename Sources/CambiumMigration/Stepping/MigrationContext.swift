import CambiumModel
import CambiumSQL

/// The store between two versions, for a custom step of a migration.
///
/// A step runs in the transaction of the complete chain of migrations. At that time, the new tables
/// exist and contain all values that the two versions define: unchanged and renamed values, fills
/// and defaults. The new version's constraints are checked later. Old tables are dropped and
/// derived attributes are computed later, too. The step can therefore read the complete old
/// version, and correct the migrated objects of the new version. The result has to meet the new
/// version's constraints. If a row violates one, or the step throws, the complete chain is rolled
/// back, and the error names the step, the entity and the row.
///
/// ```swift
/// func splitName(_ context: MigrationContext<Shop.Version1, Shop.Version2>) throws {
///     try context.forEach(Shop.Version1.PersonRow.self) { old in
///         let words = old.name.split(separator: " ", maxSplits: 1)
///         try context.update(old.rowID, as: Shop.Version2.PersonRow.self) { new in
///             new.firstName = words.first.map(String.init) ?? ""
///             new.lastName = words.dropFirst().last.map(String.init) ?? ""
///         }
///     }
/// }
/// ```
///
/// Rows are read in batches of some hundred, in the order of their numbers, so that their number
/// does not increase the memory that a step needs. Rules that only the runtime checks (patterns,
/// numbers of links, custom validation) are not checked.
///
/// ## Topics
///
/// ### Reading
///
/// - ``forEach(_:_:)-5zdt4``
/// - ``forEach(_:_:)-9hde3``
/// - ``row(_:)-4kwy5``
/// - ``row(_:)-26yes``
/// - ``count(of:)``
///
/// ### Writing
///
/// - ``insert(_:)``
/// - ``update(_:_:)``
/// - ``update(_:as:_:)``
/// - ``delete(_:)``
///
/// ### Links
///
/// - ``related(_:to:)-1mmzw``
/// - ``related(_:to:)-2ahee``
/// - ``link(_:_:to:at:)``
/// - ``unlink(_:_:from:)``
///
/// ### Replaced objects
///
/// - ``newID(of:as:)``
/// - ``replace(_:with:)``
///
/// ### Progress
///
/// - ``report(_:)``
/// - ``checkCancellation()``
public struct MigrationContext<Old: MigrationVersion, New: MigrationVersion> {
    let run: StepRun

    init(_ run: StepRun) {
        self.run = run
    }

    /// Reports the progress of the step, from 0 to 1. ``forEach(_:_:)-5zdt4`` reports it
    /// automatically.
    public func report(_ fraction: Double) { run.report(fraction) }

    /// Throws if the migration was cancelled. All methods that read or write check this
    /// automatically. Call it during long computations between them.
    ///
    /// - Throws: ``MigrationError/cancelled``.
    public func checkCancellation() throws { try run.checkCancellation() }

    // MARK: Tables

    func table<Row: MigrationRow>(of type: Row.Type) -> String {
        Row.Version.self == New.self
            ? run.newTable(Row.layout.root) : run.oldTable(Row.layout.root)
    }

    func sql<Row: MigrationRow>(of type: Row.Type) -> RowStatements {
        run.statements(of: type, isNew: Row.Version.self == New.self)
    }

    /// - Throws: ``MigrationStepMistake/notWritable(entity:)``.
    func writing<Row: WritableMigrationRow>(
        _ type: Row.Type
    ) throws -> RowStatements where Row.Version == New {
        let sql = sql(of: type)
        guard sql.isWritable else {
            throw MigrationStepMistake.notWritable(entity: Row.layout.entity)
        }
        return sql
    }

    /// Returns the object of the new version that replaces an object of the old version: the one
    /// that was noted by ``replace(_:with:)``, or else the migrated object. Cost: one or two
    /// look-ups.
    ///
    /// - Returns: Nil if the ID is nil, or if no object of that entity replaces the old one.
    /// - Throws: An error of the database.
    public func newID<OldRow: MigrationRow, Row: MigrationRow>(
        of id: RowID<OldRow>?, as type: Row.Type
    ) throws -> RowID<Row>? where OldRow.Version == Old, Row.Version == New {
        guard let id else { return nil }
        let noted = try run.connection.rows(
            StepRowSQL.noted,
            [.text(OldRow.layout.root), .integer(id.key), .text(Row.layout.root)])
        if let key = noted.first?.first?.integer { return RowID(key: key) }
        guard let successor = try successor(of: id) else { return nil }
        let carried = RowID<Row>(key: id.key + successor.shift)
        // The new table may contain objects of several old tables, so the number alone is not
        // sufficient.
        guard
            Row.layout.family.isEmpty
                ? successor.entity == Row.layout.entity
                : Row.layout.family.contains(successor.entity)
        else { return nil }
        let found: Row? = try read(carried)
        return found == nil ? nil : carried
    }

    private func successor<OldRow: MigrationRow>(
        of id: RowID<OldRow>
    ) throws -> (entity: String, shift: Int64)? {
        guard !OldRow.layout.family.isEmpty else { return run.successors[OldRow.layout.entity] }
        let sql = StepRowSQL.entity(in: run.oldTable(OldRow.layout.root))
        let row = try run.connection.rows(sql, [.integer(id.key)]).first
        return row?.first?.text.flatMap { run.successors[$0] }
    }

    /// Notes that an object of the new version replaces an object of the old version, so that
    /// ``newID(of:as:)`` finds it. Migrated links to the old object are not changed; set them
    /// yourself.
    ///
    /// - Throws: ``MigrationStepMistake/noRow(entity:row:)`` if the old ID is nil; an error of the
    ///   database.
    public func replace<OldRow: MigrationRow, Row: MigrationRow>(
        _ old: RowID<OldRow>?, with new: RowID<Row>
    ) throws where OldRow.Version == Old, Row.Version == New {
        let old = try given(old)
        _ = try run.connection.rows(
            StepRowSQL.note,
            [
                .text(OldRow.layout.root), .integer(old.key), .text(Row.layout.root),
                .integer(new.key),
            ])
    }

    /// A row that was read has a number. A new row that was not inserted yet has none.
    func given<Row: MigrationRow>(_ id: RowID<Row>?) throws(MigrationStepMistake) -> RowID<Row> {
        guard let id else { throw .noRow(entity: Row.layout.entity, row: 0) }
        return id
    }

    /// Calls a closure for each row of an entity of the old version and its subentities, in the
    /// order of their numbers.
    ///
    /// - Throws: The error of the closure, with the entity and the row; an error of the database.
    public func forEach<Row: MigrationRow>(
        _ type: Row.Type, _ body: (Row) throws -> Void
    ) throws where Row.Version == Old {
        try goThrough(type, body)
    }

    /// Calls a closure for each row of an entity of the new version and its subentities, in the
    /// order of their numbers. Rows that the closure inserts are included, at the end. Rows that it
    /// deletes before they were reached are not.
    ///
    /// - Throws: The error of the closure, with the entity and the row; an error of the database.
    public func forEach<Row: MigrationRow>(
        _ type: Row.Type, _ body: (Row) throws -> Void
    ) throws where Row.Version == New {
        try goThrough(type, body)
    }

    private func goThrough<Row: MigrationRow>(
        _ type: Row.Type, _ body: (Row) throws -> Void
    ) throws {
        let sql = sql(of: type)
        let total = max(1, try run.connection.number(sql.count))
        var done = 0
        var last = Int64.min
        let around = run.place
        while true {
            try run.checkCancellation()
            // The statement is finished before the closure writes. It is undefined whether an open
            // statement sees later writes.
            let rows = try run.connection.rows(
                sql.batch, [.integer(last), .integer(StepRun.batchSize)])
            for values in rows {
                let storage = RowStorage(values, run.connection.largeValues)
                guard let key = storage.key else { continue }
                last = key
                run.place = (Row.layout.entity, key)
                // If the body throws, the error is reported with this row, so the position is kept.
                try body(Row(storage: storage))
            }
            done += rows.count
            if around == nil { run.report(Double(done) / Double(total)) }
            if rows.count < Int(StepRun.batchSize) { break }
        }
        run.place = around
    }

    /// Returns the row of an object of the old version; nil if there is none, or if it has another
    /// entity. Cost: one look-up.
    ///
    /// - Throws: An error of the database.
    public func row<Row: MigrationRow>(
        _ id: RowID<Row>?
    ) throws -> Row? where Row.Version == Old {
        try read(id)
    }

    /// Returns the row of an object of the new version, with the changes of the step.
    ///
    /// - Throws: An error of the database.
    public func row<Row: MigrationRow>(
        _ id: RowID<Row>?
    ) throws -> Row? where Row.Version == New {
        try read(id)
    }

    func read<Row: MigrationRow>(_ id: RowID<Row>?) throws -> Row? {
        guard let id else { return nil }
        return try run.connection.rows(sql(of: Row.self).one, [.integer(id.key)]).first.map {
            Row(storage: RowStorage($0, run.connection.largeValues))
        }
    }

    /// Returns the number of objects of an entity and its subentities. Cost: a scan of the table.
    ///
    /// - Throws: An error of the database.
    public func count<Row: MigrationRow>(of type: Row.Type) throws -> Int {
        try run.connection.number(sql(of: type).count)
    }

    /// Inserts an object into the new version. It gets a number that no object had before.
    ///
    /// - Returns: The new object.
    /// - Throws: ``MigrationStepMistake/notWritable(entity:)``,
    ///   ``MigrationStepMistake/nulInText(entity:column:)``; an error of the database.
    @discardableResult
    public func insert<Row: WritableMigrationRow>(
        _ row: Row
    ) throws -> RowID<Row> where Row.Version == New {
        let sql = try writing(Row.self)
        try requireFit(row, besides: [])
        guard
            case .integer(let key)? = try run.connection.rows(
                StepRowSQL.nextKey, [.text(Row.layout.root)]
            ).first?.first
        else { throw MigrationStepMistake.notWritable(entity: Row.layout.entity) }
        _ = try run.connection.rows(sql.insertion, [.integer(key)] + row.storage.values)
        return RowID(key: key)
    }

    /// Changes the row of an object of the new version.
    ///
    /// - Throws: ``MigrationStepMistake/noRow(entity:row:)`` if there is no such object;
    ///   ``MigrationStepMistake/nulInText(entity:column:)`` if a changed string contains a NUL
    ///   character; the error of the closure; an error of the database.
    public func update<Row: WritableMigrationRow>(
        _ id: RowID<Row>?, _ change: (inout Row) throws -> Void
    ) throws where Row.Version == New {
        let sql = try writing(Row.self)
        let id = try given(id)
        guard var row: Row = try read(id) else {
            throw MigrationStepMistake.noRow(entity: Row.layout.entity, row: id.key)
        }
        let before = row.storage.values
        try change(&row)
        try requireFit(row, besides: before)
        guard row.storage.values != before else { return }
        _ = try run.connection.rows(sql.update, row.storage.values + [.integer(id.key)])
    }

    /// Changes the row of the object that replaces an object of the old version.
    ///
    /// - Throws: ``MigrationStepMistake/noSuccessor(entity:row:successor:)`` if no object of that
    ///   entity replaces it; the error of the closure; an error of the database.
    public func update<OldRow: MigrationRow, Row: WritableMigrationRow>(
        _ id: RowID<OldRow>?, as type: Row.Type, _ change: (inout Row) throws -> Void
    ) throws where OldRow.Version == Old, Row.Version == New {
        guard let id, let successor = try newID(of: id, as: type) else {
            throw MigrationStepMistake.noSuccessor(
                entity: OldRow.layout.entity, row: id?.key ?? 0, successor: Row.layout.entity)
        }
        try update(successor, change)
    }

    /// Deletes an object of the new version. Links to it are removed. If another object requires
    /// its link, set another one or delete that object too.
    ///
    /// - Throws: ``MigrationStepMistake``; an error of the database.
    public func delete<Row: WritableMigrationRow>(
        _ id: RowID<Row>?
    ) throws where Row.Version == New {
        let sql = try writing(Row.self)
        let id = try given(id)
        guard let _: Row = try read(id) else {
            throw MigrationStepMistake.noRow(entity: Row.layout.entity, row: id.key)
        }
        _ = try run.connection.rows(sql.deletion, [.integer(id.key)])
        _ = try run.connection.rows(
            StepRowSQL.noteDeletion, [.text(Row.layout.root), .integer(id.key)])
    }

    /// - Parameter known: The values before the change. Values that another program wrote are not a
    ///   mistake of the step.
    private func requireFit<Row: MigrationRow>(
        _ row: Row, besides known: [StoredValue]
    ) throws(MigrationStepMistake) {
        let layout = Row.layout
        if let index = row.storage.unfit.min() {
            throw .unfitValue(entity: layout.entity, column: layout.columns[index])
        }
        for (index, value) in row.storage.values.enumerated() {
            if index < known.count, known[index] == value { continue }
            let column = layout.columns[index]
            if value.hasNUL { throw .nulInText(entity: layout.entity, column: column) }
            guard run.connection.keeps(value, in: column, of: sql(of: Row.self).table) else {
                throw .unkeptDate(entity: layout.entity, column: column)
            }
        }
    }
}

extension StoredValue {
    /// Whether the value is a string with a NUL, at which SQLite's own functions would stop.
    fileprivate var hasNUL: Bool {
        if case .text(let text) = self { text.utf8.contains(0) } else { false }
    }
}

extension MigrationContext {
    /// Returns the objects to which an object of the old version is linked, in the order of the
    /// list. Cost: one look-up.
    ///
    /// - Throws: An error of the database.
    public func related<Row: MigrationRow, Destination: MigrationRow>(
        _ link: MigrationLink<Row, Destination>, to id: RowID<Row>?
    ) throws -> [RowID<Destination>] where Row.Version == Old {
        try destinations(of: id, link)
    }

    /// Returns the objects to which an object of the new version is linked, in the order of the
    /// list. If the links are keys in the rows of the other objects, the method scans all of these
    /// rows. Then use the to-one relationship of the other objects instead.
    ///
    /// - Throws: An error of the database.
    public func related<Row: MigrationRow, Destination: MigrationRow>(
        _ link: MigrationLink<Row, Destination>, to id: RowID<Row>?
    ) throws -> [RowID<Destination>] where Row.Version == New {
        try destinations(of: id, link)
    }

    private func destinations<Row: MigrationRow, Destination: MigrationRow>(
        of id: RowID<Row>?, _ link: MigrationLink<Row, Destination>
    ) throws -> [RowID<Destination>] {
        guard let id else { return [] }
        return try run.connection.rows(sql(of: link).destinations, [.integer(id.key)])
            .compactMap { $0.first?.integer.map { RowID<Destination>(key: $0) } }
    }

    /// Links two objects of the new version, at both ends.
    ///
    /// - Parameter position: The position in the list, if the relationship is ordered. Objects
    ///   without one come last.
    /// - Throws: ``MigrationStepMistake``; an error of the database.
    public func link<Row: WritableMigrationRow, Destination: MigrationRow>(
        _ id: RowID<Row>?, _ link: MigrationLink<Row, Destination>, to other: RowID<Destination>?,
        at position: Int64? = nil
    ) throws where Row.Version == New {
        try requireWritable(link)
        let (id, other) = (try given(id), try given(other))
        var parameters: [StoredValue] = [.integer(id.key), .integer(other.key)]
        if link.position != nil { parameters.append(position.map { .integer($0) } ?? .null) }
        _ = try run.connection.rows(sql(of: link).addition, parameters)
    }

    /// Removes the link between two objects of the new version.
    ///
    /// - Throws: ``MigrationStepMistake``; an error of the database.
    public func unlink<Row: WritableMigrationRow, Destination: MigrationRow>(
        _ id: RowID<Row>?, _ link: MigrationLink<Row, Destination>, from other: RowID<Destination>?
    ) throws where Row.Version == New {
        try requireWritable(link)
        let (id, other) = (try given(id), try given(other))
        _ = try run.connection.rows(
            sql(of: link).removal, [.integer(id.key), .integer(other.key)])
    }

    private func requireWritable<Row: MigrationRow, Destination: MigrationRow>(
        _ link: MigrationLink<Row, Destination>
    ) throws {
        let roots =
            switch link.place {
            case .pairs: [Row.layout.root, Destination.layout.root]
            case .key: [Destination.layout.root]
            }
        guard roots.contains(where: { run.workingTable($0) != nil }) else {
            throw MigrationStepMistake.notWritable(entity: Destination.layout.entity)
        }
    }

    private func sql<Row: MigrationRow, Destination: MigrationRow>(
        of link: MigrationLink<Row, Destination>
    ) -> StepLinkSQL {
        switch link.place {
        case .pairs(let table, let source, let destination):
            StepLinkSQL(
                table: Row.Version.self == New.self ? run.newPairs(table) : table,
                source: source, destination: destination, position: link.position)
        case .key(let column):
            StepLinkSQL(
                table: table(of: Destination.self), source: column, destination: "_id",
                position: link.position)
        }
    }
}

/// A to-many relationship of an entity, for ``MigrationContext/related(_:to:)-1mmzw`` and
/// ``MigrationContext/link(_:_:to:at:)``. Generated as a static property of the row's type.
public struct MigrationLink<Row: MigrationRow, Destination: MigrationRow>: Sendable
where Row.Version == Destination.Version {
    /// The storage of the links.
    enum Place: Sendable {
        /// In a table of pairs.
        case pairs(table: String, source: String, destination: String)
        /// In a column of the destination's rows.
        case key(column: String)
    }

    let name: String
    let place: Place
    let position: String?

    /// Creates a relationship with links in a table of pairs.
    @_spi(Generated)
    public init(
        _ name: String, table: String, source: String, destination: String, position: String?
    ) {
        self.name = name
        place = .pairs(table: table, source: source, destination: destination)
        self.position = position
    }

    /// Creates a relationship with links as keys in the rows of the destinations.
    @_spi(Generated)
    public init(_ name: String, key column: String, position: String?) {
        self.name = name
        place = .key(column: column)
        self.position = position
    }
}
