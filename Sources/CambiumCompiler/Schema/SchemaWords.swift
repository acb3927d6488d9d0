/// What the schema says about each element and attribute: what an editor shows beside the cursor.
enum SchemaWords {
    /// The elements; those that mean something else in one parent by both names.
    static let elements = [
        "model": "One complete version of a data model.",
        "info": "Something noted for programs: a key and its value.",
        "suppress": "A warning that is meant as it is, in this element and those in it.",
        "enum": "A closed set of values: a Swift enum.",
        "case": "One value of the enumeration.",
        "composite": "A type with several parts: a Swift struct, a column for each part.",
        "composite/attribute": "A part of the composite.",
        "entity": "A kind of object: a Swift class, a table.",
        "attribute": "A value that each object has.",
        "derived": "A value that is computed from others and kept in the store.",
        "relationship": "A link to objects of another entity, or of the same.",
        "fetched": "Objects that a condition finds, instead of links that are stored.",
        "unique": "Properties whose values, taken together, no two objects share.",
        "index": "An index of the table.",
        "by": "One value that the index is sorted by.",
        "rule": "A condition that every saved object meets.",
        "fetch": "A named request; its text is the condition.",
        "parameter": "A value that the caller of the request supplies: $name in the condition.",
        "configuration": "Entities that a store of their own may hold.",
        "migration": "What a comparison with the version before cannot know.",
        "rename": "An entity or property that had another name in the version before.",
        "fill": "The value that existing objects get for an attribute that they did not have.",
        "drop": "An entity or property whose data is meant to be lost.",
        "replace": "A case of an enumeration that is gone, and the one that objects get instead.",
        "link": "The object that existing objects lead to, where they have none there.",
        "require": "What every object has already: a store in which one has not is refused.",
        "keep": "Of several links, where there can be only one from now on, the first stays.",
        "deduplicate": "Of several objects that are equal in what is unique now, the first stays.",
        "history": "What is declared about the steps between versions, beside their files.",
        "history/migration": "What a comparison of the two versions cannot know.",
        "step": "Work of the program's own in the middle of the migration.",
    ]

    /// An attribute: what it may be, and what it means.
    struct Word {
        let value: SchemaValue
        let text: String
    }

    /// What is known of an attribute of an element.
    static func attribute(_ name: String, of element: String) -> Word {
        // The same element within another has the same words.
        let own = element.split(separator: "/").last.map { "\($0)/\(name)" } ?? name
        return attributes["\(element)/\(name)"] ?? attributes[own] ?? attributes[name]
            ?? Word(value: .text, text: name)
    }

