import CambiumModel
import CambiumPostgresSQL
import CambiumRecords

/// New rows in the binary form of COPY.
struct CopiedRows {
    private let entity: EntityDescription
    private let slots: [(slot: Int, type: PostgresType)]

    private static let header: [UInt8] =
        Array("PGCOPY\n".utf8) + [0xFF] + Array("\r\n\0".utf8) + [UInt8](repeating: 0, count: 8)
    /// So many bytes are sent at once.
    private static let part = 64 << 10

    /// - Parameter slots: What follows the key, the version and the entity.
    init(_ entity: EntityDescription, _ slots: [(slot: Int, type: PostgresType)]) {
        self.entity = entity
        self.slots = slots
    }

    func write(
        _ records: [Record], _ send: (UnsafeRawBufferPointer) throws(PostgresError) -> Void
    ) throws(PostgresError) {
        var wire = WireWriter(capacity: Self.part + 4_096)
        Self.header.withUnsafeBytes { wire.append(contentsOf: $0) }
        let count = Int16(slots.count + (entity.hasEntityColumn ? 3 : 2))
        let name = entity.hasEntityColumn ? entity.name : nil
        // By address: each element of an array would be checked to be inside.
        try slots.withUnsafeBufferPointer { slots throws(PostgresError) in
            for record in records {
                wire.append(bigEndian: count)
                wire.append(bigEndian: Int32(8))
                wire.append(bigEndian: record.key)
                wire.append(bigEndian: Int32(8))
                // Who inserts a row counts its version up.
                wire.append(bigEndian: record.version &+ 1)
                if let name {
                    wire.appendSized {
                        $0.append(name)
                        return true
                    }
                }
                for (slot, type) in slots {
                    wire.appendSized { type.append(record, slot, to: &$0) }
                }
                if wire.count >= Self.part {
                    try wire.withBytes(send)
                    wire.removeAll()
                }
            }
        }
        wire.append(bigEndian: Int16(-1))
        try wire.withBytes(send)
    }
}
