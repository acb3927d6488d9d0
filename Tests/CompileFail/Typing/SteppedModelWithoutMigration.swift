import Cambium
import CambiumMigrationCommand
import ContactsModel

/// A model with steps of the program is opened without them.
func openContacts(at path: String) throws -> PersistentContainer {
    #if MISTAKE
        try PersistentContainer(model: Contacts.model, at: .file(path))  // error: 'migration:'
    #else
        try PersistentContainer(
            model: Contacts.model, migration: ContactsSteps(), at: .file(path))
    #endif
}

/// So it is on a thread of its own.
func openContactsInBackground(at path: String) async throws -> PersistentContainer {
    #if MISTAKE
        let model = Contacts.model
        let place = StoreLocation.file(path)
        return try await PersistentContainer.open(model: model, at: place)  // error: migration:
    #else
        try await PersistentContainer.open(
            model: Contacts.model, migration: ContactsSteps(), at: .file(path))
    #endif
}

/// So it is where stores are loaded later.
func makeContacts() -> PersistentContainer {
    #if MISTAKE
        PersistentContainer(name: "Contacts", model: Contacts.model)  // error: 'migration:'
    #else
        PersistentContainer(
            name: "Contacts", model: Contacts.model, migration: ContactsSteps())
    #endif
}

/// The forecast and the command need them too.
func migrateContacts(at path: String) throws {
    #if MISTAKE
        let model = Contacts.model
        _ = try PersistentContainer.migrationForecast(model: model, at: path)  // error: migration:
        _ = MigrationCommand(model: model)  // error: migration:
    #else
        _ = try PersistentContainer.migrationForecast(
            model: Contacts.model, migration: ContactsSteps(), at: path)
        _ = MigrationCommand(model: Contacts.model, migration: ContactsSteps())
    #endif
}
