import Cambium
import ContactsModel

/// A step writes a row of the old version.
func tidyUp(
    _ context: MigrationContext<Contacts.Version3, Contacts.Version4>,
    _ row: Contacts.Version3.TagRow, _ other: Contacts.Version4.TagRow
) throws {
    #if MISTAKE
        try context.insert(row)  // error: WritableMigrationRow
    #else
        try context.insert(other)
    #endif
}
