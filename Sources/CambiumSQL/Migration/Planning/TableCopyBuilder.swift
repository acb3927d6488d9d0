import CambiumModel
import CambiumPlan

/// Plans how the rows of each new table are copied from the old store.
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

    /// Returns the copy of an unchanged table of an unchanged entity; otherwise nil.
    private func keptCopy(of table: Table, _ entity: String) -> TableCopy? {
        guard match.settled.contains(entity), let source = oldSchema.table(named: table.name),
            source == table
        else { return nil }
        return kept(table, from: source)
    }

    private func kept(_ table: Table, from source: Table?) -> TableCopy {
        TableCopy(
            table: table, dialect: match.dialect,
            parts: source.map { source in
                [
                    .init(
                        source: source, values: table.columns.map { .init(.column($0.name)) })
                ]
            } ?? [])
    }

    private func objects(of root: String, into table: Table) -> TableCopy {
        guard let root = new.entity(named: root) else {
            return TableCopy(table: table, dialect: match.dialect)
        }
        let origins = match.origins(of: root).compactMap { origin in
            oldSchema.table(named: origin.oldRoot.name).map {
                RowOrigin(table: $0, origin: origin, match: match)
            }
        }
        return TableCopy(
            table: table, dialect: match.dialect,
            parts: origins.map { origin in
                TableCopy.Part(
                    source: origin.table,
                    values: inTurns(table.columns.map { value(of: $0, from: origin) }, of: table),
                    former: formerValues(for: root, from: origin), filter: origin.filter,
                    precedingRoots: origin.precedingRoots)
            })
    }

    /// Returns the values of the old row that the fills of a table's attributes use.
    private func formerValues(
        for root: Entity, from origin: RowOrigin
    ) -> [(column: String, old: TableCopy.Origin)] {
        new.family(of: root).flatMap { entity -> [(column: String, old: TableCopy.Origin)] in
            let fills = (new.migration?.fills ?? []).filter { $0.entity == entity.name }
            let names = Set(fills.flatMap { FillScope.attributes(in: $0.value) })
            guard !names.isEmpty, let former = match.oldEntity(of: entity) else { return [] }
            // An object from another table had no such value.
            let exists = old.root(of: former).name == origin.table.name
            return names.sorted().map { name in
                let column = old.column(of: name, in: old.declarer(of: name, in: former) ?? former)
                let attribute = old.attribute(name, of: former)
                let none = attribute.map { match.dialect.none(of: $0, in: old) } ?? "NULL"
                return (
                    ExpressionSQL.formerColumn(of: name, for: entity),
                    exists ? .column(column) : .sql(none, of: [])
                )
            }
        }
    }

    /// Orders fills so that each comes after the fills that it uses.
    private func inTurns(_ values: [TableCopy.Value], of table: Table) -> [TableCopy.Value] {
        var reads: [String: Set<String>] = [:]
        for (value, column) in zip(values, table.columns) where value.new != nil {
            reads[column.name] = columnsRead(byFillOf: column)
        }
        let passes = FillPasses(reads)
        return zip(values, table.columns).map { value, column in
            var value = value
            if value.new != nil { value.pass = passes.pass(of: column.name) }
            return value
        }
    }

    /// The columns of the same row that the author's value for a column is computed from.
    private func columnsRead(byFillOf column: Table.Column) -> Set<String> {
        guard case .attribute(let entity, let name) = column.content,
            let fill = match.fill(of: name, in: entity), let entity = new.entity(named: entity)
        else { return [] }
        let sources = DerivationSources(of: fill, entity: entity, in: new)
        return Set(
            sources.nodes[0].properties.map { property in
                new.column(of: property, in: new.declarer(of: property, in: entity) ?? entity)
            })
    }

    private func value(of column: Table.Column, from origin: RowOrigin) -> TableCopy.Value {
        switch column.content {
        case .system:
            guard column.name == "_id", let key = origin.newKey else {
                return .init(.column(column.name))
            }
            return .init(.sql(key, of: [column.name]))
        case .entity:
            return .init(origin.entity)
        case .attribute(let entity, let name):
            guard let entity = new.entity(named: entity),
                let attribute = entity.attribute(named: name)
            else { return .init(.null) }
            if column.isGenerated { return .init(.generated) }
            return value(of: attribute, of: entity, column: column, from: origin)
        case .key(let entity, let name):
            return .init(key(name, of: entity, from: origin))
        case .entityOfKey(let entity, let name):
            return .init(entityOfKey(name, of: entity, from: origin))
        case .position(let entity, let name):
            return .init(position(name, of: entity, from: origin))
        }
    }

    private func value(
        of attribute: Attribute, of entity: Entity, column: Table.Column, from origin: RowOrigin
    ) -> TableCopy.Value {
        // Computed at the end, unless the values of before are the right ones.
        if attribute.derivation != nil {
            return .init(derivedValue(of: attribute, of: entity, from: origin))
        }
        let fill = match.fill(of: attribute.name, in: entity.name)
            .flatMap { ValueSource.fill($0, for: attribute, of: entity, in: match) }
        let value = fill ?? ValueSource.defaultValue(of: attribute, in: new, match.dialect)
        let sources = origin.sources(of: attribute, in: entity)
        guard !sources.isEmpty else {
            guard let value else { return .init(.null) }
            if fill == nil, entity.parent == nil, case .constant = attribute.defaultValue {
                return .init(.columnDefault(value))
            }
            return .init(
                .null, new: restricted(inValue(value, of: attribute, entity), to: entity))
        }
        let old = self.origin(sources, from: origin)
        guard let value else { return .init(old) }
        let quoted = SQLText.identifier(column.name)
        let bare = origin.members(of: entity, without: sources)
        if match.isRevised(attribute.name, in: entity.name) {
            return .init(old, new: restricted(inValue(value, of: attribute, entity), to: entity))
        }
        let mayLack = sources.contains { $0.attribute.mayLackValue } || !bare.isEmpty
        if fill != nil || mayLack && !attribute.isOptional {
            let given = restricted(inValue(value, of: attribute, entity), to: entity)
            return .init(old, new: "coalesce(\(quoted), \(given))")
        }
        guard !bare.isEmpty else { return .init(old) }
        // A nil value of other objects is kept. Objects that had no such attribute get the default.
        let names = SQLText.literals(bare)
        return .init(
            old, new: "CASE WHEN \"_entity\" IN (\(names)) THEN \(value) ELSE \(quoted) END")
    }

    /// The old value, in the only column that has it, or in the column of the row's entity.
    private func origin(
        _ sources: [RowOrigin.Source], from origin: RowOrigin
    ) -> TableCopy.Origin {
        if sources.count == 1, let source = sources.first, source.owners == nil {
            // Values that do not fit were rejected before.
            guard !match.dialect.keepsValues(source.conversion) else {
                return .column(source.column)
            }
            return .sql(
                match.dialect.value(
                    source.conversion, of: "old.\(SQLText.identifier(source.column))"),
                of: [source.column])
        }
        let cases = sources.map { source in
            let value = match.dialect.value(
                source.conversion, of: "old.\(SQLText.identifier(source.column))")
            return "WHEN \(origin.isOf(source.entities)) THEN \(value)"
        }
        return .sql(
            "CASE \(cases.joined(separator: " ")) END",
            of: origin.columnsOfEntity + sources.map { $0.column })
    }

    private func derivedValue(
        of attribute: Attribute, of entity: Entity, from origin: RowOrigin
    ) -> TableCopy.Origin {
        guard let old = match.oldAttribute(of: attribute.name, in: entity.name),
            old.derivation != nil, old.type == attribute.type,
            let oldEntity = match.oldEntity(of: entity),
            self.old.root(of: oldEntity).name == origin.table.name
        else { return .null }
        return .column(self.old.column(of: old.name, in: oldEntity))
    }

    /// A value for a part of a composite value is NULL in rows that have no such value.
    private func inValue(_ value: String, of attribute: Attribute, _ entity: Entity) -> String {
        guard let rule = match.valueAround(attribute, of: entity) else { return value }
        let parts = rule.parts.map {
            "\(SQLText.identifier(new.column(of: $0, in: entity))) IS NOT NULL"
        }
        return "CASE WHEN \(parts.joined(separator: " OR ")) THEN \(value) END"
    }

    /// Restricts a value to objects of a sub-entity: it is NULL in rows of other entities.
    private func restricted(_ value: String, to entity: Entity) -> String {
        guard entity.parent != nil else { return value }
        let names = SQLText.literals(new.family(of: entity).names)
        return "CASE WHEN \"_entity\" IN (\(names)) THEN \(value) END"
    }
}

