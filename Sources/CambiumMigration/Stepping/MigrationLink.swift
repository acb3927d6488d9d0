import CambiumSQL

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
