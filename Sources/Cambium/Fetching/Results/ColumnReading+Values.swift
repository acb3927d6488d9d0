extension ColumnReading {
    /// A value in its own type; nil where there is none.
    static func optional<Value: AttributeValue>(
        _ column: ResultExpression, _ objects: [ObjectID]
    ) -> ColumnReading where Output == Value? {
        ColumnReading(objects: objects) { try Value.read($0, of: column) }
    }
}

extension AttributeValue {
    /// A result's value in its own type; nil of nil.
    static func read(_ cell: PropertyValue, of column: ResultExpression) throws -> Self? {
        guard let value = cell.value, value != .null else { return nil }
        if let typed = fitting(value) { return typed }
        throw StoreError(
            code: .corrupt,
            message: "The store has a value for \(column) that is not of the type \(Self.self).",
            remedy: "Set another value; another version of the program may have written this one.")
    }

    /// A value in its own type, a number also from another form; nil where it is of another type.
    static func fitting(_ value: CambiumModel.Value) -> Self? {
        if let typed = Self(attributeValue: value) { return typed }
        for form in value.otherForms {
            if let typed = Self(attributeValue: form) { return typed }
        }
        return nil
    }
}

extension CambiumModel.Value {
    /// The same number in the forms of other types: a quotient of decimals is a floating-point
    /// number, the mean of whole numbers too.
    fileprivate var otherForms: [CambiumModel.Value] {
        switch self {
        case .int(let value): [.double(Double(value)), .decimal(Decimal(value))]
        case .double(let value) where value.isFinite: [.decimal(Decimal(value))]
        case .decimal(let value): [.double(DecimalFunctions.double(value))]
        default: []
        }
    }
}
