import CambiumModel

extension ModelChecker {
    /// Makes an attribute, or nil where its type is unknown (and reported).
    mutating func checkAttribute(_ element: ParsedElement, _ subject: Subject) -> Attribute? {
        let renamedFrom = renamedFrom(element, subject)
        guard let name = subject.property, let written = element["type"] else { return nil }
        guard var type = type(written) else { return nil }
        if let scale = scale(of: element, type: written.value) { type = .decimal(scale: scale) }
        let isOptional = flag("optional", of: element)
        if isOptional, type == .bool, let optional = element["optional"] {
            report(
                .optionalBool, "An optional bool has three values, which is seldom meant",
                at: optional.offset, notes: ["An enumeration can name the three"])
        }
        let limits = checkLimits(of: element, type)
        let defaultValue = checkDefault(of: element, type)
        if case .constant(let value)? = defaultValue, let written = element["default"] {
            checkDefault(value, written, meets: limits)
        }
        return Attribute(
            name: name, type: type, isOptional: isOptional,
            isTransient: flag("transient", of: element), defaultValue: defaultValue,
            limits: limits, merge: checkMerge(of: element, type), renamedFrom: renamedFrom,
            hasCustomValidation: hasCustomValidation(element))
    }

    /// The type that an XML attribute names, or nil (and reported).
    mutating func type(_ written: ParsedAttribute) -> AttributeType? {
        let types: [String: AttributeType] = [
            "bool": .bool, "int16": .int16, "int32": .int32, "int64": .int64, "float": .float,
            "double": .double, "decimal": .decimal(scale: DecimalStorage.defaultScale),
            "string": .string, "date": .date, "uuid": .uuid, "uri": .uri, "data": .data,
        ]
        let name = written.value
        if let type = types[name] { return type }
        if enumerations.contains(where: { $0.name == name }) { return .enumeration(name) }
        if brokenNames.contains(name) { return nil }
        if name == "codable" {
            report(.notSupportedYet, "The type codable is not supported yet", at: written)
            return nil
        }
        let candidates = types.keys.sorted() + enumerations.map(\.name)
        let meant =
            Self.foreignTypes[name.lowercased()] ?? nearestName(to: name, among: candidates)
        report(
            .unknownType, "There is no type '\(name)'", at: written,
            notes: meant.map { ["Did you mean '\($0)'?"] }
                ?? ["Possible are: \(candidates.joined(separator: ", "))"])
        return nil
    }

    /// What types are called elsewhere: in Swift, in Xcode's editor and in databases.
    private static let foreignTypes = [
        "boolean": "bool", "int": "int64", "integer": "int64", "integer 16": "int16",
        "integer 32": "int32", "integer 64": "int64", "real": "double", "number": "double",
        "numeric": "decimal", "text": "string", "varchar": "string", "datetime": "date",
        "timestamp": "date", "url": "uri", "binary": "data", "binary data": "data", "blob": "data",
    ]

    private mutating func scale(of element: ParsedElement, type: String) -> Int? {
        guard let written = element["scale"] else { return nil }
        guard type == "decimal" else {
            reportInapplicable(written, to: type)
            return nil
        }
        if written.value == "any" {
            report(.notSupportedYet, "scale=\"any\" is not supported yet", at: written)
            return nil
        }
        return count("scale", of: element, in: 0...DecimalStorage.maximumScale)
    }

    // MARK: Defaults

    private mutating func checkDefault(
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

    private mutating func literal(
        _ written: ParsedAttribute, _ type: AttributeType, what: String
    ) -> Value? {
        switch Literal.parse(written.value, as: type, enumerations: enumerations) {
        case .success(let value):
            return value
        case .failure(let problem):
            report(
                .wrongDefault, "\(what) \(problem.message)", at: written, notes: problem.notes)
            return nil
        }
    }

    // MARK: Limits

    private mutating func checkLimits(of element: ParsedElement, _ type: AttributeType) -> Limits {
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

    private mutating func checkDefault(
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

    // MARK: Merging

    private mutating func checkMerge(
        of element: ParsedElement, _ type: AttributeType
    ) -> MergeRule? {
        guard let written = element["merge"] else { return nil }
        if written.value == "union" {
            report(.notSupportedYet, "merge=\"union\" is not supported yet", at: written)
            return nil
        }
        guard let rule = word("merge", of: element, from: MergeRule.self) else { return nil }
        let isApplicable =
            switch rule {
            case .store, .object: true
            case .max, .min: type.hasOrder || type == .string
            case .sum: type.hasOrder && type != .date
            }
        guard isApplicable else {
            reportInapplicable(written, to: type.word)
            return nil
        }
        return rule
    }

    private mutating func reportInapplicable(_ written: ParsedAttribute, to type: String) {
        report(
            .inapplicable, "\(written.name)=\"\(written.value)\" means nothing for \(type)",
            at: written.offset)
    }
}

extension AttributeType {
    /// Whether its values are numbers or moments, which limits can be set to.
    var hasOrder: Bool {
        switch self {
        case .int16, .int32, .int64, .float, .double, .decimal, .date: true
        case .bool, .string, .uuid, .uri, .data, .enumeration: false
        }
    }

    /// The word for it in a model.
    var word: String {
        switch self {
        case .bool: "bool"
        case .int16: "int16"
        case .int32: "int32"
        case .int64: "int64"
        case .float: "float"
        case .double: "double"
        case .decimal: "decimal"
        case .string: "string"
        case .date: "date"
        case .uuid: "uuid"
        case .uri: "uri"
        case .data: "data"
        case .enumeration(let name): name
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
