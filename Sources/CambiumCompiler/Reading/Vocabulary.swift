/// What may stand in a model: one row for each element of the language.
package struct ElementRule {
    /// The XML attributes it must have.
    package let required: [String]
    /// The XML attributes it may have.
    let optional: [String]
    /// The elements that may be in it.
    package let children: [String]
    /// Whether text in it means something.
    package let hasText: Bool
    /// All XML attributes.
    package let attributes: [String]

    init(
        required: [String] = [], optional: [String] = [], children: [String] = [],
        hasText: Bool = false
    ) {
        self.required = required
        self.optional = optional
        self.children = children
        self.hasText = hasText
        attributes = required + optional
    }
}

/// The language's elements. The schema that ships for editors says the same (a test compares them).
package enum Vocabulary {
    /// The namespace of every element.
    package static let namespace = "urn:cambium:model:1"

    /// Whether a name is an identifier in models: a letter, then letters, digits and underscores.
    package static func isIdentifier(_ name: String) -> Bool {
        // Most names are ASCII, which needs no look into Unicode's tables.
        if let first = name.utf8.first, isLetter(first),
            name.utf8.allSatisfy({
                isLetter($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "_")
            })
        {
            return true
        }
        guard let first = name.unicodeScalars.first, first.properties.isXIDStart else {
            return false
        }
        return name.unicodeScalars.allSatisfy { $0.properties.isXIDContinue }
    }

    /// Whether a byte is an ASCII letter.
    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20)
    }

    /// The rule of an element that stands in another.
    static func rule(of element: String, in parent: String) -> ElementRule? {
        // The only one so far; most models have thousands of the others.
        parent == "composite" ? rules["\(parent)/\(element)"] ?? rules[element] : rules[element]
    }

    /// The rule of each element; those that mean something else in one parent have its name too.
    package static let rules = modelRules.merging(historyRules) { rule, _ in rule }

    private static let modelRules: [String: ElementRule] = [
        "model": ElementRule(
            required: ["name", "version"], optional: ["access", "identifier"],
            children: [
                "enum", "composite", "entity", "configuration", "migration", "info", "suppress",
            ]),
        "info": ElementRule(required: ["key", "value"]),
        "suppress": ElementRule(required: ["code", "reason"]),
        "enum": ElementRule(required: ["name"], optional: ["type"], children: ["case"]),
        "case": ElementRule(required: ["name"], optional: ["value"]),
        "composite": ElementRule(required: ["name"], children: ["attribute", "info"]),
        "composite/attribute": ElementRule(
            required: ["name", "type"],
            optional: [
                "optional", "default", "min", "max", "minLength", "maxLength", "pattern", "scale",
                "class",
            ],
            children: ["info"]),
        "entity": ElementRule(
            required: ["name"],
            optional: [
                "parent", "abstract", "class", "codegen", "renamedFrom", "validate", "hashModifier",
            ],
            children: [
                "attribute", "derived", "relationship", "fetched", "unique", "index", "rule",
                "fetch", "info", "suppress",
            ]),
        "attribute": ElementRule(
            required: ["name", "type"],
            optional: [
                "optional", "default", "transient", "min", "max", "minLength", "maxLength",
                "pattern", "scale", "class", "storage", "preserved", "merge", "renamedFrom",
                "validate", "hashModifier",
            ],
            children: ["info", "suppress"]),
        "derived": ElementRule(
            required: ["name", "type", "expression"],
            optional: ["scale", "optional", "renamedFrom", "hashModifier"],
            children: ["info", "suppress"]),
        "relationship": ElementRule(
            required: ["name", "to"],
            optional: [
                "inverse", "optional", "many", "ordered", "min", "max", "onDelete", "transient",
                "renamedFrom", "hashModifier",
            ],
            children: ["info", "suppress"]),
        "fetched": ElementRule(
            required: ["name", "to"],
            optional: ["where"] + request + ["hashModifier"], children: ["info"]),
        "unique": ElementRule(required: ["by"]),
        "index": ElementRule(
            optional: ["name", "by", "where", "type"], children: ["by", "info"]),
        "by": ElementRule(optional: ["property", "expression", "descending"]),
        "rule": ElementRule(required: ["name"], optional: ["message"], hasText: true),
        "fetch": ElementRule(
            required: ["name"], optional: request + ["prefetch"], children: ["parameter", "info"],
            hasText: true),
        "parameter": ElementRule(required: ["name"], optional: ["type"]),
        "configuration": ElementRule(required: ["name", "entities"], children: ["info"]),
        "migration": ElementRule(required: ["from"], children: declarations),
        "rename": ElementRule(
            required: ["entity", "from"], optional: ["property"]),
        "fill": ElementRule(required: ["entity", "attribute", "with"], optional: ["reason"]),
        "link": ElementRule(
            required: ["entity", "relationship", "where"], optional: ["sort", "reason"]),
        "require": ElementRule(required: ["entity", "property", "reason"]),
        "drop": ElementRule(
            required: ["entity", "reason"], optional: ["property", "where"]),
        "replace": ElementRule(required: ["enum", "case", "reason"], optional: ["with"]),
        "keep": ElementRule(
            required: ["entity", "relationship", "reason"], optional: ["sort"]),
        "deduplicate": ElementRule(
            required: ["entity", "by", "reason"], optional: ["sort", "links"]),
        "step": ElementRule(required: ["name"], optional: ["entities"]),
    ]

    /// What is declared about a step from one version to the next.
    package static let declarations = [
        "rename", "fill", "link", "require", "drop", "replace", "keep", "deduplicate", "step",
    ]

    /// The file of declarations beside a bundle: what each means for the data stands with it.
    private static let historyRules: [String: ElementRule] = {
        var rules: [String: ElementRule] = [
            "history": ElementRule(required: ["name"], children: ["migration"]),
            "history/migration": ElementRule(
                required: ["from", "to"], children: declarations),
        ]
        for name in declarations {
            guard let rule = modelRules[name] else { continue }
            rules["history/migration/\(name)"] = ElementRule(
                required: rule.required, optional: rule.optional + ["class"])
        }
        return rules
    }()

    /// How something is fetched.
    private static let request = [
        "sort", "limit", "offset", "batchSize", "distinct", "result", "includesSubentities",
        "includesPendingChanges", "includesPropertyValues", "returnsFaults",
    ]
}
