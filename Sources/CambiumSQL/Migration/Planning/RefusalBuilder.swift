import CambiumModel

/// Statements that fail, with a text that says why, where the data of a store does not fit the new
/// version. They run before anything is changed.
struct RefusalBuilder {
    let difference: ModelDifference

    var statements: [String] {
        let refusals = conversions + abstractEntities + movedKeys
        return refusals.flatMap { reason, table, condition in
            // A CHECK is SQLite's way to put words of ours into an error.
            [
                "CREATE TABLE \"_refusal\" (\"row\" INTEGER CONSTRAINT "
                    + "\(SQLText.identifier(reason)) CHECK (\"row\" IS NULL)) STRICT",
                "INSERT INTO \"_refusal\" (\"row\")\nSELECT \"_id\" FROM "
                    + "\(SQLText.identifier(table))\nWHERE \(condition) LIMIT 1",
                "DROP TABLE \"_refusal\"",
            ]
        }
    }

    private typealias Refusal = (reason: String, table: String, condition: String)

    private var unsettledEntities: [Entity] {
        difference.new.entities.filter { !difference.match.settled.contains($0.name) }
    }

    private var conversions: [Refusal] {
        unsettledEntities.flatMap { entity -> [Refusal] in
            guard let oldEntity = difference.match.oldEntity(of: entity) else { return [] }
            return entity.attributes.compactMap { attribute in
                refusal(for: attribute, of: entity, oldEntity)
            }
        }
    }

    private func refusal(
        for attribute: Attribute, of entity: Entity, _ oldEntity: Entity
    ) -> Refusal? {
        guard !attribute.isTransient,
            let old = difference.match.oldAttribute(of: attribute.name, in: entity.name),
            !old.isTransient, attribute.derivation == nil,
            let fits = AttributeConversion(
                from: old, in: difference.old, to: attribute, in: difference.new)?.fits
        else { return nil }
        let column = SQLText.identifier(difference.old.column(of: old.name, in: oldEntity))
        return (
            old.usesExternalForm && !attribute.usesExternalForm
                ? "a value of \(oldEntity.name).\(old.name) lies in a file, or does not fit"
                : "a value of \(oldEntity.name).\(old.name) does not fit its new type",
            difference.old.root(of: oldEntity).name,
            "\(column) IS NOT NULL AND NOT (\(fits(column)))"
        )
    }

    private var abstractEntities: [Refusal] {
        difference.changes.compactMap { change in
            guard case .entityBecameAbstract(let name) = change,
                let oldEntity = difference.new.entity(named: name)
                    .flatMap(difference.match.oldEntity)
            else { return nil }
            let root = difference.old.root(of: oldEntity)
            let isOfEntity = "\"_entity\" = \(SQLText.literal(.text(oldEntity.name)))"
            return (
                "there are objects of \(oldEntity.name), which becomes abstract", root.name,
                difference.old.hasSubentities(root) ? isOfEntity : "1"
            )
        }
    }

    /// A one-to-one whose key moves to the other side; nothing in the old store enforced it.
    private var movedKeys: [Refusal] {
        unsettledEntities.flatMap { entity in
            entity.relationships.compactMap { relationship -> Refusal? in
                guard case .key = difference.new.storage(of: relationship, of: entity),
                    let links = OldLinks(of: relationship, of: entity, in: difference.match),
                    !links.isKeyOfSource
                else { return nil }
                return (
                    "an object has several others at \(entity.name).\(relationship.name)",
                    links.isSwapped ? links.destinationTable : links.table,
                    "(SELECT count(*) FROM (\(links.query)) WHERE \"source\" = \"_id\") > 1"
                )
            }
        }
    }
}
