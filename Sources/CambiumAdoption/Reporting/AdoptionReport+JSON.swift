import CambiumModel

extension AdoptionReport: Encodable {
    private enum Name: String, CodingKey {
        case store, destination, model, writtenBy, version, current, foundBy, alsoFits, choice
        case remarks
        case differences, formerNames
        case objects, entities, relationships, refusedRows, lostLinks, changedValues, missingFiles,
            leftOut
        case invalidObjects, migration, isComplete
    }

    /// Writes all members, also those that are nil.
    public func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Name.self)
        try object.encode(store, forKey: .store)
        try object.encode(destination, forKey: .destination)
        try object.encode(model, forKey: .model)
        try object.encode(writtenBy, forKey: .writtenBy)
        try object.encode(version, forKey: .version)
        try object.encode(current, forKey: .current)
        try object.encode(foundBy, forKey: .foundBy)
        try object.encode(alsoFits, forKey: .alsoFits)
        try object.encode(choice, forKey: .choice)
        try object.encode(remarks, forKey: .remarks)
        try object.encode(differences, forKey: .differences)
        try object.encode(formerNames, forKey: .formerNames)
        try object.encode(objects, forKey: .objects)
        try object.encode(entities, forKey: .entities)
        try object.encode(relationships, forKey: .relationships)
        try object.encode(refusedRows, forKey: .refusedRows)
        try object.encode(lostLinks, forKey: .lostLinks)
        try object.encode(changedValues, forKey: .changedValues)
        try object.encode(invalidObjects, forKey: .invalidObjects)
        try object.encode(missingFiles, forKey: .missingFiles)
        try object.encode(leftOut, forKey: .leftOut)
        try object.encode(migration, forKey: .migration)
        try object.encode(isComplete, forKey: .isComplete)
    }

    /// The report as JSON, ended by a line feed. Equal reports have equal texts.
    public var json: String { JSONText.of(self) }
}

extension AdoptionReport.RelationshipCount: Encodable {
    private enum Name: String, CodingKey { case entity, relationship, inverse, read, written, lost }

    /// Writes all members, also those that are nil.
    public func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Name.self)
        try object.encode(entity, forKey: .entity)
        try object.encode(relationship, forKey: .relationship)
        try object.encode(inverse, forKey: .inverse)
        try object.encode(read, forKey: .read)
        try object.encode(written, forKey: .written)
        try object.encode(lost, forKey: .lost)
    }
}

extension AdoptionReport.RefusedRow: Encodable {
    private enum Name: String, CodingKey { case entity, id, property, reason }

    /// Writes all members, also those that are nil.
    public func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Name.self)
        try object.encode(entity, forKey: .entity)
        try object.encode(id, forKey: .id)
        try object.encode(property, forKey: .property)
        try object.encode(reason, forKey: .reason)
    }
}

extension AdoptionReport.LostLink: Encodable {
    private enum Name: String, CodingKey { case entity, id, relationship, target, reason }

    /// Writes all members, also those that are nil.
    public func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Name.self)
        try object.encode(entity, forKey: .entity)
        try object.encode(id, forKey: .id)
        try object.encode(relationship, forKey: .relationship)
        try object.encode(target, forKey: .target)
        try object.encode(reason, forKey: .reason)
    }
}

extension AdoptionReport.LeftOut: Encodable {
    private enum Name: String, CodingKey { case name, rows, reason, isBookkeeping }

    /// Writes all members, also those that are nil.
    public func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Name.self)
        try object.encode(name, forKey: .name)
        try object.encode(rows, forKey: .rows)
        try object.encode(reason, forKey: .reason)
        try object.encode(isBookkeeping, forKey: .isBookkeeping)
    }
}

extension AdoptionReport.MigrationCount: Encodable {
    private enum Name: String, CodingKey {
        case from, to, versions, losses, objects, links, stoppedAt, reason
    }

    /// Writes all members, also those that are nil.
    public func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Name.self)
        try object.encode(from, forKey: .from)
        try object.encode(to, forKey: .to)
        try object.encode(versions, forKey: .versions)
        try object.encode(losses, forKey: .losses)
        try object.encode(objects, forKey: .objects)
        try object.encode(links, forKey: .links)
        try object.encode(stoppedAt, forKey: .stoppedAt)
        try object.encode(reason, forKey: .reason)
    }
}

extension VersionMismatch: Encodable {
    private enum Name: String, CodingKey {
        case store, model, refused, message, identifiers, nearest, differences, named, unrelated
        case versions
    }

    /// Writes all members, the message too.
    public func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Name.self)
        try object.encode(store, forKey: .store)
        try object.encode(model, forKey: .model)
        try object.encode(true, forKey: .refused)
        try object.encode(description, forKey: .message)
        try object.encode(identifiers, forKey: .identifiers)
        try object.encode(nearest, forKey: .nearest)
        try object.encode(differences, forKey: .differences)
        try object.encode(named, forKey: .named)
        try object.encode(isUnrelated, forKey: .unrelated)
        try object.encode(versions, forKey: .versions)
    }

    /// The mismatch as JSON, ended by a line feed.
    public var json: String { JSONText.of(self) }
}

/// JSON whose members are sorted by name.
private enum JSONText {
    static func of(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // Texts and whole numbers can always be written.
        let data = (try? encoder.encode(value)) ?? Data("{}".utf8)
        return String(decoding: data, as: UTF8.self) + "\n"
    }
}
