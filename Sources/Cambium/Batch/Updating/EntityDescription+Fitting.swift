import CambiumRecords

extension EntityDescription {
    /// What a batch update computes for a decimal attribute, rounded to its scale, halves away from
    /// zero; anything else as it is.
    ///
    /// - Parameter type: The type of what was computed.
    /// - Throws: ``ValidationError`` where the attribute cannot hold so great a number.
    func rounded(
        _ value: StoredValue, _ type: ExpressionType, _ slot: Int
    ) throws -> StoredValue {
        guard case .decimal(let scale) = attributes[slot]?.type else { return value }
        switch (value, type) {
        case (.integer(let units), .decimal(let own)):
            return .integer(DecimalStorage.units(units, ofScale: own, roundedTo: scale))
        case (.real(let number), .float), (.real(let number), .double):
            guard let units = DecimalStorage.units(rounding: number, scale: scale) else {
                throw outOfRange(number, slot)
            }
            return .integer(units)
        default:
            return value
        }
    }

    /// What a batch update sets, as the slot keeps it: numbers of single precision as what they
    /// read back as. A record must hold no value of another kind.
    ///
    /// - Throws: ``ValidationError`` where a number is out of the range of the attribute;
    ///   ``StoreError`` where the value is of another type.
    func fitting(_ value: StoredValue, _ slot: Int) throws -> StoredValue {
        switch (value, shape.kinds[slot]) {
        case (.null, _), (.integer, .integer), (.text, .text), (.blob, .blob):
            return value
        case (.integer(let number), .real):
            return .real(try fitting(Double(number), slot))
        case (.real(let number), .real):
            return .real(try fitting(number, slot))
        case (.real(let number), .integer):
            // SQLite goes on in floating point where 64 bits end.
            throw outOfRange(number, slot)
        default:
            throw StoreError(
                code: .invalidRequest,
                message: "A batch update computes a value for \(name)."
                    + "\(layout.slots[slot].property) that is of another type.",
                remedy: "Use an expression of the attribute's type.")
        }
    }

    private func fitting(_ number: Double, _ slot: Int) throws -> Double {
        guard attributes[slot]?.type == .float else { return number }
        let single = Float(number)
        // Infinity is a value, but not what a greater number may silently become.
        guard single.isFinite || !number.isFinite else { throw outOfRange(number, slot) }
        return Double(single)
    }

    private func outOfRange(_ number: Double, _ slot: Int) -> ValidationError {
        let property = layout.slots[slot].property
        return ValidationError(
            code: number < 0 ? .numberTooSmall : .numberTooLarge, entityName: name,
            objectID: nil, property: property,
            message: "\(property) was set to a number that its type cannot hold.")
    }
}
