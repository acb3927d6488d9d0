import CambiumModel
import CambiumPlan

// The table: what is declared about the steps between versions
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
                .init("to", .name, "The name of the version that it leads to.").required,
            ],
            children: Vocabulary.declarations),
    ]

    private static let from = XMLAttribute("from", .name, "The name of the version just before.")
        .required

    /// The declarations. Beside the bundle they say too what they mean for the data.
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
            "link", "The object that existing objects lead to, where they have none there.",
            [
                .entity, .relationship,
                .init(
                    "where", .text,
                    "Which object it is, by its old properties; $source is the old object that leads to it."
                ).required,
                .init(
                    "sort", .text, "Which of several: the first in this order of old attributes."),
                .meaning, .reason("Why this is the object."),
            ]),
        ElementDescriptor(
            "require", "What every object has already: a store in which one has not is refused.",
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
                    "Which objects go, by their old properties, while the entity stays."),
                .meaning, .reason("Why the data may go.").required,
            ]),
        ElementDescriptor(
            "replace",
            "A case of an enumeration that is gone, and the one that objects get instead.",
            [
                .init("enum", .name, "The enumeration.").required,
                .init("case", .name, "The case that is gone, by its old name.").required,
                .init(
                    "with", .name,
                    "The case that objects get instead, by its new name; without it none."),
                .meaning, .reason("Why the case is gone.").required,
            ]),
        ElementDescriptor(
            "keep",
            "Of several links, where there can be only one from now on, the first stays.",
            [
                .entity, .relationship,
                .init(
                    "sort", .text,
                    "Which link stays: that to the first object in this order of old attributes."),
                .meaning, .reason("Why the other links may go.").required,
            ]),
        ElementDescriptor(
            "deduplicate",
            "Of several objects that are equal in what is unique now, the first stays.",
            [
                .entity, .init("by", .name, "The properties of the constraint.").required,
                .init(
                    "sort", .text, "Which object stays: the first in this order, then the eldest."),
                .init(
                    "links", .words(MigrationDeclaration.Deduplication.Links.self),
                    "What becomes of links to the others; move by default."),
                .meaning, .reason("Why the other objects may go.").required,
            ]),
        ElementDescriptor(
            "step", "Work of the program's own in the middle of the migration.",
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
    /// What a declaration means for the data.
    static let meaning = XMLAttribute(
        "class", .words(MigrationKind.self), "What it means for the data that is there.")
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
