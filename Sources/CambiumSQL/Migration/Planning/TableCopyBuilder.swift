import CambiumModel

/// Finds out how the rows of each new table come out of the old store.
struct TableCopyBuilder {
    let match: ModelMatch
    let oldSchema: Schema

    var old: Model { match.old }
    var new: Model { match.new }

    func copy(of table: Table) -> TableCopy {
        switch table.content {
        case .objects(let root):
            keptCopy(of: table, root) ?? objects(of: root, into: table)
        case .links(let entity, let relationship):
            keptCopy(of: table, entity) ?? links(entity, relationship, into: table)
        case .system:
            kept(table, from: oldSchema.table(named: table.name))
        }
    }

    /// A table that is as it was, of an entity about which nothing has changed; else nil.
    private func keptCopy(of table: Table, _ entity: String) -> TableCopy? {
        guard match.settled.contains(entity), let source = oldSchema.table(named: table.name),
            source == table
        else { return nil }
        return kept(table, from: source)
    }

    private func kept(_ table: Table, from source: Table?) -> TableCopy {
        TableCopy(
            table: table, source: source, values: table.columns.map { .init(.column($0.name)) })
    }

    private func objects(of root: String, into table: Table) -> TableCopy {
        guard let oldRoot = new.entity(named: root).flatMap(match.oldEntity),
            let source = oldSchema.table(named: oldRoot.name)
        else { return TableCopy(table: table, source: nil) }
        let dropped = match.droppedEntities(in: source.name)
            .map { SQLText.literal(.text($0)) }
        return TableCopy(
            table: table, source: source,
            values: table.columns.map { value(of: $0, in: root, from: source) },
            filter: dropped.isEmpty
                ? nil : "old.\"_entity\" NOT IN (\(dropped.joined(separator: ", ")))")
    }

    private func value(
        of column: Table.Column, in root: String, from source: Table
    ) -> TableCopy.Value {
        switch column.content {
        case .system:
            return .init(.column(column.name))
        case .entity:
            guard source.columns.contains(where: { $0.content == .entity }) else {
                return .init(.sql(SQLText.literal(.text(root))))
            }
            return .init(
                match.renamedEntity("old.\"_entity\"", in: source.name).map { .sql($0) }
                    ?? .column("_entity"))
        case .attribute(let entity, let name):
            guard let entity = new.entity(named: entity),
                let attribute = entity.attributes.first(where: { $0.name == name })
            else { return .init(.null) }
            if column.isGenerated { return .init(.generated) }
            return value(of: attribute, of: entity, column: column)
        case .key(let entity, let name):
            return .init(key(name, of: entity))
        case .entityOfKey(let entity, let name):
            return .init(entityOfKey(name, of: entity))
        case .position(let entity, let name):
            return .init(position(name, of: entity))
        }
    }

    private func value(
        of attribute: Attribute, of entity: Entity, column: Table.Column
    ) -> TableCopy.Value {
        // Computed at the end, unless the values of before are the right ones.
        if attribute.derivation != nil { return .init(derivedValue(of: attribute, of: entity)) }
        let quoted = SQLText.identifier(column.name)
        let fill = match.fill(of: attribute.name, in: entity.name)
            .flatMap { ValueSource.fill($0, for: attribute, of: entity, in: new) }
        let value = fill ?? ValueSource.defaultValue(of: attribute, in: new)
        guard let old = match.oldAttribute(of: attribute.name, in: entity.name),
            !old.isTransient, let oldEntity = match.oldEntity(of: entity),
            let conversion = AttributeConversion(
                from: old, in: self.old, to: attribute, in: new)
        else {
            guard let value else { return .init(.null) }
            if fill == nil, entity.parent == nil, case .constant = attribute.defaultValue {
                return .init(.columnDefault(value))
            }
            return .init(.null, new: restricted(value, to: entity))
        }
        let oldColumn = self.old.column(of: old.name, in: oldEntity)
        let origin: TableCopy.Origin =
            conversion.isIdentity
            ? .column(oldColumn) : .sql(conversion.value("old.\(SQLText.identifier(oldColumn))"))
        let isNeeded = fill != nil || old.isOptional && !attribute.isOptional
        guard isNeeded, let value else { return .init(origin) }
        let given = restricted(value, to: entity)
        if match.isRevised(attribute.name, in: entity.name) { return .init(origin, new: given) }
        return .init(origin, new: "coalesce(\(quoted), \(given))")
    }

    private func derivedValue(of attribute: Attribute, of entity: Entity) -> TableCopy.Origin {
        guard let old = match.oldAttribute(of: attribute.name, in: entity.name),
            old.derivation != nil, old.type == attribute.type,
            let oldEntity = match.oldEntity(of: entity)
        else { return .null }
        return .column(self.old.column(of: old.name, in: oldEntity))
    }

    /// A value for objects of a sub-entity is NULL in rows of others.
    private func restricted(_ value: String, to entity: Entity) -> String {
        guard entity.parent != nil else { return value }
        let names = new.family(of: entity).map { SQLText.literal(.text($0.name)) }
        return "CASE WHEN \"_entity\" IN (\(names.joined(separator: ", "))) THEN \(value) END"
    }
}
