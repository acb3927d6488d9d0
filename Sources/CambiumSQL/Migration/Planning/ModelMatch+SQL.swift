import CambiumModel
import CambiumPlan

extension ModelMatch {
    // MARK: Rows

    /// Returns SQL for the rows of an old entity itself that meet a condition, and the other tables
    /// that it reads. The result is nil if the store cannot compute it.
    func rows(
        where condition: ModelExpression, of entity: Entity
    ) -> (sql: String, tables: Set<String>)? {
        let found = dialect.condition(condition, of: entity, in: old, as: nil, variables: [:])
        guard let found else { return nil }
        let isOfEntity =
            old.hasSubentities(old.root(of: entity))
            ? "\"_entity\" = \(SQLText.literal(entity.name)) AND " : ""
        return ("\(isOfEntity)(\(found.sql))", found.tables)
    }

    /// Returns a query of the keys of an old table's objects that are dropped while others still
    /// exist; nil if there are none.
    func droppedKeys(in oldTable: String) -> String? {
        let dropped = droppedEntities(in: oldTable)
        return dropped.isEmpty ? nil : Self.keys(of: dropped, in: oldTable)
    }

    /// A query of the keys of the objects of some old entities.
    static func keys(of entities: [String], in oldTable: String) -> String {
        """
        SELECT "_id" FROM \(SQLText.identifier(oldTable)) \
        WHERE "_entity" IN (\(SQLText.literals(entities)))
        """
    }

    /// Returns SQL for the new name of an entity, from SQL for the old one; nil if no entity of the
    /// old table is renamed.
    func renamedEntity(_ column: String, in oldTable: String) -> String? {
        guard let root = old.entity(named: oldTable) else { return nil }
        let renames = old.family(of: root).compactMap { oldEntity -> String? in
            guard let newEntity = newEntity(of: oldEntity), newEntity.name != oldEntity.name else {
                return nil
            }
            return "WHEN \(SQLText.literal(oldEntity.name)) THEN \(SQLText.literal(newEntity.name))"
        }
        guard !renames.isEmpty else { return nil }
        return "CASE \(column) \(renames.joined(separator: " ")) ELSE \(column) END"
    }

    // MARK: Keys

    /// Returns SQL for the number that is added to the keys of an old entity's objects; nil if the
    /// keys stay or the objects are deleted. It reads the old key table.
    package func keyShift(of oldEntity: Entity) -> String? {
        Self.keyShift(after: precedingRoots(of: oldEntity))
    }

    private static func keyShift(after oldRoots: [String]) -> String? {
        oldRoots.isEmpty ? nil : keyCount(of: oldRoots)
    }

    /// The number of keys of some old root entities that were assigned so far.
    static func keyCount(of oldRoots: [String]) -> String {
        """
        (SELECT sum("next" - 1) FROM "_keys" \
        WHERE "entity" IN (\(SQLText.literals(oldRoots))))
        """
    }

    /// Returns SQL for the new key of an object, from SQL for the old one.
    ///
    /// - Parameter oldEntity: The object's entity or an ancestor of it.
    func newKey(_ key: String, of oldEntity: Entity) -> String {
        guard mergesRoots else { return key }
        let shifts = old.family(of: oldEntity).filter { newEntity(of: $0) != nil }
            .map { (name: $0.name, roots: precedingRoots(of: $0)) }
        guard Set(shifts.map { $0.roots }).count > 1 else {
            return shifts.first.flatMap { Self.keyShift(after: $0.roots) }
                .map { "(\(key) + \($0))" } ?? key
        }
        let cases = shifts.compactMap { name, roots in
            Self.keyShift(after: roots).map { "WHEN \(SQLText.literal(name)) THEN \($0)" }
        }
        let table = SQLText.identifier(old.root(of: oldEntity).name)
        return """
            (SELECT shifted."_id" + CASE shifted."_entity" \
            \(cases.joined(separator: " ")) ELSE 0 END FROM \(table) AS shifted \
            WHERE shifted."_id" = \(key))
            """
    }
}

/// Attributes of an enumeration with a fill that may give values that are not cases. No column
/// checks the result of such a fill, so a statement checks it.
struct FilledCases {
    let match: ModelMatch

    /// Returns statements that fail if a fill gives a value that is not a case, and the reasons.
    ///
    /// - Parameter name: Returns the name of a new table at that time.
    func refusals(in name: (_ root: Entity) -> String) -> [(
        reason: String, statements: [MigrationStatement]
    )] {
        match.new.entities.flatMap { entity in
            entity.attributes.filter { isInQuestion($0, of: entity) }.map { attribute in
                let column = SQLText.identifier(match.new.column(of: attribute.name, in: entity))
                let reason =
                    """
                    the fill of \(entity.name).\(attribute.name) leaves a value that is not a \
                    case of \(match.new.name(ofEnumeration: attribute.type))
                    """
                let table = name(match.new.root(of: entity))
                return (
                    reason,
                    match.dialect.refusal(
                        """
                        SELECT "_id", \(column) FROM \(SQLText.identifier(table))\n\
                        WHERE \(column) NOT IN (\(cases(of: attribute.type))) LIMIT 1
                        """,
                        of: table, with: [], type: nil, reason: reason)
                )
            }
        }
    }

    private func isInQuestion(_ attribute: Attribute, of entity: Entity) -> Bool {
        guard case .enumeration(let name) = attribute.type, !attribute.isTransient,
            attribute.derivation == nil, match.isRevised(attribute.name, in: entity.name),
            let now = match.new.enumeration(named: name)
        else { return false }
        let values = now.cases.map { $0.rawValue }
        return match.sources(of: attribute.name, in: entity).contains { source in
            guard let old = match.oldAttribute(at: source.old), !old.isTransient,
                case .enumeration(let former) = old.type,
                let before = match.old.enumeration(named: former)
            else { return true }
            return !before.cases.allSatisfy { values.contains($0.rawValue) }
        }
    }

    private func cases(of type: AttributeType) -> String {
        guard case .enumeration(let name) = type else { return "" }
        return (match.new.enumeration(named: name)?.cases ?? [])
            .compactMap { match.new.stored($0.rawValue, as: type) }
            .map(SQLText.literal).joined(separator: ", ")
    }
}

extension Model {
    fileprivate func name(ofEnumeration type: AttributeType) -> String {
        if case .enumeration(let name) = type { name } else { "\(type)" }
    }
}

extension ModelMatch {
    /// Compares two versions for stores of SQLite.
    package convenience init(old: Model, new: Model) {
        self.init(old: old, new: new, on: SQLiteMigration())
    }
}

extension ModelDifference {
    /// Compares two versions for stores of SQLite.
    package convenience init(from old: Model, to new: Model) {
        self.init(from: old, to: new, on: SQLiteMigration())
    }
}

extension DraftDifference {
    /// Compares two drafts for stores of SQLite.
    package init(from old: Model, to new: Model) {
        self.init(from: old, to: new, on: SQLiteMigration())
    }
}
