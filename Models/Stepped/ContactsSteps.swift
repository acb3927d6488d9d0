import Cambium

/// What the program itself does in migrations of its contacts.
public struct ContactsSteps: ContactsMigration {
    /// The steps have nothing to remember.
    public init() {}

    /// Takes names apart, and makes a place of each city, which all who live there share.
    public func splitName(
        _ context: MigrationContext<Contacts.Version1, Contacts.Version2>
    ) throws {
        let nowhere = try context.insert(Contacts.Version2.PlaceRow(name: ""))
        var places: [String: RowID<Contacts.Version2.PlaceRow>] = ["": nowhere]
        try context.forEach(Contacts.Version1.PersonRow.self) { old in
            let city = old.city ?? ""
            let place =
                try places[city] ?? context.insert(Contacts.Version2.PlaceRow(name: city))
            places[city] = place
            let words = old.name.split(separator: " ", maxSplits: 1).map(String.init)
            try context.update(old.rowID, as: Contacts.Version2.PersonRow.self) { new in
                new.firstName = words.first ?? ""
                new.lastName = words.dropFirst().first ?? ""
                new.home = place
            }
        }
    }

    /// Makes one of tags that differ in the case of their letters only, and counts their uses.
    public func mergeTags(
        _ context: MigrationContext<Contacts.Version3, Contacts.Version4>
    ) throws {
        var tags: [String: RowID<Contacts.Version4.TagRow>] = [:]
        try context.forEach(Contacts.Version3.TagRow.self) { old in
            guard let oldID = old.rowID,
                let id = try context.newID(of: oldID, as: Contacts.Version4.TagRow.self)
            else { return }
            let label = old.label.lowercased()
            if let other = tags[label] {
                for note in try context.related(Contacts.Version3.TagRow.notes, to: oldID) {
                    let note = try context.newID(of: note, as: Contacts.Version4.NoteRow.self)
                    if let note {
                        try context.link(other, Contacts.Version4.TagRow.notes, to: note)
                    }
                }
                try context.delete(id)
                try context.replace(oldID, with: other)
            } else {
                tags[label] = id
                try context.update(id) { $0.label = label }
            }
        }
        try context.forEach(Contacts.Version4.TagRow.self) { tag in
            guard let id = tag.rowID else { return }
            let uses = try context.related(Contacts.Version4.TagRow.notes, to: id).count
            try context.update(id) { $0.uses = Int32(clamping: uses) }
        }
    }
}
