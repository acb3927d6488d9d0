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
        switch (self, other) {
        case (.null, .null): 0
        case (.null, _): -1
        case (_, .null): 1
        case (.bool(let one), .bool(let other)): (one ? 1 : 0) - (other ? 1 : 0)
        case (.int(let one), .int(let other)): one < other ? -1 : one > other ? 1 : 0
        case (.double(let one), .double(let other)): Self.numberOrder(one, other)
        case (.int(let one), .double(let other)): Self.numberOrder(Double(one), other)
        case (.double(let one), .int(let other)): Self.numberOrder(one, Double(other))
        case (.date(let one), .date(let other)):
            Self.numberOrder(
                one.timeIntervalSinceReferenceDate, other.timeIntervalSinceReferenceDate)
        case (.string(let one), .string(let other)): one.utf8.order(relativeTo: other.utf8)
        case (.uri(let one), .uri(let other)):
            Value.string(one.absoluteString).order(relativeTo: .string(other.absoluteString))
        case (.uuid(let one), .uuid(let other)): one < other ? -1 : one == other ? 0 : 1
        case (.data(let one), .data(let other)):
            one == other ? 0 : one.lexicographicallyPrecedes(other) ? -1 : 1
        default:
            switch Self.order(self, other) {
            case .less: -1
            case .greater: 1
            case .equal, nil: 0
            }
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
