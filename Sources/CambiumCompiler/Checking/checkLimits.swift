import CambiumModel

extension ModelChecker {
    /// The limits that an attribute declares.
    mutating func checkLimits(of element: ParsedElement, _ type: AttributeType) -> Limits {
        let limits = Limits(
            minimum: bound("min", of: element, type), maximum: bound("max", of: element, type),
            minimumLength: length("minLength", of: element, type),
            maximumLength: length("maxLength", of: element, type),
            pattern: pattern(of: element, type))
        if let minimum = limits.minimum, let maximum = limits.maximum,
            Self.isLess(maximum, minimum), let written = element["min"]
        {
            report(.contradictoryLimits, "min is greater than max", at: written)
        }
        if let minimum = limits.minimumLength, let maximum = limits.maximumLength,
            minimum > maximum, let written = element["minLength"]
        {
            report(.contradictoryLimits, "minLength is greater than maxLength", at: written)
        }
        return limits
    }

    private mutating func bound(
        _ name: String, of element: ParsedElement, _ type: AttributeType
    ) -> Value? {
        guard let written = element[name] else { return nil }
        guard type.hasOrder else {
            reportInapplicable(written, to: type.word)
            return nil
        }
        return literal(written, type, what: "The limit")
    }

    private mutating func length(
        _ name: String, of element: ParsedElement, _ type: AttributeType
    ) -> Int? {
        guard let written = element[name] else { return nil }
        guard type == .string || type == .data else {
            reportInapplicable(written, to: type.word)
            return nil
        }
        return count(name, of: element)
    }

    private mutating func pattern(of element: ParsedElement, _ type: AttributeType) -> String? {
        guard let written = element["pattern"] else { return nil }
        guard type == .string else {
            reportInapplicable(written, to: type.word)
            return nil
        }
        do {
            _ = try Regex(written.value)
            return written.value
        } catch {
            report(
                .invalidPattern, "'\(written.value)' is no regular expression", at: written,
                notes: ["\(error)"])
            return nil
        }
    }

    /// Reports a default that the attribute's own limits refuse.
    mutating func checkDefault(
        _ value: Value, _ written: ParsedAttribute, meets limits: Limits
    ) {
        guard let problem = Self.problem(of: value, with: limits) else { return }
        report(.defaultBeyondLimits, "The default '\(written.value)' is \(problem)", at: written)
    }

    /// What is wrong with a value, or nil where it keeps to the limits.
    static func problem(of value: Value, with limits: Limits) -> String? {
        if let minimum = limits.minimum, Self.isLess(value, minimum) {
            "less than min"
        } else if let maximum = limits.maximum, Self.isLess(maximum, value) {
            "greater than max"
        } else if let length = value.length, length < limits.minimumLength ?? 0 {
            "shorter than minLength"
        } else if let length = value.length, length > limits.maximumLength ?? .max {
            "longer than maxLength"
        } else if case .string(let text) = value, let pattern = limits.pattern,
            let regex = try? Regex(pattern), (try? regex.wholeMatch(in: text)) == nil
        {
            "not what the pattern asks for"
        } else {
            nil
        }
    }

    /// Whether a value is less than another of the same type.
    private static func isLess(_ left: Value, _ right: Value) -> Bool {
        switch (left, right) {
        case (.int(let left), .int(let right)): left < right
        case (.double(let left), .double(let right)): left < right
        case (.decimal(let left), .decimal(let right)): left < right
        case (.date(let left), .date(let right)): left < right
        default: false
        }
    }
}

extension Value {
    /// Unicode scalars of a string, bytes of data.
    fileprivate var length: Int? {
        switch self {
        case .string(let text): text.unicodeScalars.count
        case .data(let data): data.count
        default: nil
        }
    }
}
