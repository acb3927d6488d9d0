import CambiumModel
import CambiumPlan

// The table: models, their types, and elements that are valid everywhere
extension ElementDescriptor {
    static let ofModels = [
        ElementDescriptor(
            "model", "One complete version of a data model.",
            [
                .name.required,
                .init("version", .name, "The version: the file's name without .xml.").required,
                .init("access", .words(AccessLevel.self), "Who may use the generated code."),
                .init("identifier", .text, "A name of the version for programs."),
                .init(
                    "engines", .wordList(CheckedEngine.self),
                    "The engines of its stores, separated by spaces: sqlite, or sqlite postgres."),
            ],
            children: [
                "enum", "composite", "entity", "configuration", "migration", "info", "suppress",
            ]),
        ElementDescriptor(
            "info", "Something noted for programs: a key and its value.",
            [
                .init("key", .text, "The key, once in each element.").required,
                .init("value", .text, "The value.").required,
            ]),
        ElementDescriptor(
            "suppress", "A warning that is meant as it is, in this element and those in it.",
            [
                .init("code", .text, "The code of the warning, such as LQ201.").required,
                .init("reason", .text, "Why it is meant as it is.").required,
            ]),
        ElementDescriptor(
            "enum", "A closed set of values: a Swift enum.",
            [
                .name.required,
                .init(
                    "type", .words(["string", "int16", "int32", "int64"]),
                    "The type of the raw values; string by default."),
            ],
            children: ["case"]),
        ElementDescriptor(
            "case", "One value of the enumeration.",
            [
                .name.required,
                .init(
                    "value", .text,
                    "The value in the store; by default the name, or the next number."),
            ]),
        ElementDescriptor(
            "composite", "A type with several parts: a Swift struct, a column for each part.",
            [.name.required], children: ["attribute", "info"]),
        part,
        ElementDescriptor(
            "configuration", "Entities that can be kept in a separate store.",
            [
                .init("name", .name, "The name.").required,
                .init("entities", .text, "The names of its entities, separated by spaces.")
                    .required,
            ],
            children: ["info"]),
    ]

    static let part = ElementDescriptor(
        "composite/attribute", "A part of the composite.",
        [.name.required, .type.required, .codableClass, .scale, .optional, .defaultValue],
        XMLAttribute.limits,
        children: ["info"])
}

// XML attributes of more than one element
extension XMLAttribute {
    static let name = XMLAttribute(
        "name", .name, "The name: a letter, then letters, digits, underscores.",
        .value("Name", "name"))
    static let type = XMLAttribute(
        "type", .type, "The type: one of the words, or the name of an enumeration or composite.",
        .value("Attribute Type"))
    static let codableClass = XMLAttribute(
        "class", .text, "With type=\"codable\", the Swift type, such as [String: Int].")
    static let scale = XMLAttribute(
        "scale", .scale,
        "The decimal places that are kept, 6 by default; any keeps up to 38 digits.")
    static let optional = XMLAttribute(
        "optional", .flag, "Whether nil is a value; without it, one is required.",
        .box("Optional", "optional"))
    static let transient = XMLAttribute(
        "transient", .flag, "Whether it exists in memory only.", .box("Transient", "transient"))
    static let defaultValue = XMLAttribute(
        "default", .text,
        "What new objects start with; now for a date, new for a UUID, JSON for codable.",
        .value("Default Value"))
    static let limits: [XMLAttribute] = [
        .init("min", .text, "The least value.", .value("Minimum")),
        .init("max", .text, "The greatest value.", .value("Maximum")),
        .init(
            "minLength", .count(), "The least length: characters of a string, bytes of data.",
            .value("Min Length")),
        .init(
            "maxLength", .count(), "The greatest length: characters of a string, bytes of data.",
            .value("Max Length")),
        .init(
            "pattern", .text, "A regular expression that the whole string matches.",
            .value("Reg. Ex.")),
    ]
    static let validate = XMLAttribute(
        "validate", .words(["custom"]), "The program supplies a validation, or the build fails.")
    static let renamedFrom = XMLAttribute(
        "renamedFrom", .name, "The name in the version just before.", .value("Renaming ID"))
    static let hashModifier = XMLAttribute(
        "hashModifier", .text, "Makes the version different although the storage is the same.",
        .value("Hash Modifier", "versionHashModifier"))
}

