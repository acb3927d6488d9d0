import CambiumModel

extension ModelChecker {
    /// Makes an attribute, or nil if its type is unknown (and reported).
    func checkAttribute(_ element: ParsedElement, _ subject: Subject) -> Attribute? {
        let renamedFrom = renamedFrom(element, subject)
        guard let name = subject.property, let written = element["type"] else { return nil }
        guard var type = codableType(of: element, written) ?? type(written) else { return nil }
        if let scale = scale(of: element, type: written.value) { type = scale }
        var isOptional = flag("optional", of: element)
        if type.isCodable, !isOptional, element["default"] == nil {
            isOptional = checkMissingDefault(of: element, name)
        }
        let isTransient = flag("transient", of: element)
        let limits = checkLimits(of: element, type)
        let defaultValue = checkDefault(of: element, type)
        if case .constant(let value)? = defaultValue, let written = element["default"] {
            checkDefault(value, written, meets: limits)
        }
        return Attribute(
            name: name, type: type, isOptional: isOptional, isTransient: isTransient,
            defaultValue: defaultValue, limits: limits, merge: checkMerge(of: element, type),
            renamedFrom: renamedFrom, hasCustomValidation: isSet("validate", of: element),
            isExternal: checkStorage(of: element, type, isTransient: isTransient),
            isPreservedAfterDeletion: checkPreserved(element, isTransient: isTransient),
            hashModifier: element["hashModifier"]?.value, userInfo: userInfo(of: element))
    }

    // MARK: Types

    /// The type that an XML attribute names, or nil (and reported).
    func type(
        _ written: ParsedAttribute, orOneOf others: [String] = []
    ) -> AttributeType? {
        let name = written.value
        if let type = AttributeType.words[name] { return type }
        if enumerationsByName[name] != nil { return .enumeration(name) }
        if brokenNames.contains(name) { return nil }
        let candidates =
            Self.typeWords.map(wording.type) + enumerations.map { $0.name }
            + composites.map { $0.name }
            + others
        let meant =
            AttributeTypeDescriptor.word(forOther: name).map(wording.type)
            ?? nearestName(to: name, among: candidates)
        report(
            .unknownType, "There is no type '\(name)'", at: written,
            notes: meant.map { ["Did you mean '\($0)'?"] }
                ?? ["Possible values: \(candidates.joined(separator: ", "))"])
        return nil
    }

    /// The words for types.
    package static var typeWords: [String] { AttributeType.words.keys.ordered(by: <) + ["codable"] }

    /// The type of an attribute with a Swift type of the program, if it has one.
    private func codableType(
        of element: ParsedElement, _ written: ParsedAttribute
    ) -> AttributeType? {
        guard written.value == "codable" else {
            if let name = element["class"] {
                report(
                    .inapplicable,
                    "\(wording.setting("class", name.value)) has no effect on "
                        + wording.type(written.value),
                    at: name.offset, notes: [wording.write(("type", wording.type("codable")))])
            }
            return nil
        }
        guard let name = element["class"] else {
            report(
                .missingXMLAttribute, "An attribute of type codable needs the attribute 'class'",
                at: written, notes: ["It names a Swift type, such as class=\"[String]\""])
            return .codable("")
        }
        guard let type = ClassName(name.value) else {
            report(
                .invalidClass, "'\(name.value)' is not a name of a Swift type", at: name,
                notes: [
                    """
                    Possible are names with dots and generic arguments, [Element], \
                    [Key: Value], and a ? after each part, but not after the whole
                    """
                ])
            return .codable("")
        }
        if let wrapped = type.wrapped {
            report(
                .invalidClass,
                "'\(name.value)' is optional; the attribute says whether nil is a value",
                at: name,
                notes: [
                    wording.write(("class", wrapped)) + ", and "
                        + wording.writing("optional", "true") + " where nil is one"
                ], inXcode: "it is '\(wrapped)' here")
            return .codable(parsed.isOfXcode ? wrapped : "")
        }
        return .codable(type.text)
    }

    /// A required value of a type of the program needs a default. Xcode's models do not have this
    /// rule, so in these the attribute becomes optional.
    private func checkMissingDefault(of element: ParsedElement, _ name: String) -> Bool {
        guard parsed.isOfXcode else {
            report(
                .codableWithoutDefault, "'\(name)' is required, so it needs a default",
                at: element.offset,
                notes: ["Write default=\"…\" in JSON, such as [] or {}, or optional=\"true\""])
            return false
        }
        report(
            .madeOptional,
            "'\(name)' is required, but has no initial value; it is optional here",
            at: element.offset, notes: [wording.makeOptional])
        return true
    }

