import CambiumModel

// The table: entities and what is in them
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
            "unique", "Properties whose values, taken together, no two objects share.",
            [
                .init("by", .name, "The properties: sku, or shop sku", .value("Constraints"))
                    .required
            ]),
        ElementDescriptor(
            "index", "An index of the table.",
            [
                .init("name", .name, "A name for people; the store's own is made anew."),
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
                .init("message", .text, "What an error says to a person."),
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
                "to", .name, "The entity that it leads to.",
                .value("Destination", "destinationEntity")
            ).required,
            .init(
                "inverse", .name, "The way back, which is kept in step with this one.",
                .value("Inverse", "inverseName")),
            .optional,
            .init(
                "many", .flag, "Whether it leads to any number of objects.",
                .choice("Type", ["true": "To Many", "false": "To One"], "toMany")),
            .init(
                "ordered", .flag, "Whether a to-many keeps an order.", .box("Ordered", "ordered")),
            .init("min", .count(), "The least number of objects of a to-many."),
            .init("max", .count(from: 1), "The greatest number of objects of a to-many."),
            .transient,
            .init(
                "onDelete", .words(DeleteRule.self),
                "What becomes of the other end when this end's object is deleted.",
                .choice(
                    "Delete Rule", ["nullify": "Nullify", "cascade": "Cascade", "deny": "Deny"])),
            .renamedFrom, .hashModifier,
        ],
        children: ["info", "suppress"])
}

extension XMLAttribute {
    /// How something is fetched.
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