    static let attributes: [String: Word] = [
        "name": Word(value: .name, text: "The name: a letter, then letters, digits, underscores."),
        "configuration/name": Word(value: .name, text: "The name."),
        "index/name": Word(value: .name, text: "A name for people; the store's own is made anew."),
        "model/version": Word(value: .name, text: "The version: the file's name without .xml."),
        "model/access": Word(value: .access, text: "Who may use the generated code."),
        "model/identifier": Word(value: .text, text: "A name of the version for programs."),
        "key": Word(value: .text, text: "The key, once in each element."),
        "value": Word(value: .text, text: "The value."),
        "code": Word(value: .text, text: "The code of the warning, such as LQ201."),
        "suppress/reason": Word(value: .text, text: "Why it is meant as it is."),
        "case/value": Word(
            value: .text, text: "What the store holds; else the name, or the next number."),
        "type": Word(
            value: .type,
            text: "The type: one of the words, or the name of an enumeration or composite."),
        "enum/type": Word(value: .rawType, text: "The type of the raw values; string by default."),
        "parameter/type": Word(
            value: .type,
            text: "The type, or the entity of an object; without it, that of what it is compared "
                + "with."),
        "index/type": Word(value: .indexKind, text: "What the index is good for."),
        "class": Word(
            value: .text, text: "With type=\"codable\", the Swift type, such as [String: Int]."),
        "entity/class": Word(
            value: .name, text: "The name of the Swift class, where it is not the entity's."),
        "optional": Word(
            value: .flag, text: "Whether nil is a value; without it, one is required."),
        "transient": Word(value: .flag, text: "Whether it lives in memory only."),
        "default": Word(
            value: .text,
            text: "What new objects start with; now for a date, new for a UUID, JSON for codable."),
        "min": Word(value: .text, text: "The least value."),
        "max": Word(value: .text, text: "The greatest value."),
        "relationship/min": Word(value: .count, text: "The least number of objects of a to-many."),
        "relationship/max": Word(
            value: .count, text: "The greatest number of objects of a to-many."),
        "minLength": Word(
            value: .count, text: "The least length: characters of a string, bytes of data."),
        "maxLength": Word(
            value: .count, text: "The greatest length: characters of a string, bytes of data."),
        "pattern": Word(value: .text, text: "A regular expression that the whole string matches."),
        "scale": Word(
            value: .scale,
            text: "The decimal places that are kept, 6 by default; any keeps up to 38 digits."),
        "storage": Word(value: .external, text: "Large data in files beside the store."),
        "preserved": Word(value: .flag, text: "Whether the history keeps it of deleted objects."),
        "merge": Word(
            value: .merge, text: "How conflicting changes become one; else the policy decides."),
        "renamedFrom": Word(value: .name, text: "The name in the version just before."),
        "validate": Word(
            value: .custom, text: "The program supplies a validation, or the build fails."),
        "hashModifier": Word(
            value: .text, text: "Makes the version another one although the storage is the same."),
        "entity/parent": Word(value: .name, text: "The entity that this one inherits from."),
        "entity/abstract": Word(
            value: .flag, text: "Whether there are objects of sub-entities only."),
        "entity/codegen": Word(
            value: .codegen,
            text: "The whole class, an open base for a hand-written one, or nothing."),
        "expression": Word(value: .text, text: "What the value is computed from."),
        "relationship/to": Word(value: .name, text: "The entity that it leads to."),
        "fetched/to": Word(value: .name, text: "The entity whose objects it finds."),
        "relationship/inverse": Word(
            value: .name, text: "The way back, which is kept in step with this one."),
        "relationship/many": Word(value: .flag, text: "Whether it leads to any number of objects."),
        "relationship/ordered": Word(value: .flag, text: "Whether a to-many keeps an order."),
        "relationship/onDelete": Word(
            value: .deleteRule,
            text: "What becomes of the other end when this end's object is deleted."),
        "fetched/where": Word(
            value: .text, text: "The condition; $source is the object that has the property."),
        "index/where": Word(value: .text, text: "Only objects that meet it are in the index."),
        "sort": Word(value: .text, text: "The order: price descending, category.name"),
        "limit": Word(value: .count, text: "The greatest number of results."),
        "offset": Word(value: .count, text: "How many results are skipped."),
        "batchSize": Word(value: .count, text: "How many objects are loaded at a time."),
        "distinct": Word(value: .flag, text: "Whether equal results appear once."),
        "result": Word(value: .result, text: "What the results are; objects by default."),
        "includesSubentities": Word(
            value: .flag, text: "Whether objects of sub-entities count; true by default."),
        "includesPendingChanges": Word(
            value: .flag, text: "Whether unsaved changes count; true by default."),
        "includesPropertyValues": Word(
            value: .flag, text: "Whether values are loaded too; true by default."),
        "returnsFaults": Word(
            value: .flag, text: "Whether objects come without their values; true by default."),
        "prefetch": Word(
            value: .text, text: "Relationships whose objects are loaded too: category tags"),
        "unique/by": Word(value: .name, text: "The properties: sku, or shop sku"),
        "index/by": Word(value: .name, text: "The properties: price descending, title"),
        "by/property": Word(value: .name, text: "An attribute or to-one relationship."),
        "by/expression": Word(value: .text, text: "A value computed from the object's own."),
        "by/descending": Word(value: .flag, text: "Whether greater values come first."),
        "rule/message": Word(value: .text, text: "What an error says to a person."),
        "configuration/entities": Word(
            value: .text, text: "The names of its entities, separated by spaces."),
        "step/entities": Word(
            value: .text,
            text:
                "The entities whose objects the step writes, separated by spaces; without it, all "
                + "that the migration changes."),
        "migration/from": Word(value: .name, text: "The name of the version just before."),
        "migration/to": Word(value: .name, text: "The name of the version that it leads to."),
        "rename/from": Word(value: .name, text: "The old name."),
        "entity": Word(value: .name, text: "The entity."),
        "property": Word(value: .name, text: "The property; without it, the entity is meant."),
        "fill/attribute": Word(value: .name, text: "The attribute, by its new name."),
        "fill/with": Word(value: .text, text: "The value, computed from the object."),
        "fill/reason": Word(value: .text, text: "Why this is the value."),
        "link/relationship": Word(value: .name, text: "The to-one relationship, by its new name."),
        "link/where": Word(
            value: .text,
            text: "Which object it is, by its old properties; $source is the old object that leads "
                + "to it."),
        "link/sort": Word(
            value: .text, text: "Which of several: the first in this order of old attributes."),
        "link/reason": Word(value: .text, text: "Why this is the object."),
        "require/property": Word(
            value: .name, text: "The attribute or to-one relationship, by its new name."),
        "require/reason": Word(value: .text, text: "Why every object has it."),
        "drop/where": Word(
            value: .text,
            text: "Which objects go, by their old properties, while the entity stays."),
        "drop/reason": Word(value: .text, text: "Why the data may go."),
        "replace/enum": Word(value: .name, text: "The enumeration."),
        "replace/case": Word(value: .name, text: "The case that is gone, by its old name."),
        "replace/with": Word(
            value: .name,
            text: "The case that objects get instead, by its new name; without it none."),
        "replace/reason": Word(value: .text, text: "Why the case is gone."),
        "keep/relationship": Word(value: .name, text: "The to-one relationship, by its new name."),
        "keep/sort": Word(
            value: .text,
            text: "Which link stays: that to the first object in this order of old attributes."),
        "keep/reason": Word(value: .text, text: "Why the other links may go."),
        "deduplicate/by": Word(value: .name, text: "The properties of the constraint."),
        "deduplicate/sort": Word(
            value: .text, text: "Which object stays: the first in this order, then the eldest."),
        "deduplicate/links": Word(
            value: .linksOfDuplicates, text: "What becomes of links to the others; move by default."
        ),
        "deduplicate/reason": Word(value: .text, text: "Why the other objects may go."),
        "history/name": Word(value: .name, text: "The model's name."),
    ].merging(
        Vocabulary.declarations.map { name in
            (
                "\(name)/class",
                Word(value: .migrationKind, text: "What it means for the data that is there.")
            )
        }, uniquingKeysWith: { word, _ in word })
}
