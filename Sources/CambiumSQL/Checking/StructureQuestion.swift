import CambiumModel

/// A fault in columns and tables that rows in memory do not show: the links of pairs, and their
/// order.
package enum StructureFault: Sendable, Hashable {
    /// A row is of no entity of the table.
    case unknownEntity
    /// A row has the key of a to-one that its entity does not have.
    case keyOfOtherEntity
    /// The owner of a pair does not exist.
    case pairWithoutOwner
    /// The member of a pair does not exist.
    case pairWithoutMember
    /// The owner of a pair is of another entity.
    case pairOfOtherOwner
    /// The member of a pair is of another entity.
    case pairOfOtherMember
    /// Two objects are linked in one direction of a relationship that is its own inverse.
    case oneSidedPair
    /// A member of a list has no position, but others have. If no member of a list has a position,
    /// the list is in the order of the keys.
    case missingPlace
    /// Several members of a list have the same place.
    case duplicatePlace
}

/// A query for the rows that have a fault. It returns three columns: the key of the row, or of the
/// object that owns a link; the key at the other end (0 if there is no other end); and the name of
/// the row's entity (empty if the row is of the entity that declares the property). Every engine
/// with the tables of ``Schema`` can run it.
package struct StructureQuestion: Sendable {
    package let fault: StructureFault
    /// The entity that has the property.
    package let entity: String
    /// The relationship; nil if the fault is not in one.
    package let property: String?
    /// The entity at the other end; nil if there is none.
    package let destination: String?
    private let sql: String

    fileprivate init(
        _ fault: StructureFault, _ entity: Entity, _ relationship: Relationship?,
        _ sql: String
    ) {
        self.fault = fault
        self.entity = entity.name
        property = relationship?.name
        destination = relationship?.destination
        self.sql = sql
    }

    /// The first rows, in the order of their keys.
    package func rows(atMost limit: Int) -> String {
        Self.rows(of: sql, orderedBy: "1, 2", atMost: limit)
    }

    /// The number of all rows.
    package var count: String { Self.count(of: sql) }

    /// The first rows of a query, in the order of their keys.
    package static func rows(
        of sql: String, orderedBy order: String = "1", atMost limit: Int
    ) -> String { "\(sql) ORDER BY \(order) LIMIT \(limit)" }

    /// The number of the rows of a query.
    package static func count(of sql: String) -> String { "SELECT count(*) FROM (\(sql)) AS q" }
}

extension Model {
    /// Asks a store of the model for all faults of its tables.
    ///
    /// - Parameter names: The engine's form of the names of tables and columns.
    package func structureQuestions(_ names: DerivationNames) -> [StructureQuestion] {
        let builder = StructureQuestions(model: self, names: names)
        return entities.flatMap { entity in
            (builder.unknownEntities(entity).map { [$0] } ?? [])
                + entity.relationships.flatMap { builder.questions(of: $0, of: entity) }
        }
    }
}

/// Writes the questions of a model.
private struct StructureQuestions {
    let model: Model
    let names: DerivationNames

    private func table(of entity: Entity) -> String { names.table(model.root(of: entity).name) }

    private var key: String { names.column(SystemColumn.key) }

    /// Returns the name of a row's entity, if the table has that column.
    private func entityName(of entity: Entity, _ alias: String) -> String {
        model.hasSubentities(model.root(of: entity))
            ? "\(alias).\(names.column(SystemColumn.entity))" : "''"
    }

    /// Returns the condition for rows of the hierarchy with an entity of the model that is not in a
    /// family. The result is nil if there can be no such rows.
    private func isOutside(_ entity: Entity, _ alias: String) -> String? {
        let family = Set(model.family(of: entity).map(\.name))
        let others = model.family(of: model.root(of: entity)).filter { other in
            !other.isAbstract && !family.contains(other.name)
        }
        guard !others.isEmpty else { return nil }
        return "\(entityName(of: entity, alias)) IN (\(SQLText.literals(others.map(\.name))))"
    }

    func unknownEntities(_ root: Entity) -> StructureQuestion? {
        guard root.parent == nil, model.hasSubentities(root) else { return nil }
        let known = model.family(of: root).filter { !$0.isAbstract }.map(\.name)
        return StructureQuestion(
            .unknownEntity, root, nil,
            """
            SELECT t.\(key), 0, '' FROM \(table(of: root)) AS t \
            WHERE \(entityName(of: root, "t")) NOT IN (\(SQLText.literals(known)))
            """)
    }

