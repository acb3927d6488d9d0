#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension Value {
    /// Compares two values as SQLite orders the stored forms. The result is less than 0, 0 or
    /// greater than 0. No store contains NaN. It comes between null and the least number, so that
    /// this is a total order.
    package func order(relativeTo other: Value) -> Int {
        if case .null = other {
            if case .null = self { return 0 }
            return 1
        }
        switch self {
        case .null: return -1
        case .bool(let one):
            if case .bool(let other) = other { return (one ? 1 : 0) - (other ? 1 : 0) }
        case .int(let one):
            switch other {
            case .int(let other): return one < other ? -1 : one > other ? 1 : 0
            case .double(let other): return Self.numberOrder(Double(one), other)
            default: break
            }
        case .double(let one):
            switch other {
            case .double(let other): return Self.numberOrder(one, other)
            case .int(let other): return Self.numberOrder(one, Double(other))
            default: break
            }
        case .date(let one):
            if case .date(let other) = other {
                return Self.numberOrder(
                    one.timeIntervalSinceReferenceDate, other.timeIntervalSinceReferenceDate)
            }
        case .string(let one):
            if case .string(let other) = other { return one.utf8.order(relativeTo: other.utf8) }
        case .uri(let one):
            if case .uri(let other) = other {
                return one.absoluteString.utf8.order(relativeTo: other.absoluteString.utf8)
            }
        case .uuid(let one):
            if case .uuid(let other) = other { return one < other ? -1 : one == other ? 0 : 1 }
        case .data(let one):
            if case .data(let other) = other {
                return one == other ? 0 : one.lexicographicallyPrecedes(other) ? -1 : 1
            }
        case .decimal, .duration: break
        }
        switch Self.order(self, other) {
        case .less: return -1
        case .greater: return 1
        case .equal, nil: return 0
        }
    }

    private static func numberOrder(_ one: Double, _ other: Double) -> Int {
        if one < other { return -1 }
        if one > other { return 1 }
        return one == other ? 0 : (other.isNaN ? 1 : 0) - (one.isNaN ? 1 : 0)
    }
}

extension String.UTF8View {
    /// Less than 0, 0 or greater than 0, as the bytes compare.
    fileprivate func order(relativeTo other: Self) -> Int {
        let result = withContiguousStorageIfAvailable { one in
            other.withContiguousStorageIfAvailable { other in
                guard let bytes = one.baseAddress, let others = other.baseAddress else {
                    return one.count - other.count
                }
                // Safety: both have at least this number of bytes, and stay valid during the
                // closures.
                let result = memcmp(bytes, others, Swift.min(one.count, other.count))
                return result == 0 ? one.count - other.count : Int(result)
            }
        }
        if case let result?? = result { return result }
        if elementsEqual(other) { return 0 }
        return lexicographicallyPrecedes(other) ? -1 : 1
    }
}

extension Value {
    /// The order of two values of comparable types.
    package enum Order {
        case less
        case equal
        case greater
    }

    /// Returns the order of two values. The result is nil if one is nil or their types have no
    /// common order.
    package static func order(_ left: Value, _ right: Value) -> Order? {
        switch left {
        case .int(let one):
            switch right {
            case .int(let other): return order(one, other)
            case .double(let other): return order(one, other)
            case .decimal(let other): return order(Decimal(one), other)
            default: return nil
            }
        case .double(let one):
            switch right {
            case .double(let other): return order(one, other)
            case .int(let other): return order(other, one)?.reversed
            default: return nil
            }
        case .decimal(let one):
            switch right {
            case .decimal(let other): return order(one, other)
            case .int(let other): return order(one, Decimal(other))
            default: return nil
            }
        case .date(let one):
            guard case .date(let other) = right else { return nil }
            return order(one.timeIntervalSinceReferenceDate, other.timeIntervalSinceReferenceDate)
        case .duration(let one):
            guard case .duration(let other) = right else { return nil }
            return order(one, other)
        case .string(let one):
            guard case .string(let other) = right else { return nil }
            return one.hasEqualBytes(other) ? .equal : one.precedesByBytes(other) ? .less : .greater
        default: return nil
        }
    }

