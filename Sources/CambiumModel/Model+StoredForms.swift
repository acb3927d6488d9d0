extension Model {
    /// How values of a type are kept in a row.
    public func storageClass(of type: AttributeType) -> StorageClass {
        plainType(of: type).descriptor.storage
    }

    /// The type, or of an enumeration the type of its raw values.
    package func plainType(of type: AttributeType) -> AttributeType {
        guard case .enumeration(let name) = type else { return type }
        return enumeration(named: name)?.rawType ?? type
    }

    /// The stored form of a value of an attribute, as the design's table of storage forms says.
    ///
    /// - Returns: nil where the value is of another type or does not fit (a decimal with more
    ///   places than its scale, a whole number out of range).
    public func stored(_ value: Value, as type: AttributeType) -> StoredValue? {
        value.stored(as: plainType(of: type))
    }

    /// The value of an attribute from its stored form.
    ///
    /// - Returns: nil where the stored form is not one of that type, which only another program can
    ///   have written.
    public func value(_ stored: StoredValue, as type: AttributeType) -> Value? {
        guard case .enumeration(let name) = type else { return stored.value(as: type) }
        let isText = enumeration(named: name)?.rawType == .string
        return switch stored {
        case .null: .null
        case .text(let raw): isText ? .string(raw) : nil
        case .integer(let raw): isText ? nil : .int(raw)
        case .real, .blob: nil
        }
    }
}
