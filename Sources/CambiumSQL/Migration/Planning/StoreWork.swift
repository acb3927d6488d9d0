import CambiumModel

/// What a migration does to the tables of a store, and which change of the model is behind it: as
/// the planner has planned it.
package struct StoreWork: Sendable {
    /// The tables about which anything is done, in the order of the new version's schema; what is
    /// dropped comes last. The runtime's own are not among them.
    package let tables: [TableWork]
    /// For each change of the difference the numbers, in `tables`, of those that it concerns.
    package let tablesOfChanges: [[Int]]

    /// Finds out what the steps of a migration do.
    ///
    /// - Parameters:
    ///   - difference: What changed; without problems, so that there is a plan.
    ///   - schemas: The tables of both versions.
    package init(of difference: ModelDifference, schemas: (old: Schema, new: Schema)) {
        let builder = MigrationStepBuilder(difference: difference, schemas.old, schemas.new)
        let tables = builder.tableWork
        self.tables = tables
        tablesOfChanges = difference.changes.map { change in
            tables.indices.filter { builder.concerns(change, tableNamed: tables[$0].table) }
        }
    }
}

extension MigrationStepBuilder {
    /// What is done about each table.
    fileprivate var tableWork: [TableWork] {
        var works: [String: TableWork] = [:]
        func raise(_ table: String, to effect: TableWork.Effect) {
            guard isOfModel(table) else { return }
            var work = works[table] ?? TableWork(table: table, effect: effect)
            work.effect = max(work.effect, effect)
            works[table] = work
        }
        for (copy, way) in zip(copies, ways) where copy.table.content != .system {
            note(copy, way, raise)
            let (before, after) = (copy.source?.indexes ?? [], copy.table.indexes)
            let made = after.filter { !before.contains($0) }.map(\.name)
            let gone = before.map(\.name).filter { name in !after.contains { $0.name == name } }
            if !made.isEmpty { raise(copy.table.name, to: .scan) }
            if !gone.isEmpty { raise(copy.table.name, to: .constant) }
            works[copy.table.name]?.madeIndexes = made
            works[copy.table.name]?.droppedIndexes = gone
            works[copy.table.name]?.causes = causes(of: copy)
        }
        for operation in steps.flatMap(\.statements).map(\.operation) {
            switch operation {
            case .updateRows(let table, _), .deleteRows(let table, _): raise(table, to: .update)
            case .checkRows(let table, let others, _):
                for table in [table] + others { raise(newName(of: table), to: .scan) }
            default: break
            }
        }
        let sources = Set(copies.flatMap { $0.parts.map(\.source.name) })
        for table in oldSchema.tables
        where newSchema.table(named: table.name) == nil && !sources.contains(table.name) {
            raise(table.name, to: .dropped)
        }
        let order = (newSchema.tables + oldSchema.tables).map(\.name)
        let numbers = Dictionary(
            order.enumerated().map { ($0.element, $0.offset) },
            uniquingKeysWith: { first, _ in first })
        return works.values.sorted { numbers[$0.table] ?? 0 < numbers[$1.table] ?? 0 }
    }

    private func note(
        _ copy: TableCopy, _ way: TableCopy.Way, _ raise: (String, TableWork.Effect) -> Void
    ) {
        switch way {
        case .keep: break
        case .restate(_, let restatement):
            raise(copy.table.name, restatement.readsRows ? .scan : .constant)
        case .rebuild:
            let isNew = copy.parts.isEmpty && copy.links == nil
            raise(copy.table.name, isNew ? .new : .rebuild)
        }
    }

    /// Whether a table is one of the model's, not of the runtime's or the migration's own.
    private func isOfModel(_ name: String) -> Bool {
        let table = newSchema.table(named: name) ?? oldSchema.table(named: name)
        return table.map { $0.content != .system } ?? false
    }

    /// What the table that has the rows of an old one is called.
    private func newName(of table: String) -> String {
        if newSchema.table(named: table) != nil { return table }
        let heir = copies.first { $0.parts.contains { $0.source.name == table } }
        return heir?.table.name ?? table
    }

    private func causes(of copy: TableCopy) -> [String] {
        let obstacles = copy.obstacles
        let names = Set(copy.table.columns.map(\.name))
        let causes = obstacles.compactMap { obstacle -> String? in
            guard case .column(let column) = obstacle else { return nil }
            // What lives on under another name is a column of the new table, too.
            if case .attribute(let entity, let name) = column.content,
                !names.contains(column.name),
                let heir = difference.match.newAttribute(of: name, in: entity),
                let owner = difference.old.entity(named: entity)
                    .flatMap(difference.match.newEntity)
            {
                return "\(owner.name).\(heir.name)"
            }
            return switch column.content {
            case .attribute(let entity, let name), .key(let entity, let name),
                .entityOfKey(let entity, let name), .position(let entity, let name):
                "\(entity).\(name)"
            case .system, .entity: nil
            }
        }
        guard causes.count == obstacles.count else { return [] }
        var seen: Set<String> = []
        return causes.filter { seen.insert($0).inserted }
    }

    /// Whether a change is about a table of either version.
    fileprivate func concerns(_ change: ModelChange, tableNamed name: String) -> Bool {
        if let table = newSchema.table(named: name) { return concerns(change, table) }
        guard case .objects(let root)? = oldSchema.table(named: name)?.content,
            let entity = difference.old.entity(named: change.entity)
        else {
            if case .links(let entity, let relationship)? = oldSchema.table(named: name)?.content,
                case .relationshipDropped(entity, relationship, _) = change
            {
                return true
            }
            return false
        }
        return difference.match.newEntity(of: entity) == nil
            && difference.old.root(of: entity).name == root
    }
}
