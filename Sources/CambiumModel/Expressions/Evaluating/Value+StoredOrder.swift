#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension Value {
    /// Less than 0, 0 or greater than 0, as SQLite orders the stored forms. What is not a number,
    /// which no store keeps, comes between null and the least number, so that this is an order.
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
                // Safety: both have so many bytes, and stay during the closures.
                let result = memcmp(bytes, others, Swift.min(one.count, other.count))
                return result == 0 ? one.count - other.count : Int(result)
            }
        }
        if case let result?? = result { return result }
        if elementsEqual(other) { return 0 }
        return lexicographicallyPrecedes(other) ? -1 : 1
    }
}
