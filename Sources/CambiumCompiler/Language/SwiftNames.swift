import CambiumModel

/// Names that generated code cannot declare, because the runtime or Swift has them.
package enum ReservedNames {
    /// Members of `ManagedObject` that users see or override, names that every Swift type has, and
    /// the first parameter of the generated initializer. `value`, `toOne` and other methods with
    /// arguments are not included: a property with such a name causes no conflict.
    static let members: Set<String> = [
        // Swift
        "self", "Self", "Type", "Protocol", "init", "hash", "hashValue", "description",
        "debugDescription",
        // identity and state
        "objectID", "managedObjectContext", "context", "entity", "entityName", "entityReference",
        "fetchRequest",
        "isInserted", "isUpdated", "isDeleted", "isFault", "hasChanges",
        "hasPersistentChangedValues", "changedValues", "changedValuesForCurrentEvent",
        "committedValues", "faultingState", "deletionCause", "descriptionWithValues",
        // hooks
        "awakeFromFetch", "awakeFromInsert", "prepareForDeletion", "willSave", "didSave",
        "willTurnIntoFault", "didTurnIntoFault", "validateProperties", "validateObject",
        "validateForInsert", "validateForUpdate", "validateForDelete",
    ]

    /// Names that no property can have: the members, and one that a class reserves for its objects.
    static let properties = members.union(["customMirror"])

    /// The Swift name of a property or a request: its own or, if it is reserved, with an
    /// underscore. Only models from Xcode may have reserved names.
    static func memberName(_ name: String, among reserved: Set<String> = properties) -> String {
        reserved.contains(name) ? name + "_" : name
    }

    /// Names that a part of a composite cannot have.
    static let structMembers: Set<String> = [
        "self", "Self", "Type", "Protocol", "init", "hash", "hashValue", "encode", "CodingKeys",
    ]

    /// The names of types and modules that no type of a model can have. If a model has a type with
    /// the same name as another type of the runtime, generated code writes the runtime's with its
    /// module.
    package static let types = Set(AttributeType.words.keys).union([
        // Swift
        "Any", "AnyObject", "Self", "Type", "Protocol", "Swift", "Foundation",
        "FoundationEssentials",
        // Cambium
        "Cambium", "ManagedObject", "ManagedObjectContext", "EntityKeys",
        "codable",
    ])

    /// Members that every enumeration has.
    static let enumerationMembers: Set<String> = [
        "self", "Self", "Type", "Protocol", "init", "rawValue", "RawValue", "hashValue", "hash",
        "allCases", "description",
    ]

    /// Words that need back-ticks in some positions of generated code. An unnecessary back-tick
    /// does no harm.
    static let keywords: Set<String> = [
        "Any", "Protocol", "Self", "Type", "actor", "as", "associatedtype", "async", "await",
        "borrowing", "break", "case", "catch", "class", "consume", "consuming", "continue", "copy",
        "default", "defer", "deinit", "discard", "do", "dynamic", "each", "else", "enum",
        "extension", "fallthrough", "false", "fileprivate", "final", "for", "func", "get", "guard",
        "if", "import", "in", "indirect", "infix", "init", "inout", "internal", "is", "isolated",
        "lazy", "let", "macro", "mutating", "nil", "nonisolated", "nonmutating", "open", "operator",
        "optional", "override", "package", "postfix", "precedencegroup", "prefix", "private",
        "protocol", "public", "repeat", "required", "rethrows", "return", "self", "sending", "set",
        "some", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true",
        "try", "typealias", "unowned", "var", "weak", "where", "while", "yield", "willSet",
        "didSet", "any", "then",
    ]
}