/// The order in which the columns of a table's new rows get their values. If a fill uses other
/// columns with fills, it gets their new values.
struct FillPasses {
    /// The columns with a fill that each column's fill uses.
    private let reads: [String: Set<String>]
    /// The columns with a fill that each column's fill uses, directly or through other fills.
    private let reach: [String: Set<String>]

    /// - Parameter reads: For each column with a value, the columns that its fill uses.
    init(_ reads: [String: Set<String>]) {
        let given = Set(reads.keys)
        let reads = reads.mapValues { $0.intersection(given) }
        var reach = reads
        var hasGrown = true
        while hasGrown {
            hasGrown = false
            for (column, reached) in reach {
                let more = reached.reduce(reached) { $0.union(reach[$1, default: []]) }
                guard more.count > reached.count else { continue }
                reach[column] = more
                hasGrown = true
            }
        }
        self.reads = reads
        self.reach = reach
    }

    /// Returns the position of a column in the order; the first is 1. Fills that use each other
    /// have the same position, and use the old values.
    func pass(of column: String) -> Int {
        let together = reach[column, default: []].filter { reach[$0, default: []].contains(column) }
        let before = together.union([column]).flatMap { reads[$0, default: []] }
            .filter { !together.contains($0) && $0 != column }
        return (before.map(pass).max() ?? 0) + 1
    }
}

