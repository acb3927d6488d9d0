import CambiumModel
import CambiumPlan

/// Sample rows of a model's tables for the proof of a migration. Every concrete entity has objects
/// with all optional values absent, and with all present. Every relationship has links: some
/// objects have none, others many.
///
/// They are a function of the model and a seed. A row may fail a CHECK or a unique index over
/// several columns; the caller then asks for another attempt.
package final class SampleRows {
    /// The number of objects for each concrete entity.
    package static let objectsPerEntity = 4

    /// The kind of the rows' values.
    package enum Content: Sendable {
        /// Ordinary values that any program might write.
        case ordinary
        /// The least, the greatest, the longest and the strangest values. Attributes that get
        /// another type have ordinary values, because the new type can mostly hold these.
        case extremesWhereTypesStay
        /// Extreme values of all attributes.
        case extremes
    }

    /// A row to insert.
    package struct Row {
        /// The statement of one attempt.
        package let statement: (_ attempt: Int) -> String
    }

    let model: Model
    private let schema: Schema
    /// The topmost entities of the hierarchies that have a table.
    private let roots: Set<String>
    private let keys: [String: [Int]]
    private let seed: UInt64
    let content: Content
    let hints: SampleHints

    /// Prepares rows.
    ///
    /// - Parameters:
    ///   - schema: The model's tables, if they already exist. Missing tables get no rows, and
    ///     optional relationships to them get no links.
    ///   - match: The correspondence to the version that a migration produces. The values then
    ///     mostly meet its conditions too.
    package init(
        of model: Model, _ schema: Schema? = nil, for match: ModelMatch? = nil, seed: UInt64,
        content: Content = .ordinary
    ) {
        self.model = model
        self.seed = seed
        self.content = content
        hints = SampleHints(of: model, for: match)
        let schema = schema ?? Schema(of: model)
        self.schema = schema
        roots = Set(
            schema.tables.compactMap {
                if case .objects(let root) = $0.content { root } else { nil }
            })
        // Enough rows to use most edge cases of an attribute.
        let count = content == .ordinary ? Self.objectsPerEntity : 4 * Self.objectsPerEntity
        var keys: [String: [Int]] = [:]
        for root in model.roots {
            var next = 1
            for entity in model.family(of: root) where !entity.isAbstract {
                keys[entity.name] = Array(next..<next + count)
                next += count
            }
        }
        self.keys = keys
    }

    /// The rows of all tables. Rows that require others come after them. Links may reference rows
    /// that could not be inserted.
    package var rows: [Row] {
        let tables = schema.tables.enumerated()
            .map { (depth: depth(of: $0.element), number: $0.offset, table: $0.element) }
            .ordered { ($0.depth, $0.number) < ($1.depth, $1.number) }
        return tables.map { $0.table }.flatMap { table -> [Row] in
            switch table.content {
            case .system: return []
            case .objects(let root): return objects(of: root, in: table)
            case .links(let entity, let relationship): return links(entity, relationship, in: table)
            }
        }
    }

    /// Returns the statement that deletes a dangling link, as `MigrationSQL.foreignKeyCheck` lists
    /// it.
    package static func repair(_ violation: [StoredValue]) -> String? {
        guard case .text(let table) = violation.first, violation.count > 1 else { return nil }
        let name = SQLText.identifier(table)
        guard case .integer(let row) = violation[1] else { return "DELETE FROM \(name)" }
        return "DELETE FROM \(name) WHERE \"_id\" = \(row)"
    }

    /// The length of the longest path of required to-one relationships.
    private func depth(of table: Table) -> Int {
        guard case .objects(let root) = table.content else { return .max }
        var reached: Set<String> = [root]
        var border = reached
        var depth = 0
        while !border.isEmpty {
            let next = border.compactMap(model.entity(named:)).flatMap(model.family).flatMap {
                $0.relationships.filter { !$0.isToMany && !$0.isOptional }
            }.compactMap { model.entity(named: $0.destination) }.map { model.root(of: $0).name }
            border = Set(next).subtracting(reached)
            reached.formUnion(border)
            depth += 1
        }
        return depth
    }

    private func objects(of root: String, in table: Table) -> [Row] {
        guard let root = model.entity(named: root) else { return [] }
        let columns = table.columns.filter { !$0.isGenerated }
        let start = insertion(into: table)
        return model.family(of: root).flatMap { entity in
            (keys[entity.name] ?? []).enumerated().map { index, key in
                Row { [self] attempt in
                    var random = SampleRandom(seed, entity.name, index, attempt)
                    let values = columns.map {
                        value(
                            of: $0, for: entity, key: key, place: (index, attempt), &random)
                    }
                    return start + list(values)
                }
            }
        }
    }

    private func links(_ entity: String, _ relationship: String, in table: Table) -> [Row] {
        guard let owner = model.entity(named: entity),
            let relationship = owner.relationship(named: relationship)
        else { return [] }
        let sources = concrete(entity).flatMap { keys[$0.name] ?? [] }.dropFirst()
        // A relationship that is its own inverse has each link in both directions.
        let destinations =
            relationship.isOwnInverse(in: owner)
            ? Array(sources) : concrete(relationship.destination).flatMap { keys[$0.name] ?? [] }
        let start = insertion(into: table)
        var rows: [Row] = []
        for source in sources {
            for destination in destinations
            where content == .ordinary
                ? (source + destination) % 2 == 0
                    // An object that references itself is the exception.
                    && !(relationship.isOwnInverse(in: owner) && source == destination)
                // One object references all others, and all others reference one object.
                : source == sources.first || destination == destinations.first
            {
                let pair = [Int64(source), Int64(destination)].map { StoredValue.integer($0) }
                // Positions in any order, some of them equal.
                let places = table.columns.dropFirst(2).map { _ in
                    StoredValue.integer(Int64((source * 31 + destination * 17) % 5))
                }
                rows.append(Row { [self] _ in start + list(pair + places) })
            }
        }
        return rows
    }

    /// The statement up to the values.
    private func insertion(into table: Table) -> String {
        let columns = SQLText.identifiers(table.columns.filter { !$0.isGenerated }.names)
        return "INSERT INTO \(SQLText.identifier(table.name)) (\(columns)) VALUES "
    }

    private func list(_ values: [StoredValue]) -> String {
        "(\(values.map(SQLText.literal).joined(separator: ", ")))"
    }

    private func concrete(_ entity: String) -> [Entity] {
        model.entity(named: entity).map { model.family(of: $0) }?.filter { !$0.isAbstract } ?? []
    }

    private func root(of relationship: Relationship) -> String? {
        model.entity(named: relationship.destination).map { model.root(of: $0).name }
    }

    /// Whether the table that a relationship references gets rows.
    private func exists(_ relationship: Relationship) -> Bool {
        root(of: relationship).map(roots.contains) ?? false
    }

    private func value(
        of column: Table.Column, for entity: Entity, key: Int,
        place: (index: Int, attempt: Int), _ random: inout SampleRandom
    ) -> StoredValue {
        let lineage = model.lineage(of: entity)
        let isSparse = place.index == 0
        switch column.content {
        case .system:
            return .integer(column.name == "_id" ? Int64(key) : 1)
        case .entity:
            return .text(entity.name)
        case .attribute(let declarer, let name):
            guard let declarer = lineage.first(where: { $0.name == declarer }),
                let attribute = declarer.attribute(named: name),
                !(isSparse && attribute.isOptional), attribute.derivation == nil
            else { return .null }
            if let extreme = extreme(of: attribute, declarer, place, &random) { return extreme }
            return model.sample(
                of: hints.attribute(attribute, of: declarer),
                among: hints.words(for: attribute, of: declarer), &random)
        case .position:
            return isSparse ? .null : .integer(Int64(random.next(below: 5)))
        case .key(let declarer, let name), .entityOfKey(let declarer, let name):
            guard let declarer = lineage.first(where: { $0.name == declarer }),
                let relationship = declarer.relationship(named: name),
                !(relationship.isOptional && (isSparse || !exists(relationship)))
            else { return .null }
            // Both columns of a key must reference the same object, so no random numbers are used
            // here.
            let destinations = concrete(relationship.destination)
                .flatMap { entity in (keys[entity.name] ?? []).map { (entity.name, $0) } }
            guard !destinations.isEmpty else { return .null }
            // A list of one has no order to lose.
            let isInList = model.inversePositionColumn(of: relationship, of: declarer) != nil
            // The first object of an entity has no optional values, and is deleted if a drop
            // selects it. Others do not reference it, so that some objects remain at the end of a
            // chain of drops.
            let isOther = model.root(of: declarer).name != self.root(of: relationship)
            var position = (isInList ? key / 2 : isOther ? key - 1 : key) % destinations.count
            // All reference the first or the last, and none reference the ones between.
            if content != .ordinary { position = key % 2 == 0 ? 0 : destinations.count - 1 }
            if relationship.isOwnInverse(in: declarer) {
                // The objects form pairs. If one remains, it references itself.
                let linked = concrete(declarer.name).flatMap {
                    (keys[$0.name] ?? []).dropFirst(relationship.isOptional ? 1 : 0)
                }
                let index = linked.firstIndex(of: key) ?? 0
                let other = linked.indices.contains(index ^ 1) ? linked[index ^ 1] : key
                position = destinations.firstIndex { $0.1 == other } ?? position
            } else if isOneToOne(relationship) {
                let sources = concrete(declarer.name).flatMap { keys[$0.name] ?? [] }
                position = sources.firstIndex(of: key) ?? destinations.count
                guard position < destinations.count else { return .null }
            }
            let (entity, destination) = destinations[position]
            if case .entityOfKey = column.content { return .text(entity) }
            return .integer(Int64(destination))
        }
    }
}

