import CambiumModel
import CambiumRecords
import CambiumSQL

/// A table that is moved to a store of another kind: the columns that are written there.
///
/// A moved row is a record that has a slot for each column. Its own key and version mean
/// nothing.
package struct MovedTable: Sendable {
    /// A column that is moved as it is.
    package struct Column: Sendable {
        package let name: String
        package let kind: StorageClass
        package let content: Table.Column.Content
        /// The attribute of the values; nil if they are not an attribute's.
        package let attribute: Attribute?
    }

    package let name: String
    package let content: Table.Content
    package let columns: [Column]
    /// The form of the records.
    package let shape: RecordShape
    /// The slots of the object's key and entity, if there are any.
    package let keySlot: Int?
    package let entitySlot: Int?

    private init(_ name: String, _ content: Table.Content, _ columns: [Column]) {
        self.name = name
        self.content = content
        self.columns = columns
        shape = RecordShape(kinds: columns.map(\.kind))
        keySlot = columns.firstIndex { $0.name == SystemColumn.key }
        entitySlot = columns.firstIndex { $0.content == .entity }
    }

    /// - Parameter table: The table as the new store has it.
    package init(_ table: Table, in model: Model) {
        // The engine computes the others.
        let columns = table.columns.filter { !$0.isGenerated }.map { column in
            var attribute: Attribute?
            if case .attribute(let owner, let name) = column.content {
                attribute = model.entity(named: owner)?.attributes.first { $0.name == name }
            }
            return Column(
                name: column.name, kind: column.type, content: column.content,
                attribute: attribute)
        }
        self.init(table.name, table.content, columns)
    }

    /// The tables of a store, in the order of their creation.
    ///
    /// - Parameter roots: The numbers of the root entities with rows in the store.
    package static func all(
        _ tables: [Table], of roots: [Int], in model: ModelDescription
    ) -> [MovedTable] {
        let names = Set(roots.map { model.entities[$0].name })
        return tables.filter { table in
            switch table.content {
            case .system: false
            case .objects(let root): names.contains(root)
            case .links(let entity, _):
                model[entity].map { names.contains(model.entities[$0.rootIndex].name) } ?? false
            }
        }.map { MovedTable($0, in: model.model) }
    }

    /// Returns the table with some of its columns, and with the columns of the key and the entity;
    /// nil if none is selected.
    package func selecting(_ isIncluded: (Column) -> Bool) -> MovedTable? {
        guard columns.contains(where: isIncluded) else { return nil }
        let kept = columns.enumerated().filter { slot, column in
            slot == keySlot || slot == entitySlot || isIncluded(column)
        }
        return MovedTable(name, content, kept.map(\.element))
    }

    /// The slots that may name a large value outside of the row.
    package var externalSlots: [Int] {
        columns.indices.filter { columns[$0].attribute?.usesExternalForm == true }
    }

    /// The object that a row is.
    package func objectID(
        of record: Record, in model: ModelDescription, _ store: StoreIdentifier
    ) -> ObjectID? {
        guard case .objects(let root) = content, let keySlot else { return nil }
        let name = entitySlot.map { String(decoding: record.bytes($0), as: UTF8.self) } ?? root
        return (model[name] ?? model[root])
            .map { ObjectID($0, key: record.integer(keySlot), store: store) }
    }
}

/// The tables of a store, as they are at one moment or in one transaction.
package protocol MovedTables: AnyObject {
    /// The number of rows of a table.
    func count(of table: MovedTable) throws -> Int

    /// Passes the rows of a table to a closure, some at a time. They are valid during the call. The
    /// closure must not use the store.
    func scan(_ table: MovedTable, _ receive: ([Record]) throws -> Void) throws

    /// The number of bytes of a large value outside of the rows; nil if the store has no limit that
    /// another one does not have.
    func size(ofLargeValue name: String) throws -> Int?

    /// Passes the large values outside of the rows to a closure, one at a time.
    ///
    /// - Parameter tables: The tables with rows that name the values.
    func scanLargeValues(
        of tables: [MovedTable],
        _ receive: (_ name: String, _ value: UnsafeRawBufferPointer) throws -> Void) throws

    /// The first keys that were never given, by the names of root entities.
    func nextKeys() throws -> [String: Int64]

    /// The content of the store's history; nil if it has none.
    func historyContent() throws -> HistorySettings.Content?
}

