import CPostgres
import CambiumModel
import CambiumPostgresSQL

/// The rows that a statement returned, in the memory of libpq.
final class PostgresRows: @unchecked Sendable {
    // Safety: libpq created the result. From now on it is only read, and it is cleared when no
    // reference to this object is left.
    private let result: OpaquePointer
    let count: Int
    /// The number of rows that a statement without returned rows has written.
    var changes: Int {
        // Safety: a string of the result.
        Int(String(cString: PQcmdTuples(result))) ?? 0
    }

    /// The number of rows that a statement has returned or written.
    var rowCount: Int { PQnfields(result) > 0 ? count : changes }

    init(_ result: OpaquePointer) {
        self.result = result
        count = Int(PQntuples(result))
    }

    deinit {
        PQclear(result)
    }

    func isNull(_ row: Int, _ column: Int) -> Bool {
        PQgetisnull(result, Int32(row), Int32(column)) != 0
    }

    /// The values of a row of any type.
    func values(_ row: Int) -> [StoredValue] {
        (0..<PQnfields(result)).map { column in
            guard let bytes = value(Int32(row), column) else { return .null }
            let type = PostgresType(PQftype(result, column), modifier: PQfmod(result, column))
            return (type ?? .text).value(of: bytes)
        }
    }

    /// The bytes of a value; none for NULL. They are valid as long as the rows.
    func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
        // Safety: libpq keeps this number of bytes at the address until the result is cleared, when
        // this object is deallocated. If there is no such row or column, libpq returns nil and the
        // length 0.
        UnsafeRawBufferPointer(
            start: PQgetvalue(result, Int32(row), Int32(column)),
            count: Int(PQgetlength(result, Int32(row), Int32(column))))
    }

    /// The bytes of a value, which are valid as long as the rows; nil for NULL.
    @inline(__always)
    func value(_ row: Int32, _ column: Int32) -> UnsafeRawBufferPointer? {
        let count = PQgetlength(result, row, column)
        if count == 0, PQgetisnull(result, row, column) != 0 { return nil }
        // Safety: as in `bytes`.
        return UnsafeRawBufferPointer(start: PQgetvalue(result, row, column), count: Int(count))
    }

    /// An integer of 16, 32 or 64 bits; 0 for NULL.
    func integer(_ row: Int, _ column: Int) -> Int64 {
        bytes(row, column).wholeNumber
    }

    func text(_ row: Int, _ column: Int) -> String {
        String(decoding: bytes(row, column), as: UTF8.self)
    }

    func boolean(_ row: Int, _ column: Int) -> Bool {
        bytes(row, column).first == 1
    }

    /// The strings of the first two columns, in the form of a store's metadata.
    var namesAndValues: [[StoredValue]] {
        (0..<count).map { [.text(text($0, 0)), .text(text($0, 1))] }
    }
}

extension UnsafeRawBufferPointer {
    /// The number at a position in these bytes, in network byte order.
    @inline(__always)
    func number<Number: FixedWidthInteger>(_ type: Number.Type, at place: Int = 0) -> Number {
        guard place >= 0, count >= place + MemoryLayout<Number>.size else { return 0 }
        // Safety: all bytes of the number are among these, and any bytes are a number.
        return Number(bigEndian: loadUnaligned(fromByteOffset: place, as: type))
    }

    /// An integer of 8, 16, 32 or 64 bits; 0 for other lengths.
    @inline(__always)
    var wholeNumber: Int64 {
        switch count {
        case 8: number(Int64.self)
        case 4: Int64(number(Int32.self))
        case 2: Int64(number(Int16.self))
        case 1: Int64(self[0])
        default: 0
        }
    }
}
