import CambiumModel
import CambiumPostgresSQL
import CambiumRecords

/// New rows in the binary form of COPY.
struct CopiedRows {
    private let entity: EntityDescription
    private let slots: [(slot: Int, type: PostgresType)]

    /// - Parameter slots: The slots after the key, the version and the entity.
    init(_ entity: EntityDescription, _ slots: [(slot: Int, type: PostgresType)]) {
        self.entity = entity
        self.slots = slots
    }

    func write(
        _ records: [Record], _ send: PostgresConnection.CopyPart
    ) throws(PostgresError) {
        var copy = CopyWriter()
        let count = slots.count + (entity.hasEntityColumn ? 3 : 2)
        let name = entity.hasEntityColumn ? entity.name : nil
        // By address: each element of an array would be checked to be inside.
        try slots.withUnsafeBufferPointer { slots throws(PostgresError) in
            for record in records {
                try copy.write(count, send) { wire in
                    wire.append(bigEndian: Int32(8))
                    wire.append(bigEndian: record.key)
                    wire.append(bigEndian: Int32(8))
                    // An insertion increments the version.
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
                }
            }
        }
        try copy.finish(send)
    }
}

/// Rows of any form that are encoded into the binary form of COPY.
struct CopyWriter: ~Copyable {
    private var wire = WireWriter(capacity: part + 4_096)

    private static let header: [UInt8] =
        Array("PGCOPY\n".utf8) + [0xFF] + Array("\r\n\0".utf8) + [UInt8](repeating: 0, count: 8)
    /// The number of bytes sent at once.
    private static let part = 64 << 10

    init() {
        Self.header.withUnsafeBytes { wire.append(contentsOf: $0) }
    }

    /// Writes a row. Sends the buffer if it is large enough.
    ///
    /// - Parameters:
    ///   - count: The number of its columns.
    ///   - append: Appends them, each with its size before it.
    @inline(__always)
    mutating func write(
        _ count: Int, _ send: PostgresConnection.CopyPart, _ append: (inout WireWriter) -> Void
    ) throws(PostgresError) {
        wire.append(bigEndian: Int16(count))
        append(&wire)
        guard wire.count >= Self.part else { return }
        try wire.withBytes(send)
        wire.removeAll()
    }

    /// Sends the rest, and the end.
    mutating func finish(_ send: PostgresConnection.CopyPart) throws(PostgresError) {
        wire.append(bigEndian: Int16(-1))
        try wire.withBytes(send)
    }
}
