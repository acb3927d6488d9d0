import CambiumModel

/// Names that generated code cannot declare, because the runtime or Swift has them.
package enum ReservedNames {
    /// Members of `ManagedObject` that users see or override, names that every Swift type has, and
    /// the first parameter of the generated initializer. (`value`, `toOne` and other methods with
    /// arguments are not among them: a property of that name does no harm.)
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

    /// Names that no property can have: those, and one that a class has for its objects only.
    static let properties = members.union(["customMirror"])

    /// The Swift name of a property or a request: its own, or with an underscore where it is
    /// reserved (which only models from Xcode may have).
    static func memberName(_ name: String, among reserved: Set<String> = properties) -> String {
        reserved.contains(name) ? name + "_" : name
    }

    /// Names that a part of a composite cannot have.
    static let structMembers: Set<String> = [
        "self", "Self", "Type", "Protocol", "init", "hash", "hashValue", "encode", "CodingKeys",
    ]

    /// Types and modules whose name no type of a model can have. (Generated code writes other types
    /// of the runtime with their module where a model has one of the same name.)
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

    /// Words that need back-ticks somewhere where the emitter puts names. A back-tick too many
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
