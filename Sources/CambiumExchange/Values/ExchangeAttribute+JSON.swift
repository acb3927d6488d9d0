extension ExchangeAttribute {
    /// The value of a JSON value that is not null.
    ///
    /// - Throws: ``FieldProblem`` where it is no value of the attribute.
    func stored(from source: some JSONScalar, _ dates: ExchangeDateFormat) throws -> StoredValue {
        // The decoder says it in words of its own, which name types of Swift.
        guard let value = try? self.value(from: source, dates) else {
            throw FieldProblem.mismatch(self, dates)
        }
        return try stored(value)
    }

    private func value(
        from source: some JSONScalar, _ dates: ExchangeDateFormat
    ) throws -> Value? {
        switch kind {
        case .bool:
            return .bool(try source.decode(Bool.self))
        case .integer(let range):
            let number = try source.decode(Int64.self)
            return range.contains(number) ? .int(number) : nil
        case .float:
            if let number = try? source.decode(Float.self) { return .double(Double(number)) }
            return try infinity(source)
        case .double:
            if let number = try? source.decode(Double.self) { return .double(number) }
            return try infinity(source)
        case .decimal:
            guard let number = try? source.decode(Decimal.self) else {
                return DecimalText.decimal(of: try source.decode(String.self)).map { .decimal($0) }
            }
            // The decoder drops what does not fit; of so many digits nobody knows.
            return DecimalText.hasExactDigits(number) ? .decimal(number) : nil
        case .date:
            if case .seconds(let start) = dates.kind {
                return .date(
                    Date(timeIntervalSinceReferenceDate: try source.decode(Double.self) + start))
            }
            return dates.date(of: try source.decode(String.self)).map { .date($0) }
        case .numberCase(let cases):
            let number = try source.decode(Int64.self)
            return cases.contains(number) ? .int(number) : nil
        case .textCase(let cases):
            let text = try source.decode(String.self)
            return cases.contains(text) ? .string(text) : nil
        case .string:
            return .string(try source.decode(String.self))
        case .codable:
            // Of the types that are decoded only this one takes null for a value.
            let value = try source.decode(JSONValue.self)
            return value == .null ? nil : .string(try value.text())
        case .spelled(let type):
            return Value(spelled: try source.decode(String.self), as: type)
        case .data:
            return Data(base64Encoded: try source.decode(String.self)).map { .data($0) }
        }
    }

    /// JSON has no numbers for them; texts stand in.
    private func infinity(_ source: some JSONScalar) throws -> Value? {
        switch try source.decode(String.self) {
        case "inf": .double(.infinity)
        case "-inf": .double(-.infinity)
        default: nil
        }
    }

    /// Writes a value as JSON.
    ///
    /// - Throws: ``StoreError`` where the format cannot write it.
    func write(_ value: Value, to json: inout JSONWriter, _ dates: ExchangeDateFormat) throws {
        switch value {
        case .string(let value):
            if case .codable = kind {
                json.write(raw: try JSONValue(text: value).text())
            } else {
                json.write(value)
            }
        case .date(let value):
            let text = try dates.text(of: value, attribute.name)
            if case .seconds = dates.kind { json.write(raw: text) } else { json.write(text) }
        default:
            json.write(value, as: attribute.type)
        }
    }
}