/// Random numbers that depend only on their place of use.
struct SampleRandom {
    private var state: UInt64

    init(_ seed: UInt64, _ entity: String, _ index: Int, _ attempt: Int) {
        state = seed
        for byte in entity.utf8 { state = (state ^ UInt64(byte)) &* 0x100_0000_01b3 }
        state = state &+ UInt64(index) &* 0x9e37_79b9 &+ UInt64(attempt) &* 0x85eb_ca6b_c2b2
    }

    /// A number from 0 to one less than the bound (SplitMix64).
    mutating func next(below bound: UInt64) -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return (mixed ^ mixed >> 31) % max(bound, 1)
    }
}

/// The tables that a migration can change, and the tables next to them. A proof needs to check no
/// others: no statement changes these, and they are the same in both versions.
package struct ProofScope {
    /// The tables of the old version.
    package let old: Schema
    /// The tables of the new version.
    package let new: Schema

    /// Finds the tables.
    ///
    /// - Parameter operations: All operations of the migration.
    package init(of operations: [SchemaOperation], from old: Schema, to new: Schema) {
        let tables = old.tables + new.tables
        let names = Set(tables.names)
        var changed = Self.differentTables(old, new)
        for operation in operations { changed.formUnion(names.intersection(operation.tables)) }
        var chosen = changed
        for table in tables {
            if changed.contains(table.name) {
                chosen.formUnion(table.links)
            } else if !table.links.isDisjoint(with: changed) {
                chosen.insert(table.name)
            }
        }
        // An object needs the objects that it requires, and a link both of its ends.
        var border = chosen
        while !border.isEmpty {
            let needed = tables.filter { border.contains($0.name) }.flatMap { $0.requiredLinks }
            border = Set(needed).subtracting(chosen)
            chosen.formUnion(border)
        }
        let selection = chosen
        self.old = old.part { $0.content == .system || selection.contains($0.name) }
        self.new = new.part { $0.content == .system || selection.contains($0.name) }
    }

    /// The names of the tables that only one of the two has, or that are not the same in both.
    private static func differentTables(_ old: Schema, _ new: Schema) -> Set<String> {
        let oldTables = Dictionary(
            old.tables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var names = Set(oldTables.keys)
        for table in new.tables {
            if oldTables[table.name] == table {
                names.remove(table.name)
            } else {
                names.insert(table.name)
            }
        }
        return names
    }
}

extension Table {
    /// The tables that its columns have keys of.
    fileprivate var links: Set<String> { Set(columns.compactMap { $0.destination }) }

    /// The tables that rows, or the rows of some entity, may require.
    fileprivate var requiredLinks: [String] {
        columns.filter { column in
            column.isRequired || checks.contains { $0.columns.contains(column.name) }
        }.compactMap { $0.destination }
    }
}

extension Schema {
    /// Returns some of the tables, with the complete metadata of a fresh store.
    fileprivate func part(where isMeant: (Table) -> Bool) -> Schema {
        let tables = tables.filter(isMeant)
        return Schema(
            tables: tables,
            statements: tables.map { $0.createStatement() }
                + tables.flatMap { $0.indexes }.map { $0.createStatement }
                + statements.suffix(recordCount),
            metadata: metadata)
    }
}
