@_spi(Generated) import CambiumMigration
import ContactsModel
import Foundation
import Testing

@testable @_spi(Generated) import Cambium

/// Stores of the first version of `Contacts`, of which there are no classes.
enum OldContacts {
    /// Three people, one of them without a city, two notes of the first, and three tags.
    static func makeStore(at path: String) throws {
        let old = try #require(Contacts.model.proofs().first).old
        let context = try PersistentContainer(
            CompiledModel(old), StoreDescription(location: .temporary(path))
        ).newContext()
        func insert(_ entity: String, _ values: [String: Value]) throws -> ManagedObject {
            let object = try context.insertObject(ofEntity: entity)
            for (name, value) in values { try object.setValue(value, forKey: name) }
            return object
        }
        let ada = try insert(
            "Person",
            [
                "name": .string("Ada Lovelace"), "city": .string("London"),
                "balance": .decimal(12.5),
            ])
        _ = try insert(
            "Employee",
            ["name": .string("Alan Turing"), "city": .string("London"), "number": .int(7)])
        _ = try insert("Person", ["name": .string("Plato")])
        let notes = try ["one", "two"].map { text in
            try insert(
                "Note",
                [
                    "text": .string(text),
                    "written": .date(Date(timeIntervalSinceReferenceDate: 0)),
                ])
        }
        for note in notes { try ada.orderedRelatedObjects(forKey: "notes").append(note) }
        let tags = try ["Old", "old", "new"].map { try insert("Tag", ["label": .string($0)]) }
        // Note 1 has both spellings of a tag, note 2 the second only.
        for (note, tag) in [(0, 0), (0, 1), (1, 1)] {
            try notes[note].relatedObjects(forKey: "tags").insert(tags[tag])
        }
        try context.save()
    }
}

/// A step that leaves out what is hard.
struct HastySteps: ContactsMigration {
    func splitName(
        _ context: MigrationContext<Contacts.Version1, Contacts.Version2>
    ) throws {
        let place = try context.insert(Contacts.Version2.PlaceRow(name: "somewhere"))
        try context.forEach(Contacts.Version1.PersonRow.self) { old in
            let words = old.name.split(separator: " ").map(String.init)
            guard words.count == 2 else { return }
            try context.update(old.rowID, as: Contacts.Version2.PersonRow.self) { new in
                (new.firstName, new.lastName, new.home) = (words[0], words[1], place)
            }
        }
    }

    func mergeTags(
        _ context: MigrationContext<Contacts.Version3, Contacts.Version4>
    ) throws {}
}