    /// The sign of a number: -1, 0 or 1; nil if the value is not a number.
    package var sign: Int? {
        switch self {
        case .int(let number): Int(number.signum())
        case .double(let number): number < 0 ? -1 : number > 0 ? 1 : 0
        case .decimal(let number): number < 0 ? -1 : number > 0 ? 1 : 0
        case .duration(let length): length < .zero ? -1 : length > .zero ? 1 : 0
        default: nil
        }
    }

    private static func order<Number: Comparable>(_ left: Number, _ right: Number) -> Order? {
        left < right ? .less : left == right ? .equal : left > right ? .greater : nil
    }

    /// Compares exactly, because a conversion of the integer would round.
    private static func order(_ left: Int64, _ right: Double) -> Order? {
        if right.isNaN { return nil }
        if right >= 0x1p63 { return .less }
        if right < -0x1p63 { return .greater }
        let whole = right.rounded(.down)
        let floor = Int64(whole)
        if left != floor { return left < floor ? .less : .greater }
        return right > whole ? .less : .equal
    }

    /// Whether both have an order and the first comes before the second.
    package static func isLess(_ left: Value, _ right: Value) -> Bool {
        order(left, right) == .less
    }

    /// Returns whether two values are in a relation.
    package static func isTrue(_ left: Value, _ relation: ComparisonOperator, _ right: Value)
        -> Bool
    {
        switch relation {
        case .equal: areEqual(left, right)
        case .notEqual: !areEqual(left, right)
        case .less: order(left, right) == .less
        case .greater: order(left, right) == .greater
        case .lessOrEqual: order(left, right).map { $0 != .greater } ?? false
        case .greaterOrEqual: order(left, right).map { $0 != .less } ?? false
        case .in, .beginsWith, .endsWith, .contains, .like, .matches: false
        }
    }

    /// Equal, or both nil.
    static func areEqual(_ left: Value, _ right: Value) -> Bool {
        switch left {
        case .null:
            if case .null = right { return true }
            return false
        case .string(let one):
            guard case .string(let other) = right else { return false }
            return one.hasEqualBytes(other)
        case .uri(let one):
            guard case .uri(let other) = right else { return false }
            return one.absoluteString.hasEqualBytes(other.absoluteString)
        case .bool, .uuid, .data: return left == right
        default: return order(left, right) == .equal
        }
    }

    /// The value as a row would hold it. A NaN that was not validated yet becomes nil, zero has no
    /// sign, and durations are rounded to nanoseconds.
    var normalized: Value {
        switch self {
        case .double(let value) where value == 0: .double(0)
        case .double(let value) where value.isNaN: .null
        case .decimal(let value) where value.isNaN: .null
        case .date(let value) where value.timeIntervalSinceReferenceDate.isNaN: .null
        case .duration(let value): .duration(DurationStorage.nearest(to: value))
        default: self
        }
    }
}

extension Value.Order {
    var reversed: Value.Order {
        switch self {
        case .less: .greater
        case .equal: .equal
        case .greater: .less
        }
    }
}

/// A set of constants for lookups. Strings are compared by their bytes.
package struct ValueSet: Sendable {
    /// The constants in the order of the text.
    package let values: [Value]
    private let keys: Set<Key>

    package init(_ values: [Value]) {
        self.values = values
        keys = Set(values.map(Key.init))
    }

    package func contains(_ value: Value) -> Bool {
        keys.contains(Key(value))
    }

    private enum Key: Hashable {
        case text(TextKey)
        case number(Int64)
        case other(Value)

        init(_ value: Value) {
            switch value {
            case .string(let text): self = .text(TextKey(text: text))
            case .int(let number): self = .number(number)
            default: self = .other(value)
            }
        }
    }
}
