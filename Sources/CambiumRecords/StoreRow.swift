/// The current row of a fetch. The object is valid only during the call that receives it, because
/// the fetch uses the same object for the next row. (If the row were a struct, its references would
/// be retained and released for each row.)
public final class StoreRow {
    // Safety: written by a fetch between the calls that read it. Other modules inline the access to
    // the members: otherwise each access would be checked, for each row.
    @exclusivity(unchecked) @usableFromInline var place: (key: Int64, version: Int64, entity: Int)
    /// The values of the row; nil if only its key was requested.
    @usableFromInline let values: (any RowValues)?

    /// - Parameter values: The values of the row; nil if only its key was requested.
    public init(
        key: Int64 = 0, version: Int64 = 0, entity: Int = 0, values: (any RowValues)? = nil
    ) {
        self.values = values
        place = (key, version, entity)
    }

    /// The row's key.
    @inlinable public var key: Int64 { place.key }
    /// The row's version.
    @inlinable public var version: Int64 { place.version }
    /// The number of the row's own entity.
    @inlinable public var entity: Int { place.entity }

    /// Moves to the next row.
    @inlinable
    public func move(to key: Int64, version: Int64 = 0, entity: Int) {
        place = (key, version, entity)
    }

    /// Reads the row's values into a record; nil if only its key was requested.
    @inlinable
    public func values(in writer: RecordWriter) throws -> PlacedRecord? {
        try values?.record(of: self, in: writer)
    }
}

/// The values of the row that a fetch stands at.
public protocol RowValues: AnyObject {
    /// Reads the values into a record; nil if there are none.
    func record(of row: StoreRow, in writer: RecordWriter) throws -> PlacedRecord?
}

/// A row with its values.
public struct ReadRow {
    /// The number of the row's own entity.
    public let entity: Int
    package let placed: PlacedRecord

    package init(entity: Int, placed: PlacedRecord) {
        self.entity = entity
        self.placed = placed
    }
}