    func questions(of relationship: Relationship, of entity: Entity) -> [StructureQuestion] {
        guard let destination = model.entity(named: relationship.destination) else { return [] }
        let places: [StructureQuestion]
        switch model.storage(of: relationship, of: entity) {
        case .transient: return []
        case .key(let column, _):
            return strayKeys(relationship, of: entity, names.column(column))
        case .inverseKey(let column):
            places = self.places(
                relationship, of: entity, in: table(of: destination),
                owner: names.column(column), member: key)
            return places
        case .joinTable(let table, let source, let far):
            let pairs = names.table(table)
            places = self.places(
                relationship, of: entity, in: pairs, owner: names.column(source),
                member: names.column(far))
            // The other side of a many-to-many has the same pairs.
            guard source == "_source" else { return places }
            return places
                + self.pairs(
                    relationship, entity, destination, pairs, names.column(source),
                    names.column(far))
        }
    }

    private func strayKeys(
        _ relationship: Relationship, of entity: Entity, _ column: String
    ) -> [StructureQuestion] {
        guard let isOutside = isOutside(entity, "t") else { return [] }
        return [
            StructureQuestion(
                .keyOfOtherEntity, entity, relationship,
                """
                SELECT t.\(key), t.\(column), \(entityName(of: entity, "t")) \
                FROM \(table(of: entity)) AS t WHERE t.\(column) IS NOT NULL AND \(isOutside)
                """)
        ]
    }

    private func pairs(
        _ relationship: Relationship, _ entity: Entity, _ destination: Entity, _ pairs: String,
        _ source: String, _ far: String
    ) -> [StructureQuestion] {
        let start = "SELECT j.\(source), j.\(far), '' FROM \(pairs) AS j"
        func exists(_ end: Entity, _ column: String, _ condition: String? = nil) -> String {
            "EXISTS (SELECT 1 FROM \(table(of: end)) AS t WHERE t.\(key) = j.\(column)"
                + (condition.map { " AND \($0)" } ?? "") + ")"
        }
        let hasOwner = exists(entity, source)
        var questions = [
            StructureQuestion(
                .pairWithoutOwner, entity, relationship, "\(start) WHERE NOT \(hasOwner)"),
            StructureQuestion(
                .pairWithoutMember, entity, relationship,
                "\(start) WHERE \(hasOwner) AND NOT \(exists(destination, far))"),
        ]
        if let isOutside = isOutside(entity, "t") {
            questions.append(
                StructureQuestion(
                    .pairOfOtherOwner, entity, relationship,
                    "\(start) WHERE \(exists(entity, source, isOutside))"))
        }
        if let isOutside = isOutside(destination, "t") {
            questions.append(
                StructureQuestion(
                    .pairOfOtherMember, entity, relationship,
                    "\(start) WHERE \(exists(destination, far, isOutside))"))
        }
        if relationship.inverse == relationship.name, destination.name == entity.name {
            questions.append(
                StructureQuestion(
                    .oneSidedPair, entity, relationship,
                    """
                    \(start) WHERE NOT EXISTS (SELECT 1 FROM \(pairs) AS b \
                    WHERE b.\(source) = j.\(far) AND b.\(far) = j.\(source)) \
                    AND \(hasOwner) AND \(exists(destination, far))
                    """))
        }
        return questions
    }

    private func places(
        _ relationship: Relationship, of entity: Entity, in rows: String, owner: String,
        member: String
    ) -> [StructureQuestion] {
        guard let position = model.positionColumn(of: relationship, of: entity) else { return [] }
        let place = "t.\(names.column(position))"
        return [
            StructureQuestion(
                .missingPlace, entity, relationship,
                """
                SELECT t.\(owner), t.\(member), '' FROM \(rows) AS t \
                WHERE t.\(owner) IS NOT NULL AND \(place) IS NULL \
                AND EXISTS (SELECT 1 FROM \(rows) AS o \
                WHERE o.\(owner) = t.\(owner) AND o.\(names.column(position)) IS NOT NULL)
                """),
            StructureQuestion(
                .duplicatePlace, entity, relationship,
                """
                SELECT t.\(owner), max(t.\(member)), '' FROM \(rows) AS t \
                WHERE t.\(owner) IS NOT NULL AND \(place) IS NOT NULL \
                GROUP BY t.\(owner), \(place) HAVING count(*) > 1
                """),
        ]
    }
}
