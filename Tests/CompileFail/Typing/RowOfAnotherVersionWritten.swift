import Cambium
import ContactsModel

/// A step writes a row of another version.
func tidyUp(
    _ context: MigrationContext<Contacts.Version3, Contacts.Version4>,
    _ row: Contacts.Version2.PlaceRow, _ other: Contacts.Version4.TagRow
) throws {
    #if MISTAKE
        try context.insert(row)  // error: equivalent
    #else
        try context.insert(other)
    #endif
}
