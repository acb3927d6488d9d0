/// The row that a fetch stands at, valid during the call that hands it over: the next row comes in
/// the same object. (A value would count the references in it up and down, for each row.)
public final class StoreRow {
    // Safety: written by a fetch between the calls in which they are read. Other modules inline how
    // they are reached: an access of their own would be checked, for each row.
    @exclusivity(unchecked) @usableFromInline var place: (key: Int64, version: Int64, entity: Int)
    /// The values of the row; nil where only its key was asked for.
    @usableFromInline let values: (any RowValues)?

    /// - Parameter values: The values of the row; nil where only its key was asked for.
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

    /// Goes to the next row.
    @inlinable
    public func move(to key: Int64, version: Int64 = 0, entity: Int) {
        place = (key, version, entity)
    }

    /// Reads the row's values into a record; nil where only its key was asked for.
    @inlinable
    public func values(in writer: RecordWriter) throws -> PlacedRecord? {
        try values?.record(of: self, in: writer)
    }
}

/// The values of the row that a fetch stands at.
public protocol RowValues: AnyObject {
    /// Reads them into a record; nil where there are none.
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