    /// The decimal type for the `scale` of an attribute.
    func scale(of element: ParsedElement, type: String) -> AttributeType? {
        guard let written = element["scale"] else { return nil }
        guard type == "decimal" else {
            reportInapplicable(written, to: type)
            return nil
        }
        if written.value == "any" { return .anyDecimal }
        guard let scale = Int(written.value), 0...DecimalStorage.maximumScale ~= scale else {
            report(
                .invalidWord, "'\(written.value)' is not a valid value for scale", at: written,
                notes: [
                    "Write an integer from 0 to \(DecimalStorage.maximumScale), or any"
                ])
            return nil
        }
        return .decimal(scale: scale)
    }

    // MARK: Storage

    /// Whether large values are kept in files.
    private func checkStorage(
        of element: ParsedElement, _ type: AttributeType, isTransient: Bool
    ) -> Bool {
        guard isSet("storage", of: element), let written = element["storage"] else { return false }
        guard type == .data, !isTransient else {
            report(
                .inapplicable,
                "\(wording.setting("storage", "external")) has no effect on "
                    + (isTransient ? "a transient attribute" : wording.type(type.word)),
                at: written.offset, inXcode: "it is ignored")
            return false
        }
        return true
    }

    private func checkPreserved(_ element: ParsedElement, isTransient: Bool) -> Bool {
        guard flag("preserved", of: element), let written = element["preserved"] else {
            return false
        }
        if isTransient {
            report(
                .inapplicable,
                "\(wording.name("preserved")) has no effect on a transient attribute",
                at: written.offset, inXcode: "it is ignored")
        }
        return !isTransient
    }

    // MARK: Defaults

    private func checkDefault(
        of element: ParsedElement, _ type: AttributeType
    ) -> DefaultValue? {
        guard let written = element["default"] else { return nil }
        switch (type, written.value) {
        case (.date, "now"): return .now
        case (.uuid, "new"): return .newUUID
        default: break
        }
        return literal(written, type, what: "The default").map { .constant($0) }
    }

    func literal(
        _ written: ParsedAttribute, _ type: AttributeType, what: String
    ) -> Value? {
        switch Literal.parse(
            written.value, as: type, enumerations: enumerationsByName, wording: wording)
        {
        case .success(let value):
            return value
        case .failure(let problem):
            // In Xcode a default of JSON is user info that was written for Cambium.
            report(
                .wrongDefault, "\(what) \(problem.message)", at: written, notes: problem.notes,
                inXcode: type.isCodable ? nil : "it is ignored")
            return nil
        }
    }

    // MARK: Merging

    private func checkMerge(
        of element: ParsedElement, _ type: AttributeType
    ) -> MergeRule? {
        guard let written = element["merge"] else { return nil }
        guard let rule = word("merge", of: element, from: MergeRule.self) else { return nil }
        let isApplicable =
            switch rule {
            case .store, .object: true
            case .max, .min: type.descriptor.hasOrder || type == .string
            case .sum: type.descriptor.hasOrder && type != .date
            case .union: type.mayBeArray
            }
        guard isApplicable else {
            reportInapplicable(written, to: type.word)
            return nil
        }
        return rule
    }

    func reportInapplicable(_ written: ParsedAttribute, to type: String) {
        report(
            .inapplicable,
            "\(wording.setting(written.name, written.value)) has no effect on "
                + wording.type(type), at: written.offset)
    }
}

extension AttributeType {
    /// Whether its values are of a type that the program defines.
    var isCodable: Bool {
        if case .codable = self { true } else { false }
    }

    /// Whether its values can be arrays in JSON.
    var mayBeArray: Bool {
        if case .codable(let name) = self { ClassName(name)?.mayBeArray ?? true } else { false }
    }
}

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

    /// Two limits that are consistent; none if no value meets both (which is reported).
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
                .invalidPattern, "'\(written.value)' is not a regular expression", at: written,
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

    /// The problem with a value, or nil if it meets the limits.
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
        // An invalid pattern was reported already.
        guard let expression = try? RegularExpression(pattern) else { return nil }
        do {
            return try PatternMatcher(expression).matches(text)
                ? nil : "does not match the pattern"
        } catch {
            return "too much for the pattern, which takes too many steps with it"
        }
    }
}