/// The name of a Swift type in a model, read by a strict grammar: identifiers, dots, generic
/// arguments, `[ ]`, `[ : ]` and `?`. No other text of a model becomes a type.
package struct ClassName {
    /// The JSON form of a value of a known type.
    indirect enum Shape: Sendable, Equatable {
        case array
        case object
        case string
        case bool
        case number
        case optional(Shape)
        /// A type of the program's.
        case unknown
    }

    /// The type as in code, with Swift's spaces.
    let text: String
    /// The JSON form of its values.
    let shape: Shape

    /// The type without its optional wrappers, or nil if it is not optional.
    var wrapped: String? {
        guard case .optional = shape else { return nil }
        let short = text.hasSuffix("?") ? String(text.dropLast()) : nil
        let long = text.hasPrefix("Optional<") ? String(text.dropFirst(9).dropLast()) : nil
        let inner = short ?? long ?? text
        return ClassName(inner)?.wrapped ?? inner
    }

    /// Reads a type, or returns nil if the text is not one.
    init?(_ text: String) {
        var reader = Reader(scalars: Array(text.unicodeScalars.prefix(1001)))
        guard text.unicodeScalars.count <= 1000, let (text, shape) = reader.type(depth: 0),
            reader.isAtEnd
        else { return nil }
        self.text = text
        self.shape = shape
    }

    /// Whether a type consists only of known `Codable` and `Sendable` types. A transformable
    /// attribute of Xcode with such a class becomes `codable`.
    package static func isKnown(_ text: String) -> Bool {
        var reader = Reader(scalars: Array(text.filter { !$0.isWhitespace }.unicodeScalars))
        return reader.type(depth: 0) != nil && reader.isAtEnd && reader.isKnown
    }

    /// Whether the JSON of a value can be an array.
    var mayBeArray: Bool {
        switch shape {
        case .array, .unknown: true
        case .optional(let wrapped): wrapped == .array || wrapped == .unknown
        default: false
        }
    }

    private struct Reader {
        let scalars: [Unicode.Scalar]
        var index = 0
        /// Whether all types so far are known.
        var isKnown = true

        var isAtEnd: Bool {
            mutating get {
                skipSpace()
                return index == scalars.count
            }
        }

        mutating func type(depth: Int) -> (String, Shape)? {
            // A type with deeper nesting is rejected, so that the recursion ends.
            guard depth < 16, var (text, shape) = prefix(depth: depth) else { return nil }
            while take("?") {
                text += "?"
                shape = .optional(shape)
            }
            return (text, shape)
        }

        private mutating func prefix(depth: Int) -> (String, Shape)? {
            guard take("[") else { return named(depth: depth) }
            guard let (first, key) = type(depth: depth + 1) else { return nil }
            guard take(":") else { return take("]") ? ("[\(first)]", .array) : nil }
            guard let (second, _) = type(depth: depth + 1), take("]") else { return nil }
            return ("[\(first): \(second)]", Self.dictionary(key))
        }

        /// In JSON, a dictionary is an array if its keys are neither strings nor numbers.
        private static func dictionary(_ key: Shape) -> Shape {
            key == .string || key == .number ? .object : .unknown
        }

        private mutating func named(depth: Int) -> (String, Shape)? {
            guard let first = identifier() else { return nil }
            var text = first
            var shape = Self.shapes[first] ?? .unknown
            var count = 0
            if let arguments = arguments(depth: depth) {
                guard let arguments else { return nil }
                count = arguments.count
                text += "<" + arguments.map(\.0).joined(separator: ", ") + ">"
                shape = Self.shape(of: first, arguments.map(\.1))
            }
            isKnown = isKnown && Self.known[first] == count
            while take(".") {
                isKnown = false
                guard let name = identifier() else { return nil }
                text += "." + name
                shape = text.hasPrefix("Swift.") ? Self.shapes[name] ?? .unknown : .unknown
                if let arguments = arguments(depth: depth) {
                    guard let arguments else { return nil }
                    text += "<" + arguments.map(\.0).joined(separator: ", ") + ">"
                }
            }
            return (text, shape)
        }

        /// Generic arguments: nil if there are none, and nil within if they are invalid.
        private mutating func arguments(depth: Int) -> [(String, Shape)]?? {
            guard take("<") else { return .none }
            var list: [(String, Shape)] = []
            repeat {
                guard let argument = type(depth: depth + 1) else { return .some(nil) }
                list.append(argument)
            } while take(",")
            return .some(take(">") ? list : nil)
        }

        private static func shape(of name: String, _ arguments: [Shape]) -> Shape {
            switch (name, arguments.count) {
            case ("Array", 1), ("Set", 1): .array
            case ("Dictionary", 2): dictionary(arguments[0])
            case ("Optional", 1): .optional(arguments[0])
            default: .unknown
            }
        }

        private static let shapes: [String: Shape] = [
            "Bool": .bool, "Int": .number, "Int8": .number, "Int16": .number, "Int32": .number,
            "Int64": .number, "UInt": .number, "UInt8": .number, "UInt16": .number,
            "UInt32": .number, "UInt64": .number, "Float": .number, "Double": .number,
            "String": .string,
        ]

        /// The types that are known, and how many generic arguments each has.
        private static let known = shapes.mapValues { _ in 0 }.merging(
            [
                "Date": 0, "Data": 0, "UUID": 0, "URL": 0, "Decimal": 0, "Array": 1, "Set": 1,
                "Optional": 1, "Dictionary": 2,
            ], uniquingKeysWith: { count, _ in count })

        private mutating func identifier() -> String? {
            skipSpace()
            let start = index
            while index < scalars.count,
                index == start
                    ? scalars[index].properties.isXIDStart
                    : scalars[index].properties.isXIDContinue
            {
                index += 1
            }
            guard index > start else { return nil }
            var name = ""
            name.unicodeScalars.append(contentsOf: scalars[start..<index])
            return ReservedNames.keywords.contains(name) || Self.forbidden.contains(name)
                ? nil : name
        }

        /// Types that are not `Codable`.
        private static let forbidden: Set<String> = [
            "Any", "AnyObject", "AnyHashable", "Self", "Type", "Protocol", "Void",
        ]

        private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
            skipSpace()
            guard index < scalars.count, scalars[index] == scalar else { return false }
            index += 1
            return true
        }

        private mutating func skipSpace() {
            while index < scalars.count, scalars[index] == " " { index += 1 }
        }
    }
}