/// Rows that are passed on together: no more than fit into a megabyte.
package struct RecordBatch {
    private let shape: RecordShape
    /// The writer of the next row.
    package private(set) var writer = RecordWriter()
    private var records: [Record] = []
    /// They keep the records.
    private var pages: [RowPage] = []
    private var size = 0

    private static let bytesAtOnce = 1 << 20
    private static let rowsAtOnce = 2_000

    package init(_ shape: RecordShape) {
        self.shape = shape
    }

    /// Adds a row, and passes on all rows if there are enough.
    @inline(__always)
    package mutating func add(
        _ placed: PlacedRecord, _ receive: ([Record]) throws -> Void
    ) throws {
        if pages.last !== placed.page { pages.append(placed.page) }
        records.append(placed.record)
        size += shape.recordSize + placed.record.byteCount(shape)
        guard size > Self.bytesAtOnce || records.count == Self.rowsAtOnce else { return }
        try handOn(to: receive)
    }

    /// Passes on the remaining rows.
    package mutating func handOn(to receive: ([Record]) throws -> Void) throws {
        guard !records.isEmpty else { return }
        try withExtendedLifetime(pages) { try receive(records) }
        writer = RecordWriter()
        records.removeAll(keepingCapacity: true)
        pages.removeAll(keepingCapacity: true)
        size = 0
    }
}

/// A checksum of rows that does not depend on their order.
struct TableChecksum: Equatable {
    private(set) var count = 0
    private var sums: (UInt64, UInt64) = (0, 0)

    static func == (one: TableChecksum, other: TableChecksum) -> Bool {
        one.count == other.count && one.sums == other.sums
    }

    /// The sum as text.
    var text: String {
        [sums.0, sums.1].map { sum in
            let digits = String(sum, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Adds a row.
    mutating func add(_ record: Record, _ shape: RecordShape) {
        var hash = Self.start
        // By address: each element of an array would be checked to be inside.
        shape.kinds.withUnsafeBufferPointer { kinds in
            for slot in kinds.indices {
                guard record.hasValue(slot) else {
                    hash = Self.mix(hash, Self.null)
                    continue
                }
                switch kinds[slot] {
                case .integer, .real:
                    // The bits of either.
                    hash = Self.mix(hash, UInt64(bitPattern: record.integer(slot)))
                case .text, .blob: hash = Self.mix(hash, record.bytes(slot))
                }
            }
        }
        add(hash)
    }

    /// Adds a large value.
    mutating func add(_ name: String, _ value: UnsafeRawBufferPointer) {
        var name = name
        let hash = name.withUTF8 { Self.mix(Self.start, UnsafeRawBufferPointer($0)) }
        add(Self.mix(hash, value))
    }

    private mutating func add(_ hash: UInt64) {
        count += 1
        sums.0 &+= hash
        sums.1 &+= Self.mix(hash, Self.other)
    }

    private static let start: UInt64 = 0x9E37_79B9_7F4A_7C15
    private static let null: UInt64 = 0xD6E8_FEB8_6659_FD93
    private static let other: UInt64 = 0xA076_1D64_78BD_642F

    /// Combines the two halves of a product: each bit changes half of the bits of the result.
    @inline(__always)
    private static func mix(_ one: UInt64, _ other: UInt64) -> UInt64 {
        let product = (one ^ other).multipliedFullWidth(by: 0xE703_7ED1_A0B4_28DB)
        return product.high ^ product.low ^ (one &<< 23 | one &>> 41)
    }

    @inline(__always)
    private static func mix(_ hash: UInt64, _ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hash = mix(hash, UInt64(truncatingIfNeeded: bytes.count))
        var place = 0
        while place + 8 <= bytes.count {
            hash = mix(hash, bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
            place += 8
        }
        var rest: UInt64 = 0
        while place < bytes.count {
            rest = rest &<< 8 | UInt64(bytes[place])
            place += 1
        }
        return mix(hash, rest)
    }
}