/// SQL for values that existing objects get.
enum ValueSource {
    /// Returns the value of a fill over the columns of the new table, or nil if the store alone
    /// cannot compute it.
    static func fill(
        _ expression: ModelExpression, for attribute: Attribute, of entity: Entity,
        in match: ModelMatch
    ) -> String? {
        let (model, dialect) = (match.new, match.dialect)
        if case .literal(let value) = expression {
            return literal(value, for: attribute, in: model, dialect)
        }
        guard !uses(expression, derivedOf: entity, in: model) else { return nil }
        let value = dialect.fill(
            expression, for: attribute, of: entity, in: model, former: match.formerRow(of: entity))
        return attribute.usesExternalForm ? value.map(dialect.inlined) : value
    }

    private static func literal(
        _ value: Value, for attribute: Attribute, in model: Model,
        _ dialect: any MigrationDialect
    ) -> String? {
        guard let stored = model.stored(value, as: attribute.type) else { return nil }
        if stored == .null, !attribute.isOptional { return nil }
        let text = dialect.literal(stored, of: attribute.type, in: model)
        return attribute.usesExternalForm && stored != .null ? text.map(dialect.inlined) : text
    }

    /// Whether an expression uses derived attributes, which have no values before all others have
    /// theirs.
    private static func uses(
        _ expression: ModelExpression, derivedOf entity: Entity, in model: Model
    ) -> Bool {
        let derived = Set(
            model.attributes(of: entity).filter { $0.derivation != nil }.map { $0.name })
        guard !derived.isEmpty else { return false }
        let sources = DerivationSources(of: expression, entity: entity, in: model)
        return !derived.isDisjoint(with: sources.nodes[0].properties)
    }

    /// Returns the default for existing objects, or nil if there is none.
    static func defaultValue(
        of attribute: Attribute, in model: Model, _ dialect: any MigrationDialect
    ) -> String? {
        switch attribute.defaultValue {
        case nil:
            nil
        case .constant:
            model.sqlDefault(of: attribute)
                .flatMap { dialect.literal($0, of: attribute.type, in: model) }
        case .now: dialect.moment
        case .newUUID: dialect.newUUID
        }
    }
}

/// The rows of an old table that are copied to one new table, and their values for its columns.
final class RowOrigin {
    /// The old table.
    let table: Table
    let origin: TableOrigin
    let match: ModelMatch

