import CambiumModel
import CambiumRecords

/// New rows in the binary form of COPY.
struct CopiedRows {
    private let entity: EntityDescription
    private let slots: [(slot: Int, type: PostgresType)]

    private static let header: [UInt8] =
        Array("PGCOPY\n".utf8) + [0xFF] + Array("\r\n\0".utf8) + [UInt8](repeating: 0, count: 8)
    /// So many bytes are sent at once.
    private static let part = 256 << 10

    /// - Parameter slots: What follows the key, the version and the entity.
    init(_ entity: EntityDescription, _ slots: [(slot: Int, type: PostgresType)]) {
        self.entity = entity
        self.slots = slots
    }

    func write(
        _ records: [Record], _ send: ([UInt8]) throws(PostgresError) -> Void
    ) throws(PostgresError) {
        var bytes = Self.header
        bytes.reserveCapacity(Self.part + 4_096)
        let count = Int16(slots.count + (entity.hasEntityColumn ? 3 : 2))
        let name = Array(entity.name.utf8)
        for record in records {
            bytes.append(bigEndian: count)
            bytes.append(bigEndian: Int32(8))
            bytes.append(bigEndian: record.key)
            bytes.append(bigEndian: Int32(8))
            // Who inserts a row counts its version up.
            bytes.append(bigEndian: record.version &+ 1)
            if entity.hasEntityColumn {
                bytes.append(bigEndian: Int32(name.count))
                bytes += name
            }
            for (slot, type) in slots {
                bytes.appendSized { type.append(record, slot, to: &$0) }
            }
            if bytes.count >= Self.part {
                try send(bytes)
                bytes.removeAll(keepingCapacity: true)
            }
        }
        bytes.append(bigEndian: Int16(-1))
        try send(bytes)
    }
}
