/// The changes of the objects of one entity.
public struct EntityChanges: Sendable {
    /// A new row.
    public struct InsertedRow: Sendable {
        @usableFromInline package let key: Int64
        /// The row, where rows are attached.
        public let placed: PlacedRecord?

        /// Tells of a new row.
        @inlinable
        public init(key: Int64, placed: PlacedRecord?) {
            self.key = key
            self.placed = placed
        }
    }

    /// A changed row.
    public struct UpdatedRow: Sendable {
        @usableFromInline package let key: Int64
        /// The slots that were set; empty where only links changed, and the row is as it was.
        public let slots: SlotSet
        /// The names of relationships kept elsewhere that changed.
        public var links: [String]
        /// The row, where rows are attached and there is one.
        public let placed: PlacedRecord?

        /// Tells of a changed row.
        @inlinable
        public init(key: Int64, slots: SlotSet, links: [String], placed: PlacedRecord?) {
            self.key = key
            self.slots = slots
            self.links = links
            self.placed = placed
        }
    }

    /// Of a commit that changed more rows nobody is told which: to read everything anew is cheaper
    /// then than to keep lists for all who may want to know.
    public static let maximumListedRows = 100_000

    package let entity: EntityDescription
    package var inserted: [InsertedRow] = []
    package var updated: [UpdatedRow] = []
    /// Rows whose derived columns alone have other values. Their versions are what they were, so
    /// whoever wants to know reads them again.
    public var refreshed: [UpdatedRow] = []
    package var deleted: [Int64] = []

    package init(entity: EntityDescription) { self.entity = entity }
}

extension EntityChanges.UpdatedRow {
    /// A row of which any property may be other now.
    public static func anything(of entity: EntityDescription, _ key: Int64) -> Self {
        let links = entity.relationships.filter { $0.slot == nil && !$0.isTransient }
        return Self(
            key: key, slots: entity.storedSlots, links: links.map(\.relationship.name), placed: nil)
    }
}
