import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL

/// The statements that insert, update and delete the rows of objects.
struct RowStatements {
    let derivations: PostgresDerivations
    /// Records the writes in the history, if the store has one.
    let recorder: PostgresRecorder?
    var layout: PostgresLayout { derivations.layout }
    private var model: ModelDescription { layout.model }

    /// A statement that records its writes, if the store has a history.
    func recorded(
        _ statement: PostgresStatement,
        _ noting: (PostgresRecorder, PostgresStatement) -> PostgresStatement
    ) -> PostgresStatement {
        recorder.map { noting($0, statement) } ?? statement
    }

    // MARK: Columns

    /// The column of a slot, in quotes; nil if it has none.
    func column(_ slot: Int, of entity: EntityDescription) -> String? {
        entity.layout.slots[slot].column.map { PostgresName.identifier($0) }
    }

    /// The slots whose columns the server does not compute.
    func written(_ slots: SlotSet, of entity: EntityDescription) -> [Int] {
        slots.subtracting(entity.derivedSlots).slots.filter { column($0, of: entity) != nil }
    }

    /// The column of the position in a list that belongs to a key.
    private func position(ofSlot slot: Int, of entity: EntityDescription) -> String? {
        guard let relationship = entity.relationships.first(where: { $0.slot == slot }) else {
            return nil
        }
        let name = relationship.relationship.name
        let declarer = model.model.declarer(of: name, in: entity.entity) ?? entity.entity
        return model.model.inversePositionColumn(of: relationship.relationship, of: declarer)
            .map { PostgresName.identifier($0) }
    }

    /// The slots of new rows that have a value to be written.
    func insertedSlots(_ entity: EntityDescription) -> [Int] {
        entity.layout.slots.indices.filter {
            column($0, of: entity) != nil && !entity.derivedSlots.contains($0)
        }
    }

    /// The columns of a new row.
    func columns(_ slots: [Int], _ entity: EntityDescription) -> String {
        let system = ["\"_id\"", "\"_version\""] + (entity.hasEntityColumn ? ["\"_entity\""] : [])
        return (system + slots.compactMap { column($0, of: entity) }).joined(separator: ", ")
    }

    /// The slots of rows that another store has: derived values too, as far as they are not
    /// computed by the server.
    func movedSlots(_ entity: EntityDescription) -> [Int] {
        entity.layout.slots.indices.filter {
            column($0, of: entity) != nil && !isGenerated($0, of: entity)
        }
    }

    private func isGenerated(_ slot: Int, of entity: EntityDescription) -> Bool {
        guard entity.derivedSlots.contains(slot), let attribute = entity.attributes[slot] else {
            return false
        }
        let declarer = model.model.declarer(of: attribute.name, in: entity.entity)
        return derivations.generation(of: attribute, of: declarer ?? entity.entity) != nil
    }

    // MARK: Statements

    /// Deletes rows that are as they were read, with their pairs in join tables.
    func delete(_ deletion: SaveRequest.Deletion, _ work: inout PostgresWork) {
        let entity = deletion.entity
        let own = entity.relationships.map { ($0, true) }
        // Without an inverse, the pairs may never have been read.
        let others =
            (model.oneWayLinks[entity.index].map(\.relationship)
            + entity.relationships.filter(\.isOwnInverse)).map { ($0, false) }
        for records in PostgresParts.of(deletion.records, atMost: PostgresParts.foundRows) {
            let keys = PendingArrays(keys: records.map(\.key))
            for (relationship, isOwn) in own + others {
                guard let pairs = PostgresPairs(relationship, layout) else { continue }
                work.add(pairs.delete(of: keys, isSource: isOwn, recorder))
            }
            let pending = PendingArrays(records)
            let statement = PostgresStatement(
                """
                DELETE FROM \(layout.table(of: entity.entity)) AS t USING \(pending.source) \
                WHERE t."_id" = p."key" AND t."_version" = p."version"
                """, pending.parameters)
            work.add(recorded(statement) { $0.deleting($1, entity) }, rows: records.count)
        }
    }

    /// The statement that updates slots of rows that are still as they were read.
    func update(
        _ records: [Record], _ slots: SlotSet, _ entity: EntityDescription
    ) -> PostgresStatement {
        let written = self.written(slots, of: entity)
        let pending = PendingArrays(
            records, written.map { ($0, PostgresTable.type(ofSlot: $0, of: entity)) })
        let table = layout.table(of: entity.entity)
        let statement = PostgresStatement(
            """
            UPDATE \(table) AS t \
            SET \(assignments(written, entity)) FROM \(pending.source) \
            WHERE t."_id" = p."key" AND t."_version" = p."version"
            """, pending.parameters)
        return recorded(statement) { $0.updating($1, entity, in: table) }
    }

    /// The assignments of an update from the rows of `p` to those of `t`: the columns of slots, and
    /// the version.
    func assignments(_ slots: [Int], _ entity: EntityDescription) -> String {
        var sets = ["\"_version\" = p.\"version\" + 1"]
        for slot in slots {
            guard let column = column(slot, of: entity) else { continue }
            sets.append("\(column) = p.c\(slot)")
            // A place belongs to the owner that it is with.
            if let position = position(ofSlot: slot, of: entity) {
                sets.append(
                    """
                    \(position) = CASE WHEN t.\(column) IS NOT DISTINCT FROM p.c\(slot) \
                    THEN t.\(position) END
                    """)
            }
        }
        return sets.joined(separator: ", ")
    }

    /// The statement that inserts rows.
    func insert(
        _ records: [Record], _ entity: EntityDescription
    ) -> PostgresStatement {
        let slots = insertedSlots(entity)
        var values = ["p.\"key\"", "p.\"version\" + 1"]
        if entity.hasEntityColumn { values.append(SQLText.literal(entity.name)) }
        values += slots.map { "p.c\($0)" }
        let pending = PendingArrays(
            records, slots.map { ($0, PostgresTable.type(ofSlot: $0, of: entity)) })
        let statement = PostgresStatement(
            """
            INSERT INTO \(layout.table(of: entity.entity)) (\(columns(slots, entity))) \
            SELECT \(values.joined(separator: ", ")) FROM \(pending.source)
            """, pending.parameters)
        return recorded(statement) { $0.inserting($1, entity) }
    }
}
