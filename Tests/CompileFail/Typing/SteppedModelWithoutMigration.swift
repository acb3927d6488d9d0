import Cambium
import ContactsModel

/// A model with steps of the program is opened without them.
func openContacts(at path: String) throws -> PersistentContainer {
    #if MISTAKE
        try PersistentContainer(model: Contacts.model, at: .file(path))  // error: SteppedModel
    #else
        try PersistentContainer(
            model: Contacts.model, migration: ContactsSteps(), at: .file(path))
    #endif
}
