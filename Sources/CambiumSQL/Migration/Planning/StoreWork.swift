import CambiumModel
import CambiumPlan

/// The planned changes of a migration to the tables of a store, with the model changes that cause
/// them.
package struct StoreWork: Sendable {
    /// The changed tables, in the order of the new version's schema. Dropped tables come last. The
    /// runtime's own tables are not included.
    package let tables: [TableWork]
    /// For each change of the difference, the indexes in `tables` of the affected tables.
    package let tablesOfChanges: [[Int]]

    /// Finds the effects of a migration's steps.
    ///
    /// - Parameters:
    ///   - difference: The changes; without problems, so that there is a plan.
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
    /// The changes to each table.
    fileprivate var tableWork: [TableWork] {
        var works: [TableWork] = []
        var numbers: [String: Int] = [:]
        func raise(_ table: String, to effect: TableWork.Effect) {
            guard isOfModel(table) else { return }
            if let number = numbers[table] {
                works[number].effect = max(works[number].effect, effect)
            } else {
                numbers[table] = works.count
                works.append(TableWork(table: table, effect: effect))
            }
        }
        for (copy, strategy) in zip(copies, strategies) where copy.table.content != .system {
            note(copy, strategy, raise)
            let (before, after) = (copy.source?.indexes ?? [], copy.table.indexes)
            let made = after.filter { !before.contains($0) }.map { $0.name }
            let removed = before.map { $0.name }.filter { name in
                !after.contains { $0.name == name }
            }
            if !made.isEmpty { raise(copy.table.name, to: .scan) }
            if !removed.isEmpty { raise(copy.table.name, to: .constant) }
            guard let number = numbers[copy.table.name] else { continue }
            works[number].madeIndexes = made
            works[number].droppedIndexes = removed
            works[number].causes = causes(of: copy)
        }
        for operation in steps.flatMap(\.statements).map(\.operation) {
            switch operation {
            case .updateRows(let table, _), .deleteRows(let table, _): raise(table, to: .update)
            case .checkRows(let table, let others, _):
                for table in [table] + others { raise(newName(of: table), to: .scan) }
            default: break
            }
        }
        let sources = Set(copies.flatMap { $0.parts.map { $0.source.name } })
        for table in oldSchema.tables
        where newSchema.table(named: table.name) == nil && !sources.contains(table.name) {
            raise(table.name, to: .dropped)
        }
        return (newSchema.tables + oldSchema.tables).names
            .compactMap { numbers.removeValue(forKey: $0) }.map { works[$0] }
    }

    private func note(
        _ copy: TableCopy, _ strategy: TableCopy.Strategy,
        _ raise: (String, TableWork.Effect) -> Void
    ) {
        switch strategy {
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

    /// Returns the name of the new table that has the rows of an old one.
    private func newName(of table: String) -> String {
        if newSchema.table(named: table) != nil { return table }
        let successor = copies.first { $0.parts.contains { $0.source.name == table } }
        return successor?.table.name ?? table
    }

    private func causes(of copy: TableCopy) -> [String] {
        let reasons = copy.rebuildReasons
        let names = Set(copy.table.columns.names)
        let causes = reasons.compactMap { reason -> String? in
            guard case .column(let column) = reason else { return nil }
            // A renamed column is in the new table too.
            if case .attribute(let entity, let name) = column.content,
                !names.contains(column.name),
                let successor = difference.match.newAttribute(of: name, in: entity),
                let owner = difference.old.entity(named: entity)
                    .flatMap(difference.match.newEntity)
            {
                return "\(owner.name).\(successor.name)"
            }
            return switch column.content {
            case .attribute(let entity, let name), .key(let entity, let name),
                .entityOfKey(let entity, let name), .position(let entity, let name):
                "\(entity).\(name)"
            case .system, .entity: nil
            }
        }
        guard causes.count == reasons.count else { return [] }
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

    // The changes that each step carries out.

    /// Whether a change is carried out by the changes to a table.
    func concerns(_ change: ModelChange, _ table: Table) -> Bool {
        switch change {
        case .orderChanged(let entity, let name, _), .linksDropped(let entity, let name):
            return tableOfLinks(entity, name) == table.name
        case .caseDropped(let enumeration, _, true):
            return difference.match.uses(of: enumeration).contains {
                difference.new.root(of: $0.entity).name == table.name
            }
        default:
            break
        }
        switch table.content {
        case .system:
            return false
        case .links(let entity, let relationship):
            switch change {
            case .relationshipAdded(entity, relationship),
                .relationshipRenamed(entity, relationship, _),
                .relationshipChanged(entity, relationship),
                .relationshipMoved(entity, relationship, _),
                .relationshipDropped(entity, relationship, _):
                return true
            default:
                return false
            }
        case .objects(let root):
            if let entity = difference.new.entity(named: change.entity) {
                return difference.new.root(of: entity).name == root
            }
            guard let entity = difference.old.entity(named: change.entity) else { return false }
            let oldRoot = difference.old.root(of: entity)
            return difference.match.newEntity(of: oldRoot)?.name == root
        }
    }

    /// The table that has the links of a relationship, and so their order.
    private func tableOfLinks(_ entity: String, _ name: String) -> String? {
        let new = difference.new
        let declared = new.entity(named: entity).flatMap { owner in
            new.relationship(name, of: owner).map { (entity: owner, relationship: $0) }
        }
        guard let (entity, relationship) = declared ?? inverseOfDeleted(entity, name) else {
            return nil
        }
        return switch new.storage(of: relationship, of: entity) {
        case .inverseKey:
            new.entity(named: relationship.destination).map { new.root(of: $0).name }
        case .joinTable(let name, _, _): name
        case .key: new.root(of: entity).name
        case .transient: nil
        }
    }

    /// Returns the relationship that keeps the links of a deleted one.
    private func inverseOfDeleted(
        _ entity: String, _ name: String
    ) -> (entity: Entity, relationship: Relationship)? {
        let match = difference.match
        let former = match.new.entity(named: entity).flatMap(match.oldEntity)
        guard let owner = former ?? match.old.entity(named: entity),
            let relationship = owner.relationship(named: name),
            let inverse = match.old.inverse(of: relationship)
        else { return nil }
        return match.successor(
            of: .init(entity: inverse.entity.name, property: inverse.relationship.name))
    }
}

/// The changes of a migration to a table of a store, and their cost.
package struct TableWork: Sendable, Equatable {
    /// The kind of change, from the fastest to the slowest.
    package enum Effect: String, Sendable, CaseIterable, Comparable {
        /// The table's definition changes: it takes as long as in an empty store.
        case constant
        /// Rows are read: whether they meet a condition, or for an index.
        case scan
        /// Rows are changed or deleted in place.
        case update
        /// Every row is written into a new table.
        case rebuild
        /// The table is new and empty.
        case new
        /// The table is dropped with its rows.
        case dropped

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }

        package static func < (left: Effect, right: Effect) -> Bool { left.rank < right.rank }
    }

    /// The table, by its new name if it has one.
    package let table: String
    /// The most that is done.
    package var effect: Effect
    /// The indexes that are made, and were not there.
    package var madeIndexes: [String] = []
    /// The indexes that do not exist any more.
    package var droppedIndexes: [String] = []
    /// The properties that cause the table to be rebuilt, as `Entity.property`. It is empty if the
    /// table is not rebuilt, or if its rows come from elsewhere.
    package var causes: [String] = []

    /// Describes the changes.
    package init(table: String, effect: Effect, causes: [String] = []) {
        self.table = table
        self.effect = effect
        self.causes = causes
    }
}

/// The queries of a store that forecast the cost of a migration.
package enum ForecastSQL {
    /// The size of the database in bytes.
    package static let size = """
        SELECT "page_count" * "page_size" FROM pragma_page_count(), pragma_page_size()
        """

    /// The number of bytes of a table (parameter 1) and its indexes. It reads the whole table. It
    /// fails if SQLite was built without the table that it needs.
    package static let sizeOfTable = """
        SELECT coalesce(sum("pgsize"), 0) FROM "dbstat"
        WHERE "aggregate" = 1
        AND "name" IN (SELECT "name" FROM "sqlite_schema" WHERE "tbl_name" = ?)
        """

    /// Counts the rows of a table. It reads one of the table's indexes completely.
    package static func count(of table: String) -> String {
        "SELECT count(*) FROM \(SQLText.identifier(table))"
    }

    /// Estimates the number of a table's rows immediately. The estimate is usually a little too
    /// high. It fails if rows have no numbers.
    package static func estimate(of table: String) -> String {
        "SELECT max(\"rowid\") FROM \(SQLText.identifier(table))"
    }
}
