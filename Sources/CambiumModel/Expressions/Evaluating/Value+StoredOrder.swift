extension Value {
    /// Less than 0, 0 or greater than 0, as SQLite orders the stored forms.
    package func order(relativeTo other: Value) -> Int {
        switch (self, other) {
        case (.null, .null): 0
        case (.null, _): -1
        case (_, .null): 1
        case (.bool(let one), .bool(let other)): (one ? 1 : 0) - (other ? 1 : 0)
        case (.int(let one), .int(let other)): one < other ? -1 : one > other ? 1 : 0
        case (.double(let one), .double(let other)): one < other ? -1 : one > other ? 1 : 0
        case (.int(let one), .double(let other)):
            Double(one) < other ? -1 : Double(one) > other ? 1 : 0
        case (.double(let one), .int(let other)):
            one < Double(other) ? -1 : one > Double(other) ? 1 : 0
        case (.decimal(let one), .decimal(let other)): one < other ? -1 : one > other ? 1 : 0
        case (.date(let one), .date(let other)): one < other ? -1 : one > other ? 1 : 0
        case (.string(let one), .string(let other)): one.utf8.order(relativeTo: other.utf8)
        case (.uri(let one), .uri(let other)):
            Value.string(one.absoluteString).order(relativeTo: .string(other.absoluteString))
        case (.uuid(let one), .uuid(let other)): one < other ? -1 : one == other ? 0 : 1
        case (.data(let one), .data(let other)):
            one == other ? 0 : one.lexicographicallyPrecedes(other) ? -1 : 1
        default: 0
        }
    }
}

extension String.UTF8View {
    /// Less than 0, 0 or greater than 0, as the bytes compare.
    fileprivate func order(relativeTo other: Self) -> Int {
        let result = withContiguousStorageIfAvailable { one in
            other.withContiguousStorageIfAvailable { other in
                for index in 0..<Swift.min(one.count, other.count) where one[index] != other[index]
                {
                    return one[index] < other[index] ? -1 : 1
                }
                return one.count - other.count
            }
        }
        if case let result?? = result { return result }
        if elementsEqual(other) { return 0 }
        return lexicographicallyPrecedes(other) ? -1 : 1
    }
}
