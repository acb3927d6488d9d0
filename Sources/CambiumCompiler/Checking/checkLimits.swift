import CambiumModel

extension ModelChecker {
    /// The limits that an attribute declares.
    func checkLimits(of element: ParsedElement, _ type: AttributeType) -> Limits {
        let (minimum, maximum) = consistent(
            ("min", bound("min", of: element, type)), ("max", bound("max", of: element, type)),
            of: element, isLess: Value.isLess)
        let (minimumLength, maximumLength) = consistent(
            ("minLength", length("minLength", of: element, type)),
            ("maxLength", length("maxLength", of: element, type)), of: element, isLess: <)
        return Limits(
            minimum: minimum, maximum: maximum, minimumLength: minimumLength,
            maximumLength: maximumLength, pattern: pattern(of: element, type))
    }

    /// Two limits that some values meet; none where no value does (which is reported).
    func consistent<Bound>(
        _ least: (name: String, value: Bound?), _ most: (name: String, value: Bound?),
        of element: ParsedElement, isLess: (Bound, Bound) -> Bool
    ) -> (Bound?, Bound?) {
        guard let minimum = least.value, let maximum = most.value, isLess(maximum, minimum),
            let written = element[least.name]
        else { return (least.value, most.value) }
        report(
            .contradictoryLimits,
            "\(wording.name(least.name)) is greater than \(wording.name(most.name))", at: written,
            inXcode: "neither is checked")
        return (nil, nil)
    }

    private func bound(
        _ name: String, of element: ParsedElement, _ type: AttributeType
    ) -> Value? {
        guard let written = element[name] else { return nil }
        guard type.descriptor.hasOrder else {
            reportInapplicable(written, to: type.word)
            return nil
        }
        return literal(written, type, what: "The limit")
    }

    private func length(
        _ name: String, of element: ParsedElement, _ type: AttributeType
    ) -> Int? {
        guard let written = element[name] else { return nil }
        guard type == .string || type == .data else {
            reportInapplicable(written, to: type.word)
            return nil
        }
        return count(name, of: element)
    }

    private func pattern(of element: ParsedElement, _ type: AttributeType) -> String? {
        guard let written = element["pattern"] else { return nil }
        guard type == .string else {
            reportInapplicable(written, to: type.word)
            return nil
        }
        do throws(PatternSyntaxError) {
            let expression = try RegularExpression(written.value)
            if !expression.isLinear { warnAboutPattern(written.value, at: written.offset) }
            return written.value
        } catch {
            report(
                .invalidPattern, "'\(written.value)' is no regular expression", at: written,
                notes: ["For 'pattern': \(error)"], inXcode: "it is not checked")
            return nil
        }
    }

    /// Reports a default that the attribute's own limits refuse.
    func checkDefault(
        _ value: Value, _ written: ParsedAttribute, meets limits: Limits
    ) {
        guard let problem = self.problem(of: value, with: limits) else { return }
        report(
            .defaultBeyondLimits, "The default '\(written.value)' is \(problem)", at: written,
            inXcode: "an object that keeps it cannot be saved")
    }

    /// What is wrong with a value, or nil where it keeps to the limits.
    func problem(of value: Value, with limits: Limits) -> String? {
        if let minimum = limits.minimum, Value.isLess(value, minimum) {
            "less than \(wording.name("min"))"
        } else if let maximum = limits.maximum, Value.isLess(maximum, value) {
            "greater than \(wording.name("max"))"
        } else if let length = value.length, length < limits.minimumLength ?? 0 {
            "shorter than \(wording.name("minLength"))"
        } else if let length = value.length, length > limits.maximumLength ?? .max {
            "longer than \(wording.name("maxLength"))"
        } else if case .string(let text) = value, let pattern = limits.pattern {
            problem(of: text, with: pattern)
        } else {
            nil
        }
    }

    private func problem(of text: String, with pattern: String) -> String? {
        // A pattern that is none was reported.
        guard let expression = try? RegularExpression(pattern) else { return nil }
        do {
            return try PatternMatcher(expression).matches(text)
                ? nil : "not what the pattern asks for"
        } catch {
            return "too much for the pattern, which takes too many steps with it"
        }
    }
}
