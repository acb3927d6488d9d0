import CSQLite
import CambiumModel
import CambiumRecords

extension Record {
    /// Makes a slot's value the result of a function or of a virtual table's column; NULL, where
    /// there is none. The record has to outlive the statement.
    @inline(__always)
    func setResult(of context: OpaquePointer?, _ slot: Int, _ kinds: [StorageClass]) {
        guard slot < kinds.count, hasValue(slot) else { return }
        switch kinds[slot] {
        case .integer: sqlite3_result_int64(context, integer(slot))
        case .real: sqlite3_result_double(context, real(slot))
        case .text:
            let bytes = self.bytes(slot)
            // Static (nil): the record outlives the statement.
            sqlite3_result_text64(
                context, bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                UInt64(bytes.count), nil, UInt8(SQLITE_UTF8))
        case .blob:
            let bytes = self.bytes(slot)
            if bytes.isEmpty {
                sqlite3_result_zeroblob(context, 0)
            } else {
                sqlite3_result_blob64(context, bytes.baseAddress, UInt64(bytes.count), nil)
            }
        }
    }
}
