@_spi(Generated) import CambiumMigration
import CambiumSQLite
import ContactsModel
import Testing

@testable @_spi(Generated) import Cambium

/// Stores of the first version of `Contacts`, of which there are no classes.
enum OldContacts {
    static func makeStore(at path: String) throws {
        let old = try #require(Contacts.model.proofs().first).old
        let connection = try Connection(path: path)
        _ = try MigrationRunner(model: old).open(connection)
        try connection.execute(
            """
            INSERT INTO Person (_id, _entity, name, city, balance, number) VALUES
                (1, 'Person', 'Ada Lovelace', 'London', 1250, NULL),
                (2, 'Employee', 'Alan Turing', 'London', 0, 7),
                (3, 'Person', 'Plato', NULL, 0, NULL);
            INSERT INTO Note (_id, text, written, author) VALUES
                (1, 'one', 0, 1), (2, 'two', 0, 1);
            INSERT INTO Tag (_id, label) VALUES (1, 'Old'), (2, 'old'), (3, 'new');
            UPDATE _keys SET next = 20
            """)
        let pairs = try connection.rows(
            "SELECT name FROM sqlite_schema WHERE sql LIKE '%WITHOUT ROWID%_source%' "
                + "OR sql LIKE '%_source%WITHOUT ROWID%'")
        guard case .text(let table)? = pairs.first?.first else { return }
        // Note 1 has both spellings of a tag, note 2 the second only. The first side is the first
        // entity's.
        try connection.execute(
            "INSERT INTO \"\(table)\" (_source, _destination) VALUES (1, 1), (1, 2), (2, 2)")
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
