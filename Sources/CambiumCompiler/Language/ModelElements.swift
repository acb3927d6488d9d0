import CambiumModel

// The table: models, their types, and what is said of anything
extension ElementDescriptor {
    static let ofModels = [
        ElementDescriptor(
            "model", "One complete version of a data model.",
            [
                .name.required,
                .init("version", .name, "The version: the file's name without .xml.").required,
                .init("access", .words(AccessLevel.self), "Who may use the generated code."),
                .init("identifier", .text, "A name of the version for programs."),
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
                .init("value", .text, "What the store holds; else the name, or the next number."),
            ]),
        ElementDescriptor(
            "composite", "A type with several parts: a Swift struct, a column for each part.",
            [.name.required], children: ["attribute", "info"]),
        part,
        ElementDescriptor(
            "configuration", "Entities that a store of their own may hold.",
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

// Those that more than one element has
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
        "transient", .flag, "Whether it lives in memory only.", .box("Transient", "transient"))
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
        "hashModifier", .text, "Makes the version another one although the storage is the same.",
        .value("Hash Modifier", "versionHashModifier"))
}
