import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords

/// The limits of the tables of a schema.
struct PostgresMoveRules: MovedTableRules {
    let tables: [MovedTable]
    private let model: Model
    /// The greatest number of bytes of a value.
    private let largestValue: Int

    init(_ derivations: PostgresDerivations, of roots: [Int], largestValue: Int) {
        let description = derivations.layout.model
        tables = MovedTable.all(
            PostgresSchema(of: derivations).tables, of: roots, in: description)
        model = description.model
        self.largestValue = largestValue
    }

    var datePrecision: StoredDatePrecision? { PostgresTimestamp.kept }
    var largestLargeValue: Int? { largestValue }

    func mayRefuse(_ column: MovedTable.Column) -> Bool {
        guard let attribute = column.attribute else { return false }
        return switch PostgresType.column(of: attribute, in: model) {
        // The server holds all numbers of 64 bits.
        case .bigint, .double: false
        case .decimal(let scale): scale >= 19
        case .boolean, .smallint, .integer, .real, .anyDecimal, .text, .timestamp, .uuid, .bytea:
            true
        }
    }

    func refusal(
        of record: Record, _ slot: Int, _ column: MovedTable.Column
    ) -> (code: ValidationError.Code, words: String)? {
        guard let attribute = column.attribute else { return nil }
        let name = attribute.name
        switch PostgresType.column(of: attribute, in: model) {
        case .boolean: return outside(0...1, record.integer(slot), name)
        case .smallint:
            return outside(Int64(Int16.min)...Int64(Int16.max), record.integer(slot), name)
        case .integer:
            return outside(Int64(Int32.min)...Int64(Int32.max), record.integer(slot), name)
        case .real:
            let number = record.real(slot)
            if Double(Float(number)) == number { return nil }
            return (.numberTooLarge, "\(name) is a number that does not fit into 32 bits.")
        case .timestamp:
            let seconds = record.real(slot)
            guard PostgresTimestamp.kept.kept(seconds) == nil else { return nil }
            return (
                seconds < 0 ? .dateTooSoon : .dateTooLate, PostgresTimestamp.kept.refusal(of: name)
            )
        case .anyDecimal:
            let bytes = Data(record.bytes(slot))
            guard let number = OrderedDecimal.decimal(of: bytes),
                OrderedDecimal.bytes(of: number) == bytes
            else { return (.unfitDecimal, "\(name) contains an invalid decimal number.") }
            return nil
        case .text:
            if record.holdsNUL(slot) {
                return (
                    .nulInText, "\(name) contains a NUL character, which a string cannot contain."
                )
            }
            let bytes = record.bytes(slot)
            if !bytes.isUTF8 {
                return (.unencodable, "\(name) has text that is not UTF-8.")
            }
            return tooLarge(bytes.count, name)
        case .uuid:
            return record.bytes(slot).count == 16
                ? nil : (.unencodable, "\(name) has data that is not a UUID.")
        case .bytea: return tooLarge(record.bytes(slot).count, name)
        case .bigint, .double, .decimal: return nil
        }
    }

    private func outside(
        _ range: ClosedRange<Int64>, _ number: Int64, _ name: String
    ) -> (code: ValidationError.Code, words: String)? {
        if number < range.lowerBound {
            return (.numberTooSmall, RefusalText.isBelow(name, range.lowerBound))
        }
        return number > range.upperBound
            ? (.numberTooLarge, RefusalText.isAbove(name, range.upperBound)) : nil
    }

    private func tooLarge(
        _ count: Int, _ name: String
    ) -> (code: ValidationError.Code, words: String)? {
        count > largestValue
            ? (.tooLong, RefusalText.isTooLarge(name, count, largestValue)) : nil
    }
}

extension UnsafeRawBufferPointer {
    /// Whether the bytes are text in UTF-8.
    fileprivate var isUTF8: Bool {
        // Most are ASCII.
        var place = 0
        while place + 8 <= count,
            loadUnaligned(fromByteOffset: place, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
        { place += 8 }
        while place < count, self[place] < 0x80 { place += 1 }
        if place == count { return true }
        return String(validating: self[place...], as: UTF8.self) != nil
    }
}