// The table: entities and their content
extension ElementDescriptor {
    static let ofEntities = [
        entity, attribute, derived, relationship,
        ElementDescriptor(
            "fetched", "Objects that a condition finds, instead of links that are stored.",
            [
                .name.required,
                .init("to", .name, "The entity whose objects it finds.", .value("Destination"))
                    .required,
                .init(
                    "where", .text, "The condition; $source is the object that has the property.",
                    .value("Predicate")),
            ],
            XMLAttribute.request, [.hashModifier],
            children: ["info"]),
        ElementDescriptor(
            "unique", "Properties whose combined values are unique among the objects.",
            [
                .init("by", .name, "The properties: sku, or shop sku", .value("Constraints"))
                    .required
            ]),
        ElementDescriptor(
            "index", "An index of the table.",
            [
                .init("name", .name, "A name for people; the name in the store is generated."),
                .init("by", .name, "The properties: price descending, title"),
                .init("where", .text, "Only objects that meet it are in the index."),
                .init("type", .words(IndexKind.self), "What the index is good for."),
            ],
            children: ["by", "info"]),
        ElementDescriptor(
            "by", "One value that the index is sorted by.",
            [
                .init("property", .name, "An attribute or to-one relationship."),
                .init("expression", .text, "A value computed from the object's own."),
                .init("descending", .flag, "Whether greater values come first."),
            ]),
        ElementDescriptor(
            "rule", "A condition that every saved object meets.",
            [
                .name.required,
                .init("message", .text, "The message of the error for users."),
            ],
            hasText: true),
        ElementDescriptor(
            "fetch", "A named request; its text is the condition.",
            [.name.required],
            XMLAttribute.request,
            [
                .init(
                    "prefetch", .text, "Relationships whose objects are loaded too: category tags")
            ],
            children: ["parameter", "info"], hasText: true),
        ElementDescriptor(
            "parameter", "A value that the caller of the request supplies: $name in the condition.",
            [
                .name.required,
                .init(
                    "type", .type,
                    "The type, or the entity of an object; without it, that of what it is compared with."
                ),
            ]),
    ]

    static let entity = ElementDescriptor(
        "entity", "A kind of object: a Swift class, a table.",
        [
            .name.required,
            .init("class", .name, "The name of the Swift class, where it is not the entity's."),
            .init(
                "parent", .name, "The entity that this one inherits from.",
                .value("Parent Entity", "parentEntity")),
            .init(
                "abstract", .flag, "Whether there are objects of sub-entities only.",
                .box("Abstract Entity", "isAbstract")),
            .init(
                "codegen", .words(CodeGeneration.self),
                "The whole class, an open base for a hand-written one, or nothing."),
            .validate, .renamedFrom, .hashModifier,
        ],
        children: [
            "attribute", "derived", "relationship", "fetched", "unique", "index", "rule", "fetch",
            "info", "suppress",
        ])

    static let attribute = ElementDescriptor(
        "attribute", "A value that each object has.",
        [
            .name.required, .type.required, .codableClass, .scale, .optional, .transient,
            .defaultValue,
        ],
        XMLAttribute.limits,
        [
            .init(
                "storage", .words(["external"]), "Large data in files beside the store.",
                .box("Allows External Storage")),
            .init(
                "merge", .words(MergeRule.self),
                "How conflicting changes become one; else the policy decides."),
            .init(
                "preserved", .flag, "Whether the history keeps it of deleted objects.",
                .box("Preserve After Deletion", "preserveAfterDeletion")),
            .validate, .renamedFrom, .hashModifier,
        ],
        children: ["info", "suppress"])

    static let derived = ElementDescriptor(
        "derived", "A value that is computed from others and kept in the store.",
        [
            .name.required, .type.required, .scale, .optional,
            .init(
                "expression", .text, "What the value is computed from.",
                .value("Derivation", "derivationExpression")
            ).required,
            .renamedFrom, .hashModifier,
        ],
        children: ["info", "suppress"])

    static let relationship = ElementDescriptor(
        "relationship", "A link to objects of another entity, or of the same.",
        [
            .name.required,
            .init(
                "to", .name, "The entity that it references.",
                .value("Destination", "destinationEntity")
            ).required,
            .init(
                "inverse", .name,
                "The inverse relationship, which is kept consistent with this one.",
                .value("Inverse", "inverseName")),
            .optional,
            .init(
                "many", .flag, "Whether it references any number of objects.",
                .choice("Type", ["true": "To Many", "false": "To One"], "toMany")),
            .init(
                "ordered", .flag, "Whether a to-many keeps an order.", .box("Ordered", "ordered")),
            .init("min", .count(), "The least number of objects of a to-many."),
            .init("max", .count(from: 1), "The greatest number of objects of a to-many."),
            .transient,
            .init(
                "onDelete", .words(DeleteRule.self),
                "What happens at the other end when the object at this end is deleted.",
                .choice(
                    "Delete Rule", ["nullify": "Nullify", "cascade": "Cascade", "deny": "Deny"])),
            .renamedFrom, .hashModifier,
        ],
        children: ["info", "suppress"])
}

extension XMLAttribute {
    /// The options of a fetch.
    static let request: [XMLAttribute] = [
        .init("sort", .text, "The order: price descending, category.name"),
        .init(
            "limit", .count(from: 1), "The greatest number of results.",
            .value("Fetch Limit", "fetchLimit")),
        .init(
            "offset", .count(), "How many results are skipped.",
            .value("Fetch Offset", "fetchOffset")),
        .init(
            "batchSize", .count(), "How many objects are loaded at a time.",
            .value("Batch Size", "fetchBatchSize")),
        .init(
            "distinct", .flag, "Whether equal results appear once.",
            .flag("Return Distinct Results", "returnDistinctResults")),
        .init(
            "result", .words(RequestResultKind.self), "What the results are; objects by default.",
            .word(
                "Result Type", "resultType",
                ["objects": "0", "ids": "1", "dictionaries": "2", "count": "4"])),
        .init(
            "includesSubentities", .flag(default: true),
            "Whether objects of sub-entities count; true by default.",
            .flag("Include Subentities", "includeSubentities")),
        .init(
            "includesPendingChanges", .flag(default: true),
            "Whether unsaved changes count; true by default.",
            .flag("Include Pending Changes", "includesPendingChanges")),
        .init(
            "includesPropertyValues", .flag(default: true),
            "Whether values are loaded too; true by default.",
            .flag("Include Property Values", "includePropertyValues")),
        .init(
            "returnsFaults", .flag(default: true),
            "Whether objects come without their values; true by default.",
            .flag("Return Objects as Faults", "returnObjectsAsFaults")),
    ]
}

