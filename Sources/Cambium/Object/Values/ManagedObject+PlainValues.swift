// The accessors of the plain types, without generics and overloads: nearly all properties of a
// model have these types, and the compiler needs half the time for such a call. Small accessors are
// inlined; the others are calls anyway.
extension ManagedObject {
    /// Returns the value of a required attribute of the type `bool`.
    @_spi(Generated)
    @inlinable
    public final func bool(at slot: Int) -> Bool {
        value(at: slot)
    }

    /// Returns the value of an optional attribute of the type `bool`.
    @_spi(Generated)
    @inlinable
    public final func optionalBool(at slot: Int) -> Bool? {
        optionalValue(at: slot)
    }

    /// Sets an attribute of the type `bool`, or clears it if the value is nil.
    @_spi(Generated)
    @inlinable
    public final func setBool(_ value: Bool?, at slot: Int) {
        setValue(value, at: slot)
    }

    /// Returns the value of a required attribute of the type `int16`.
    @_spi(Generated)
    @inlinable
    public final func int16(at slot: Int) -> Int16 {
        value(at: slot)
    }

    /// Returns the value of an optional attribute of the type `int16`.
    @_spi(Generated)
    @inlinable
    public final func optionalInt16(at slot: Int) -> Int16? {
        optionalValue(at: slot)
    }

    /// Sets an attribute of the type `int16`, or clears it if the value is nil.
    @_spi(Generated)
    @inlinable
    public final func setInt16(_ value: Int16?, at slot: Int) {
        setValue(value, at: slot)
    }

    /// Returns the value of a required attribute of the type `int32`.
    @_spi(Generated)
    @inlinable
    public final func int32(at slot: Int) -> Int32 {
        value(at: slot)
    }

    /// Returns the value of an optional attribute of the type `int32`.
    @_spi(Generated)
    @inlinable
    public final func optionalInt32(at slot: Int) -> Int32? {
        optionalValue(at: slot)
    }

    /// Sets an attribute of the type `int32`, or clears it if the value is nil.
    @_spi(Generated)
    @inlinable
    public final func setInt32(_ value: Int32?, at slot: Int) {
        setValue(value, at: slot)
    }

    /// Returns the value of a required attribute of the type `int64`.
    @_spi(Generated)
    @inlinable
    public final func int64(at slot: Int) -> Int64 {
        value(at: slot)
    }

    /// Returns the value of an optional attribute of the type `int64`.
    @_spi(Generated)
    @inlinable
    public final func optionalInt64(at slot: Int) -> Int64? {
        optionalValue(at: slot)
    }

    /// Sets an attribute of the type `int64`, or clears it if the value is nil.
    @_spi(Generated)
    @inlinable
    public final func setInt64(_ value: Int64?, at slot: Int) {
        setValue(value, at: slot)
    }

    /// Returns the value of a required attribute of the type `float`.
    @_spi(Generated)
    @inlinable
    public final func float(at slot: Int) -> Float {
        value(at: slot)
    }

    /// Returns the value of an optional attribute of the type `float`.
    @_spi(Generated)
    @inlinable
    public final func optionalFloat(at slot: Int) -> Float? {
        optionalValue(at: slot)
    }

    /// Sets an attribute of the type `float`, or clears it if the value is nil.
    @_spi(Generated)
    @inlinable
    public final func setFloat(_ value: Float?, at slot: Int) {
        setValue(value, at: slot)
    }

    /// Returns the value of a required attribute of the type `double`.
    @_spi(Generated)
    @inlinable
    public final func double(at slot: Int) -> Double {
        value(at: slot)
    }

    /// Returns the value of an optional attribute of the type `double`.
    @_spi(Generated)
    @inlinable
    public final func optionalDouble(at slot: Int) -> Double? {
        optionalValue(at: slot)
    }

    /// Sets an attribute of the type `double`, or clears it if the value is nil.
    @_spi(Generated)
    @inlinable
    public final func setDouble(_ value: Double?, at slot: Int) {
        setValue(value, at: slot)
    }

    /// Returns the value of a required attribute of the type `date`.
    @_spi(Generated)
    @inlinable
    public final func date(at slot: Int) -> Date {
        value(at: slot)
    }

    /// Returns the value of an optional attribute of the type `date`.
    @_spi(Generated)
    @inlinable
    public final func optionalDate(at slot: Int) -> Date? {
        optionalValue(at: slot)
    }

    /// Sets an attribute of the type `date`, or clears it if the value is nil.
    @_spi(Generated)
    @inlinable
    public final func setDate(_ value: Date?, at slot: Int) {
        setValue(value, at: slot)
    }

    /// Returns the value of a required attribute of the type `string`.
    @_spi(Generated)
    public final func string(at slot: Int) -> String {
        value(at: slot)
    }

    /// Returns the value of an optional attribute of the type `string`.
    @_spi(Generated)
    public final func optionalString(at slot: Int) -> String? {
        optionalValue(at: slot)
    }

    /// Sets an attribute of the type `string`, or clears it if the value is nil.
    @_spi(Generated)
    public final func setString(_ value: String?, at slot: Int) {
        setValue(value, at: slot)
    }

    /// Returns the value of a required attribute of the type `uuid`.
    @_spi(Generated)
    public final func uuid(at slot: Int) -> UUID {
        value(at: slot)
    }

    /// Returns the value of an optional attribute of the type `uuid`.
    @_spi(Generated)
    public final func optionalUuid(at slot: Int) -> UUID? {
        optionalValue(at: slot)
    }

    /// Sets an attribute of the type `uuid`, or clears it if the value is nil.
    @_spi(Generated)
    public final func setUuid(_ value: UUID?, at slot: Int) {
        setValue(value, at: slot)
    }

    /// Returns the value of a required attribute of the type `uri`.
    @_spi(Generated)
    public final func uri(at slot: Int) -> URL {
        value(at: slot)
    }

    /// Returns the value of an optional attribute of the type `uri`.
    @_spi(Generated)
    public final func optionalUri(at slot: Int) -> URL? {
        optionalValue(at: slot)
    }

    /// Sets an attribute of the type `uri`, or clears it if the value is nil.
    @_spi(Generated)
    public final func setUri(_ value: URL?, at slot: Int) {
        setValue(value, at: slot)
    }

    /// Returns the value of a required attribute of the type `data`.
    @_spi(Generated)
    public final func data(at slot: Int) -> Data {
        value(at: slot)
    }

    /// Returns the value of an optional attribute of the type `data`.
    @_spi(Generated)
    public final func optionalData(at slot: Int) -> Data? {
        optionalValue(at: slot)
    }

    /// Sets an attribute of the type `data`, or clears it if the value is nil.
    @_spi(Generated)
    public final func setData(_ value: Data?, at slot: Int) {
        setValue(value, at: slot)
    }
}
