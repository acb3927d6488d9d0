import CambiumCompiler

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
    typealias Word = (value: SchemaValue, text: String)

    /// What is known of an attribute of an element.
    static func attribute(_ name: String, of element: String) -> Word {
        // The same element within another has the same words.
        let own = element.split(separator: "/").last.map { "\($0)/\(name)" } ?? name
        return attributes["\(element)/\(name)"] ?? attributes[own] ?? attributes[name]
            ?? (.text, name)
    }

    static let attributes = ownAttributes.merging(
        Vocabulary.declarations.map { name in
            ("\(name)/class", (.migrationKind, "What it means for the data that is there."))
        }, uniquingKeysWith: { word, _ in word })

    private static let ownAttributes: [String: Word] = [
        "name": (.name, "The name: a letter, then letters, digits, underscores."),
        "configuration/name": (.name, "The name."),
        "index/name": (.name, "A name for people; the store's own is made anew."),
        "model/version": (.name, "The version: the file's name without .xml."),
        "model/access": (.access, "Who may use the generated code."),
        "model/identifier": (.text, "A name of the version for programs."),
        "key": (.text, "The key, once in each element."),
        "value": (.text, "The value."),
        "code": (.text, "The code of the warning, such as LQ201."),
        "suppress/reason": (.text, "Why it is meant as it is."),
        "case/value": (.text, "What the store holds; else the name, or the next number."),
        "type": (.type, "The type: one of the words, or the name of an enumeration or composite."),
        "enum/type": (.rawType, "The type of the raw values; string by default."),
        "parameter/type": (
            .type,
            "The type, or the entity of an object; without it, that of what it is "
                + "compared with."
        ),
        "index/type": (.indexKind, "What the index is good for."),
        "class": (.text, "With type=\"codable\", the Swift type, such as [String: Int]."),
        "entity/class": (.name, "The name of the Swift class, where it is not the entity's."),
        "optional": (.flag, "Whether nil is a value; without it, one is required."),
        "transient": (.flag, "Whether it lives in memory only."),
        "default": (
            .text, "What new objects start with; now for a date, new for a UUID, JSON for codable."
        ),
        "min": (.text, "The least value."),
        "max": (.text, "The greatest value."),
        "relationship/min": (.count, "The least number of objects of a to-many."),
        "relationship/max": (.count, "The greatest number of objects of a to-many."),
        "minLength": (.count, "The least length: characters of a string, bytes of data."),
        "maxLength": (.count, "The greatest length: characters of a string, bytes of data."),
        "pattern": (.text, "A regular expression that the whole string matches."),
        "scale": (
            .scale, "The decimal places that are kept, 6 by default; any keeps up to 38 digits."
        ),
        "storage": (.external, "Large data in files beside the store."),
        "preserved": (.flag, "Whether the history keeps it of deleted objects."),
        "merge": (.merge, "How conflicting changes become one; else the policy decides."),
        "renamedFrom": (.name, "The name in the version just before."),
        "validate": (.custom, "The program supplies a validation, or the build fails."),
        "hashModifier": (.text, "Makes the version another one although the storage is the same."),
        "entity/parent": (.name, "The entity that this one inherits from."),
        "entity/abstract": (.flag, "Whether there are objects of sub-entities only."),
        "entity/codegen": (
            .codegen, "The whole class, an open base for a hand-written one, or nothing."
        ),
        "expression": (.text, "What the value is computed from."),
        "relationship/to": (.name, "The entity that it leads to."),
        "fetched/to": (.name, "The entity whose objects it finds."),
        "relationship/inverse": (.name, "The way back, which is kept in step with this one."),
        "relationship/many": (.flag, "Whether it leads to any number of objects."),
        "relationship/ordered": (.flag, "Whether a to-many keeps an order."),
        "relationship/onDelete": (
            .deleteRule, "What becomes of the other end when this end's object is deleted."
        ),
        "fetched/where": (.text, "The condition; $source is the object that has the property."),
        "index/where": (.text, "Only objects that meet it are in the index."),
        "sort": (.text, "The order: price descending, category.name"),
        "limit": (.count, "The greatest number of results."),
        "offset": (.count, "How many results are skipped."),
        "batchSize": (.count, "How many objects are loaded at a time."),
        "distinct": (.flag, "Whether equal results appear once."),
        "result": (.result, "What the results are; objects by default."),
        "includesSubentities": (.flag, "Whether objects of sub-entities count; true by default."),
        "includesPendingChanges": (.flag, "Whether unsaved changes count; true by default."),
        "includesPropertyValues": (.flag, "Whether values are loaded too; true by default."),
        "returnsFaults": (.flag, "Whether objects come without their values; true by default."),
        "prefetch": (.text, "Relationships whose objects are loaded too: category tags"),
        "unique/by": (.name, "The properties: sku, or shop sku"),
        "index/by": (.name, "The properties: price descending, title"),
        "by/property": (.name, "An attribute or to-one relationship."),
        "by/expression": (.text, "A value computed from the object's own."),
        "by/descending": (.flag, "Whether greater values come first."),
        "rule/message": (.text, "What an error says to a person."),
        "configuration/entities": (.text, "The names of its entities, separated by spaces."),
        "step/entities": (
            .text,
            "The entities whose objects the step writes, separated by spaces; without "
                + "it, all that the migration changes."
        ),
        "migration/from": (.name, "The name of the version just before."),
        "migration/to": (.name, "The name of the version that it leads to."),
        "rename/from": (.name, "The old name."),
        "entity": (.name, "The entity."),
        "property": (.name, "The property; without it, the entity is meant."),
        "fill/attribute": (.name, "The attribute, by its new name."),
        "fill/with": (.text, "The value, computed from the object."),
        "fill/reason": (.text, "Why this is the value."),
        "link/relationship": (.name, "The to-one relationship, by its new name."),
        "link/where": (
            .text,
            "Which object it is, by its old properties; $source is the old object that "
                + "leads to it."
        ),
        "link/sort": (.text, "Which of several: the first in this order of old attributes."),
        "link/reason": (.text, "Why this is the object."),
        "require/property": (.name, "The attribute or to-one relationship, by its new name."),
        "require/reason": (.text, "Why every object has it."),
        "drop/where": (.text, "Which objects go, by their old properties, while the entity stays."),
        "drop/reason": (.text, "Why the data may go."),
        "replace/enum": (.name, "The enumeration."),
        "replace/case": (.name, "The case that is gone, by its old name."),
        "replace/with": (
            .name, "The case that objects get instead, by its new name; without it none."
        ),
        "replace/reason": (.text, "Why the case is gone."),
        "keep/relationship": (.name, "The to-one relationship, by its new name."),
        "keep/sort": (
            .text, "Which link stays: that to the first object in this order of old attributes."
        ),
        "keep/reason": (.text, "Why the other links may go."),
        "deduplicate/by": (.name, "The properties of the constraint."),
        "deduplicate/sort": (
            .text, "Which object stays: the first in this order, then the eldest."
        ),
        "deduplicate/links": (
            .linksOfDuplicates, "What becomes of links to the others; move by default."
        ),
        "deduplicate/reason": (.text, "Why the other objects may go."),
        "history/name": (.name, "The model's name."),
    ]
}