    init(table: Table, origin: TableOrigin, match: ModelMatch) {
        self.table = table
        self.origin = origin
        self.match = match
    }

    /// An old column that has the values of a new attribute, for some of the rows.
    final class Source {
        /// The old attribute.
        let attribute: Attribute
        /// The old column.
        let column: String
        /// The conversion of its values to values of the new attribute.
        let conversion: AttributeConversion
        /// The old entities of the rows that it applies to.
        let entities: [String]
        /// The old entities of the rows if the column also has values of other entities, otherwise
        /// nil.
        let owners: [String]?

        fileprivate init(
            _ attribute: Attribute, column: String, _ conversion: AttributeConversion,
            entities: [String], owners: [String]?
        ) {
            self.attribute = attribute
            self.column = column
            self.conversion = conversion
            self.entities = entities
            self.owners = owners
        }
    }

    private var hasEntities: Bool { table.columns.contains { $0.content == .entity } }

    /// A condition on the rows to copy; nil if all are copied.
    var filter: String? {
        let names = Set(origin.members.map { $0.old.name })
        let others = match.old.family(of: origin.oldRoot).filter { !names.contains($0.name) }
        guard hasEntities, !others.isEmpty else { return nil }
        guard others.allSatisfy({ match.newEntity(of: $0) == nil }) else {
            return isOf(origin.members.map { $0.old.name })
        }
        return "old.\"_entity\" NOT IN (\(SQLText.literals(others.names)))"
    }

    /// SQL for the rows' keys; nil if they stay.
    var newKey: String? {
        origin.members.first.flatMap { match.keyShift(of: $0.old) }.map { "old.\"_id\" + \($0)" }
    }

    /// The old root entities with keys before the keys of the rows.
    var precedingRoots: [String] {
        origin.members.first.map { match.precedingRoots(of: $0.old) } ?? []
    }

    /// The columns that ``isOf(_:)`` reads.
    var columnsOfEntity: [String] { hasEntities ? [SystemColumn.entity] : [] }

    /// The rows' entities.
    var entity: TableCopy.Origin {
        guard hasEntities else {
            let name = origin.members.first?.new.name ?? origin.oldRoot.name
            return .sql(SQLText.literal(name), of: [])
        }
        return match.renamedEntity("old.\"_entity\"", in: table.name)
            .map { .sql($0, of: columnsOfEntity) } ?? .column(SystemColumn.entity)
    }

    /// A condition that a row is of one of some old entities.
    func isOf(_ entities: [String]) -> String {
        guard hasEntities else { return match.dialect.condition(true) }
        return "old.\"_entity\" IN (\(SQLText.literals(entities)))"
    }

    /// Returns the sources of an attribute's values in the rows.
    func sources(of attribute: Attribute, in entity: Entity) -> [Source] {
        match.sources(of: attribute.name, in: entity).compactMap { source in
            let found = match.old.entity(named: source.old.entity)
            guard let owner = found, match.old.root(of: owner).name == table.name,
                let old = owner.attribute(named: source.old.property),
                !old.isTransient,
                let conversion = AttributeConversion(
                    from: old, in: match.old, to: attribute, in: match.new)
            else { return nil }
            let members = origin.members.filter { source.entities.contains($0.new.name) }
            // Other objects that are migrated with such values, although these no longer belong to
            // them.
            let hasOthers = origin.members.contains { member in
                match.old.entity(member.old, isKindOf: owner)
                    && !source.entities.contains(member.new.name)
            }
            let names = members.map { $0.old.name }
            return Source(
                old, column: match.old.column(of: old.name, in: owner), conversion,
                entities: names, owners: hasOthers ? names : nil)
        }
    }

    /// Returns the new entities, of a family, with rows that have no such value.
    func members(of entity: Entity, without sources: [Source]) -> [String] {
        let covered = Set(sources.flatMap { $0.entities })
        return origin.members.filter {
            match.new.entity($0.new, isKindOf: entity) && !covered.contains($0.old.name)
                && !$0.old.isAbstract
        }.map { $0.new.name }
    }
}
