/// The unique values of an object: what a file names it by.
struct ExchangeKey: Hashable, Sendable {
    /// As the store compares them: texts are bytes, and the two zeros are equal.
    let values: [StoredValue]

    init(_ values: [StoredValue]) {
        self.values = values.map { value in
            switch value {
            case .text(let text): .blob(Data(text.utf8))
            case .real(let number): .real(number + 0)
            case .null, .integer, .blob: value
            }
        }
    }

    /// Some of the values, which are a key of their own.
    func part(_ places: Range<Int>) -> ExchangeKey { ExchangeKey(Array(values[places])) }
}

extension ExchangeKey: Codable {
    private enum Part: Codable {
        case integer(Int64)
        case real(UInt64)
        case bytes(Data)
        case null
    }

    /// Reads what was put by until its object has come.
    init(from decoder: any Decoder) throws {
        values = try [Part](from: decoder).map { part in
            switch part {
            case .integer(let value): .integer(value)
            case .real(let bits): .real(Double(bitPattern: bits))
            case .bytes(let data): .blob(data)
            case .null: .null
            }
        }
    }

    func encode(to encoder: any Encoder) throws {
        try values.map { value -> Part in
            switch value {
            case .integer(let value): .integer(value)
            case .real(let value): .real(value.bitPattern)
            case .blob(let data): .bytes(data)
            case .text(let text): .bytes(Data(text.utf8))
            case .null: .null
            }
        }.encode(to: encoder)
    }
}
