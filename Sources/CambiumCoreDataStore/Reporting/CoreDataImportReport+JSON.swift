import CambiumMaintenance
import CambiumMigration
import CambiumModel

extension CoreDataImportReport: Encodable {
    /// Writes all members, including members that are nil.
    public func encode(to encoder: any Encoder) throws {
        try encoder.encode([
            "store": store, "destination": destination, "model": model, "writtenBy": writtenBy,
            "version": version, "current": current, "foundBy": foundBy, "alsoFits": alsoFits,
            "choice": choice, "remarks": remarks, "differences": differences,
            "formerNames": formerNames, "objects": objects, "entities": entities,
            "relationships": relationships, "refusedRows": refusedRows, "lostLinks": lostLinks,
            "changedValues": changedValues, "invalidObjects": invalidObjects,
            "missingFiles": missingFiles, "leftOut": omittedParts, "migration": migration,
            "isComplete": isComplete,
        ])
    }

    /// The report as JSON, ended by a line feed. Equal reports have equal texts.
    public var json: String { reportJSON }
}

extension CoreDataImportReport.RelationshipCount: Encodable {
    /// Writes all members, including members that are nil.
    public func encode(to encoder: any Encoder) throws {
        try encoder.encode([
            "entity": entity, "relationship": relationship, "inverse": inverse, "read": read,
            "written": written, "lost": lost,
        ])
    }
}

extension CoreDataImportReport.RefusedRow: Encodable {
    /// Writes all members, including members that are nil.
    public func encode(to encoder: any Encoder) throws {
        try encoder.encode([
            "entity": entity, "id": id, "property": property, "reason": reason,
        ])
    }
}

extension CoreDataImportReport.LostLink: Encodable {
    /// Writes all members, including members that are nil.
    public func encode(to encoder: any Encoder) throws {
        try encoder.encode([
            "entity": entity, "id": id, "relationship": relationship, "target": target,
            "reason": reason,
        ])
    }
}

extension CoreDataImportReport.OmittedPart: Encodable {
    /// Writes all members, including members that are nil.
    public func encode(to encoder: any Encoder) throws {
        try encoder.encode([
            "name": name, "rows": rows, "reason": reason, "isBookkeeping": isBookkeeping,
        ])
    }
}

extension CoreDataImportReport.MigrationCount: Encodable {
    /// Writes all members, including members that are nil.
    public func encode(to encoder: any Encoder) throws {
        try encoder.encode([
            "from": from, "to": to, "versions": versions, "losses": losses, "objects": objects,
            "links": links, "stoppedAt": stoppedAt, "reason": reason,
        ])
    }
}
