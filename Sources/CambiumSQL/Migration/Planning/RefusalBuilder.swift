import CambiumModel
import CambiumPlan

/// Statements that fail, with a text that says why, where the data of a store does not fit the new
/// version. They run before anything is changed.
struct RefusalBuilder {
    let difference: ModelDifference

    /// The step that looks for such data; nil where any fits.
    var step: MigrationStep? {
        let refusals = conversions + abstractEntities + missingValues + movedKeys
        guard !refusals.isEmpty else { return nil }
        var reasons: [String] = []
        for refusal in refusals where !reasons.contains(refusal.reason) {
            reasons.append(refusal.reason)
        }
        return MigrationStep(
            summary: "Refuse a store where " + reasons.joined(separator: ", or "),
            kind: .needsData,
            statements: refusals.flatMap { refusal in
                RefusalSQL.statements(
                    """
                    SELECT "_id", \(refusal.value) FROM \(SQLText.identifier(refusal.table))\n\
                    WHERE \(refusal.condition) LIMIT 1
                    """,
                    of: refusal.table, with: refusal.others.sorted(), type: refusal.type,
                    reason: refusal.reason)
            })
    }

    private struct Refusal {
        let reason: String
        let table: String
        let condition: String
        /// SQL for what is to blame.
        var value = "NULL"
        /// What kind of value that is: the message has no other word of the version before.
        var type: String?
        /// The other tables that the condition reads.
        var others: Set<String> = []
    }

    private var unsettledEntities: [Entity] {
        difference.new.entities.filter { !difference.match.settled.contains($0.name) }
    }

    private var conversions: [Refusal] {
        unsettledEntities.flatMap { entity in
            entity.attributes.filter { !$0.isTransient && $0.derivation == nil }
                .flatMap { attribute in
                    difference.match.sources(of: attribute.name, in: entity).compactMap {
                        refusal(for: attribute, of: entity, from: $0)
                    }
                }
        }
    }

    private func refusal(
        for attribute: Attribute, of entity: Entity, from source: PropertySource
    ) -> Refusal? {
        guard let owner = difference.old.entity(named: source.old.entity),
            let old = owner.attributes.first(where: { $0.name == source.old.property }),
            !old.isTransient,
            let conversion = AttributeConversion(
                from: old, in: difference.old, to: attribute, in: difference.new),
            let fits = conversion.acceptance(
                isRevised: difference.match.isRevised(attribute.name, in: entity.name))
        else { return nil }
        let column = SQLText.identifier(difference.old.column(of: old.name, in: owner))
        var condition = "\(column) IS NOT NULL AND NOT (\(fits.sql(column)))"
        if let owners = difference.match.partialOwners(of: source) {
            condition = "\"_entity\" IN (\(SQLText.literals(owners))) AND \(condition)"
        }
        let type = attribute.type.notation
        return Refusal(
            reason: old.usesExternalForm && !attribute.usesExternalForm
                ? "a value of \(owner.name).\(old.name) lies in a file, or does not fit"
                : "a value of \(owner.name).\(old.name) does not fit its new type, \(type)",
            table: difference.old.root(of: owner).name, condition: condition, value: column,
            type: old.usesExternalForm ? RefusalSQL.externalForm : old.type.notation)
    }

    private var abstractEntities: [Refusal] {
        difference.changes.compactMap { change in
            guard case .entityBecameAbstract(let name) = change,
                let oldEntity = difference.new.entity(named: name)
                    .flatMap(difference.match.oldEntity)
            else { return nil }
            let root = difference.old.root(of: oldEntity)
            let isOfEntity = "\"_entity\" = \(SQLText.literal(oldEntity.name))"
            return Refusal(
                reason: "there are objects of \(oldEntity.name), which becomes abstract",
                table: root.name,
                condition: difference.old.hasSubentities(root) ? isOfEntity : "1")
        }
    }

    /// New attributes that the author knows every object to have: there can be no objects.
    private var missingValues: [Refusal] {
        let (old, new) = (difference.old, difference.new)
        return (new.migration?.requirements ?? []).flatMap { required -> [Refusal] in
            guard let entity = new.entity(named: required.entity), !difference.isSupplied(entity),
                let attribute = entity.attributes.first(where: { $0.name == required.property }),
                attribute.defaultValue == nil, attribute.derivation == nil,
                !difference.match.hasOldValues(attribute.name, in: entity.name),
                difference.match.fill(of: attribute.name, in: entity.name) == nil
            else { return [] }
            return new.family(of: entity).compactMap(difference.match.oldEntity)
                .filter { !$0.isAbstract }
                .map { former in
                    let root = old.root(of: former)
                    let isOfEntity = "\"_entity\" = \(SQLText.literal(former.name))"
                    return Refusal(
                        reason: "an object of \(former.name) has no \(attribute.name)",
                        table: root.name,
                        condition: old.hasSubentities(root) ? isOfEntity : "1")
                }
        }
    }

    /// A one-to-one whose key moves to the other side; nothing in the old store enforced it.
    private var movedKeys: [Refusal] {
        unsettledEntities.flatMap { entity in
            entity.relationships.flatMap { relationship -> [Refusal] in
                guard case .key = difference.new.storage(of: relationship, of: entity),
                    let links = CarriedLinks(of: relationship, of: entity, in: difference.match),
                    links.keeps.source == nil
                else { return [] }
                return links.sets.filter { $0.keyOfSource == nil }.map { links in
                    let table = links.isSwapped ? links.destinationTable : links.table
                    let owner = links.isSwapped ? links.destination : links.entity
                    let key = owner.map { self.key(of: $0, in: table) } ?? "\"_id\""
                    return Refusal(
                        reason: """
                            an object has several others at \
                            \(entity.name).\(relationship.name)
                            """,
                        table: table,
                        condition: """
                            (SELECT count(*) FROM (\(links.query())) \
                            WHERE "source" = \(key)) > 1
                            """,
                        others: links.tables.subtracting([table]))
                }
            }
        }
    }

    /// The new key of a row's object.
    private func key(of entity: Entity, in table: String) -> String {
        guard difference.match.shiftsKeys(of: entity) else { return "\"_id\"" }
        return difference.match.newKey("\(SQLText.identifier(table)).\"_id\"", of: entity)
    }
}
