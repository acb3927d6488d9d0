/// What may stand in a model: one row for each element of the language.
struct ElementRule {
    /// The XML attributes it must have.
    var required: [String] = []
    /// The XML attributes it may have.
    var optional: [String] = []
    /// The elements that may be in it.
    var children: [String] = []
    /// Whether text in it means something.
    var hasText = false
    /// XML attributes of the language that this version of the compiler cannot do yet.
    var unsupported: [String] = []
    /// Elements of the language that this version of the compiler cannot do yet.
    var unsupportedChildren: [String] = []

    var attributes: [String] { required + optional }
}

/// The language's elements.
enum Vocabulary {
    /// The namespace of every element.
    static let namespace = "urn:cambium:model:1"

    /// The rule of each element.
    static let rules: [String: ElementRule] = [
        "model": ElementRule(
            required: ["name", "version"], optional: ["access"],
            children: ["enum", "entity", "migration"],
            unsupportedChildren: ["composite", "configuration"]),
        "enum": ElementRule(required: ["name"], optional: ["type"], children: ["case"]),
        "case": ElementRule(required: ["name"], optional: ["value"]),
        "entity": ElementRule(
            required: ["name"],
            optional: ["parent", "abstract", "codegen", "renamedFrom", "validate"],
            children: ["attribute", "relationship", "unique", "index", "rule", "fetch"],
            unsupportedChildren: ["derived", "fetched"]),
        "attribute": ElementRule(
            required: ["name", "type"],
            optional: [
                "optional", "default", "transient", "min", "max", "minLength", "maxLength",
                "pattern", "scale", "merge", "renamedFrom", "validate",
            ],
            unsupported: ["storage", "class"]),
        "relationship": ElementRule(
            required: ["name", "to"],
            optional: ["inverse", "optional", "many", "min", "max", "onDelete", "renamedFrom"],
            unsupported: ["ordered"]),
        "unique": ElementRule(required: ["by"]),
        "index": ElementRule(required: ["by"], optional: ["where"]),
        "rule": ElementRule(required: ["name"], optional: ["message"], hasText: true),
        "fetch": ElementRule(
            required: ["name"], optional: ["sort"], children: ["parameter"], hasText: true),
        "parameter": ElementRule(required: ["name", "type"]),
        "migration": ElementRule(
            required: ["from"], children: ["rename", "fill", "drop"],
            unsupportedChildren: ["step"]),
        "rename": ElementRule(
            required: ["entity", "from"], optional: ["property"]),
        "fill": ElementRule(required: ["entity", "attribute", "with"]),
        "drop": ElementRule(
            required: ["entity", "reason"], optional: ["property"]),
    ]
}
