import CambiumModel
import CambiumSQL

extension MigrationContext {
    /// The objects that one of the old version is linked to, in the order of the list. Cost: one
    /// look-up.
    ///
    /// - Throws: `SQLiteError`.
    public func related<Row: MigrationRow, Destination: MigrationRow>(
        _ link: MigrationLink<Row, Destination>, to id: RowID<Row>?
    ) throws -> [RowID<Destination>] where Row.Version == Old {
        try destinations(of: id, link)
    }

    /// The same for the new version. Where the links are keys in the other objects' rows, all of
    /// those are gone through: prefer the objects' own to-one relationship there.
    ///
    /// - Throws: `SQLiteError`.
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

    /// Links two objects of the new version. The other end has the link too.
    ///
    /// - Parameter position: The place in the list, where the relationship is ordered; objects
    ///   without one come last.
    /// - Throws: ``MigrationStepMistake``; `SQLiteError`.
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

    /// Takes the link between two objects of the new version away.
    ///
    /// - Throws: ``MigrationStepMistake``; `SQLiteError`.
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

/// A to-many relationship of an entity, for ``MigrationContext/related(_:to:)`` and
/// ``MigrationContext/link(_:_:to:at:)``. Generated as a static property of the row's type.
public struct MigrationLink<Row: MigrationRow, Destination: MigrationRow>: Sendable
where Row.Version == Destination.Version {
    /// Where the links are.
    enum Place: Sendable {
        /// In a table of pairs.
        case pairs(table: String, source: String, destination: String)
        /// In a column of the destination's rows.
        case key(column: String)
    }

    let name: String
    let place: Place
    let position: String?

    /// Links that are pairs in a table of their own.
    @_spi(Generated)
    public init(
        _ name: String, table: String, source: String, destination: String, position: String?
    ) {
        self.name = name
        place = .pairs(table: table, source: source, destination: destination)
        self.position = position
    }

    /// Links that are keys in the destinations' rows.
    @_spi(Generated)
    public init(_ name: String, key column: String, position: String?) {
        self.name = name
        place = .key(column: column)
        self.position = position
    }
}