// The table: declarations about the steps between versions
extension ElementDescriptor {
    /// The elements around declarations, in a version and beside the bundle.
    static let ofMigrations = [
        ElementDescriptor(
            "migration", "What a comparison with the version before cannot know.", [from],
            children: Vocabulary.declarations),
        ElementDescriptor(
            "history", "What is declared about the steps between versions, beside their files.",
            [.init("name", .name, "The model's name.").required], children: ["migration"]),
        ElementDescriptor(
            "history/migration", "What a comparison of the two versions cannot know.",
            [
                from,
                .init("to", .name, "The name of the version after the migration.").required,
            ],
            children: Vocabulary.declarations),
    ]

    private static let from = XMLAttribute("from", .name, "The name of the version just before.")
        .required

    /// The declarations. Beside the bundle they also state their class.
    static let ofDeclarations = [
        ElementDescriptor(
            "rename", "An entity or property that had another name in the version before.",
            [
                .entity, .property, .init("from", .name, "The old name.").required, .meaning,
            ]),
        ElementDescriptor(
            "fill", "The value that existing objects get for an attribute that they did not have.",
            [
                .entity,
                .init("attribute", .name, "The attribute, by its new name.").required,
                .init("with", .text, "The value, computed from the object.").required,
                .meaning, .reason("Why this is the value."),
            ]),
        ElementDescriptor(
            "link", "The object that existing objects reference, if they reference none.",
            [
                .entity, .relationship,
                .init(
                    "where", .text,
                    "Which object it is, by its old properties; $source is the old object that references it."
                ).required,
                .init(
                    "sort", .text, "Which of several: the first in this order of old attributes."),
                .meaning, .reason("Why this is the object."),
            ]),
        ElementDescriptor(
            "require",
            "A property that every object has. A store with an object without it is rejected.",
            [
                .entity,
                .init("property", .name, "The attribute or to-one relationship, by its new name.")
                    .required,
                .meaning, .reason("Why every object has it.").required,
            ]),
        ElementDescriptor(
            "drop", "An entity or property whose data is meant to be lost.",
            [
                .entity, .property,
                .init(
                    "where", .text,
                    "Which objects are deleted, by their old properties, while the entity stays."),
                .meaning, .reason("Why the data may be deleted.").required,
            ]),
        ElementDescriptor(
            "replace",
            "A removed case of an enumeration, and the one that objects get instead.",
            [
                .init("enum", .name, "The enumeration.").required,
                .init("case", .name, "The removed case, by its old name.").required,
                .init(
                    "with", .name,
                    "The case that objects get instead, by its new name; without it none."),
                .meaning, .reason("Why the case was removed.").required,
            ]),
        ElementDescriptor(
            "keep",
            "Keeps the first of several links, if there can be only one in the new version.",
            [
                .entity, .relationship,
                .init(
                    "sort", .text,
                    "Which link stays: that to the first object in this order of old attributes."),
                .meaning, .reason("Why the other links may be deleted.").required,
            ]),
        ElementDescriptor(
            "deduplicate",
            "Keeps the first of several objects that are equal in a new unique constraint.",
            [
                .entity, .init("by", .name, "The properties of the constraint.").required,
                .init(
                    "sort", .text, "Which object stays: the first in this order, then the oldest."),
                .init(
                    "links", .words(MigrationDeclaration.Deduplication.Links.self),
                    "What happens to links to the others; move by default."),
                .meaning, .reason("Why the other objects may be deleted.").required,
            ]),
        ElementDescriptor(
            "step", "Code of the program that runs during the migration.",
            [
                .name.required,
                .init(
                    "entities", .text,
                    "The entities whose objects the step writes, separated by spaces; without it, all that the migration changes."
                ),
                .meaning,
            ]),
    ]
}

extension XMLAttribute {
    /// The effect of a declaration on the data.
    static let meaning = XMLAttribute(
        "class", .words(MigrationKind.self), "What it means for existing data.")
    fileprivate static let entity = XMLAttribute("entity", .name, "The entity.").required
    fileprivate static let property = XMLAttribute(
        "property", .name, "The property; without it, the entity is meant.")
    fileprivate static let relationship = XMLAttribute(
        "relationship", .name, "The to-one relationship, by its new name."
    ).required

    fileprivate static func reason(_ text: String) -> XMLAttribute {
        .init("reason", .text, text)
    }
}
