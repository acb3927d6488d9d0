import CambiumModel
import CambiumPlan

/// The possible data loss of a step to the next version, and the queries that measure it.
///
/// Each change is measured at the time when it runs. For objects that statements choose before they
/// delete them, the number of chosen objects is counted. All other loss is measured while the
/// tables of both versions exist: the new tables are filled, and objects that were dropped earlier
/// are no longer in the old ones.
package struct MigrationDataLoss: Sendable {
    /// A change that loses data.
    package struct Loss: Sendable {
        /// The change and its reason, in words.
        package let words: String
        /// The amount of deleted data.
        package let measure: Measure
    }

    /// The amount of data that a change deletes.
    package enum Measure: Sendable {
        /// The objects of its ``Choice``.
        case choice
        /// The result of a query while the tables of both versions exist.
        case counted(String, Unit)
    }

    /// The things that a query counts.
    package enum Unit: Sendable {
        case values, links
        /// Objects of an entity of the old version.
        case objects(of: String)
    }

    /// Statements that delete objects, for one change.
    package struct Choice: Sendable {
        /// The number of the change among the losses.
        package let loss: Int
        /// Counts the chosen objects, by entity.
        package let query: String
        /// The old names of the entities in the query's result.
        package let entities: [String: String]
    }

    /// Links of a relationship of the old version, and the queries that count them.
    package struct Links: Sendable {
        package let entity: String
        package let relationship: String
        /// A query of the old tables.
        package let before: String
        /// A query for the links that still exist while the tables of both versions do; nil if none
        /// does.
        package let left: String?
        /// The queries for all links of the new relationship: while the tables of both versions
        /// exist, and at the end.
        package let later: (beside: String, atEnd: String)?
    }

    /// The changes that lose data, in order.
    package let losses: [Loss]
    /// The deletions of objects, in the order of the statements.
    package let choices: [Choice]
    /// The relationships of the old version.
    package let links: [Links]

    /// The number of choices that are made in the old tables.
    private let earlyChoices: Int
    private let oldTables: Set<String>

    /// Finds the possible data loss of the step from one version to the next.
    package init(from old: Model, to new: Model) {
        let difference = ModelDifference(from: old, to: new)
        let match = difference.match
        let drops = match.conditionalDrops
        let schemas = (old: Schema(of: old), new: Schema(of: new))
        let steps = MigrationStepBuilder(difference: difference, schemas.old, schemas.new)
        let sql = DataLossSQL(steps)
        var losses = drops.map { Loss(words: "drop \($0.words)", measure: .choice) }
        var choices = drops.indices.map { index in
            Choice(
                loss: index,
                query: ObjectRemoval.chosen(of: drops[index].entity, in: old, by: index),
                entities: [:])
        }
        let formers = Dictionary(
            new.entities.compactMap { entity in
                match.oldEntity(of: entity).map { (entity.name, $0.name) }
            }, uniquingKeysWith: { first, _ in first })
        for change in difference.changes where Self.isLoss(change) {
            // These changes are in the order of their declaration, and so of their statements.
            if case .duplicatesDropped(let name, _) = change, let entity = new.entity(named: name) {
                choices.append(
                    Choice(
                        loss: losses.count, query: ObjectRemoval.chosen(of: entity, in: new),
                        entities: formers))
            }
            losses.append(
                Loss(words: sql.words(of: change), measure: sql.measure(of: change)))
        }
        self.losses = losses
        self.choices = choices
        links = sql.links
        earlyChoices = drops.count
        oldTables = Set(schemas.old.tables.names)
    }

    /// The number of changes between two versions that delete data or write other data.
    package static func weight(from old: Model, to new: Model) -> Int {
        let difference = ModelDifference(from: old, to: new)
        return difference.match.conditionalDrops.count
            + difference.changes.count { change in
                switch change {
                case .attributeFilled: true
                case .attributeAdded(_, _, let isFilled): isFilled
                default: isLoss(change)
                }
            }
    }

    /// Objects that are dropped by a condition are reported for each condition.
    private static func isLoss(_ change: ModelChange) -> Bool {
        if case .objectsDropped = change { false } else { change.losesData }
    }

    // MARK: Moments

    /// Whether objects are deleted before anything is copied.
    package var takesObjectsEarly: Bool { earlyChoices > 0 }
    /// Whether objects are deleted from the new tables.
    package var takesObjectsLate: Bool { choices.count > earlyChoices }

    /// Whether the tables of both versions exist, but no longer after a statement has run or its
    /// chosen objects are deleted.
    ///
    /// - Parameter made: The number of choices that were made before it.
    package func endsCopying(_ statement: MigrationStatement, after made: Int) -> Bool {
        switch statement.operation {
        case .chooseObjects: made >= earlyChoices
        case .dropTable(let table): oldTables.contains(table)
        default: false
        }
    }
}

/// The queries that count the data loss of the changes between two versions, in the order of the
/// changes. A loss is counted only once, for the first change. The queries use the tables that the
/// step's statements create, and the same data as these statements.
final class DataLossSQL {
    let steps: MigrationStepBuilder
    var match: ModelMatch { steps.difference.match }
    var old: Model { match.old }
    var new: Model { match.new }

    /// The columns that were already counted, by the entities of their rows.
    var countedColumns: Set<[String]> = []
    /// The links that were already counted.
    var countedLinks: [CountedLinks] = []

    static let none = "SELECT 0"

    init(_ steps: MigrationStepBuilder) {
        self.steps = steps
    }

    /// Returns a change and its reason, in words. A drop names the entity in the old version, as
    /// the author's declaration does.
    func words(of change: ModelChange) -> String {
        let former: ModelChange
        switch change {
        case .attributeDropped(let name, let attribute):
            former = .attributeDropped(entity: formerEntity(name)?.name ?? name, attribute)
        case .relationshipDropped(let name, let relationship, let losesLinks):
            former = .relationshipDropped(
                entity: formerEntity(name)?.name ?? name, relationship, losesLinks: losesLinks)
        default:
            return steps.difference.sentence(of: change)
        }
        return former.summary + (change.reason(in: new, match).map { " (\($0))" } ?? "")
    }

    func measure(of change: ModelChange) -> MigrationDataLoss.Measure {
        switch change {
        case .entityDropped(let name):
            return .counted(objects(of: name), .objects(of: name))
        case .duplicatesDropped:
            return .choice
        case .attributeDropped(let name, let attribute):
            return .counted(droppedValues(attribute, of: formerEntity(name)), .values)
        case .attributeRevised(let name, let attribute):
            return .counted(revisedValues(attribute, of: name), .values)
        case .caseDropped(let enumeration, let name, _):
            return .counted(values(of: name, in: enumeration), .values)
        case .relationshipDropped(let name, let relationship, _):
            return .counted(droppedLinks(relationship, of: formerEntity(name)), .links)
        case .linksDropped(let name, let relationship):
            return .counted(linksNotKept(relationship, of: name), .links)
        case .orderChanged(let name, let relationship, _):
            return .counted(orderedLinks(relationship, of: name), .links)
        default:
            // No other change loses data. If one did, it would have to be reported.
            return .counted("SELECT 1", .values)
        }
    }

    /// Returns the old entity of a name. Changes use new names, and drops use the names of the
    /// dropped things.
    func formerEntity(_ name: String) -> Entity? {
        new.entity(named: name).flatMap(match.oldEntity) ?? old.entity(named: name)
    }

    /// Returns the name of a new table while the old tables exist.
    func present(_ table: String) -> String {
        guard let table = steps.newSchema.table(named: table), steps.isRebuilt(table) else {
            return table
        }
        return steps.temporaryName(of: table)
    }

    /// The objects of an entity of the old version itself.
    private func objects(of name: String) -> String {
        guard let entity = old.entity(named: name) else { return Self.none }
        let root = old.root(of: entity)
        return "SELECT count(*) FROM \(SQLText.identifier(root.name))"
            + (old.hasSubentities(root)
                ? " WHERE \"_entity\" = \(SQLText.literal(name))" : "")
    }

    /// Returns the sum of the results of queries.
    static func sum(_ queries: [String]) -> String {
        queries.isEmpty ? none : "SELECT " + queries.map { "(\($0))" }.joined(separator: " + ")
    }

    // Lost values.

    /// Returns a query for the values of an attribute, or of the parts of a composite one, that
    /// objects lose although they still exist. A value that any new column takes from the old
    /// column is not lost.
    func droppedValues(_ name: String, of entity: Entity?) -> String {
        guard let entity else { return Self.none }
        let members = old.family(of: entity).filter {
            !$0.isAbstract && match.newEntity(of: $0) != nil
        }
        let root = old.root(of: entity)
        var queries: [String] = []
        for owner in old.lineage(of: entity) {
            for attribute in owner.attributes
            where Self.isMeant(attribute.name, by: name) && !attribute.isTransient {
                let column = old.column(of: attribute.name, in: owner)
                let losers = members.filter { member in
                    !isCarried(column, of: root.name, in: member.name)
                        && countedColumns.insert([root.name, column, member.name]).inserted
                }
                guard !losers.isEmpty else { continue }
                queries.append(
                    "SELECT count(\(SQLText.identifier(column))) FROM "
                        + SQLText.identifier(root.name) + isOf(losers.names, root))
            }
        }
        return Self.sum(queries)
    }

    /// An attribute, or a part of a composite one.
    private static func isMeant(_ attribute: String, by name: String) -> Bool {
        attribute == name || attribute.hasPrefix(name + ".")
    }

    private func isOf(_ members: [String], _ root: Entity) -> String {
        guard old.hasSubentities(root) else { return "" }
        return " WHERE \"_entity\" IN (\(SQLText.literals(members)))"
    }

    /// Whether a new column takes the values of an old one in the rows of an entity.
    private func isCarried(_ column: String, of table: String, in former: String) -> Bool {
        guard let member = old.entity(named: former).flatMap(match.newEntity) else {
            return false
        }
        let origins = origins(of: new.root(of: member)).filter { $0.table.name == table }
        return new.lineage(of: member).contains { entity in
            entity.attributes.contains { attribute in
                !attribute.isTransient && attribute.derivation == nil
                    && origins.contains { origin in
                        origin.sources(of: attribute, in: entity).contains {
                            $0.column == column && $0.entities.contains(former)
                        }
                    }
            }
        }
    }

    private func origins(of root: Entity) -> [RowOrigin] {
        match.origins(of: root).compactMap { origin in
            steps.oldSchema.table(named: origin.oldRoot.name).map {
                RowOrigin(table: $0, origin: origin, match: match)
            }
        }
    }

    /// Returns a query for the values that a fill has changed: they differ from the value that the
    /// new column would have without it. Values of a replaced case are reported for the case.
    func revisedValues(_ name: String, of entity: String) -> String {
        guard let owner = new.entity(named: entity),
            let copy = steps.copies.first(where: {
                $0.table.content == .objects(root: new.root(of: owner).name)
            })
        else { return Self.none }
        let table = SQLText.identifier(present(copy.table.name))
        var queries: [String] = []
        for part in copy.parts {
            guard
                let key = zip(copy.table.columns, part.values).first(where: {
                    $0.0.name == "_id"
                })?.1.old.sql
            else { continue }
            for (column, value) in zip(copy.table.columns, part.values) {
                guard case .attribute(entity, let attribute) = column.content,
                    Self.isMeant(attribute, by: name), value.new != nil
                else { continue }
                var conditions = [
                    "(\(value.old.sql)) IS NOT NULL",
                    "(\(value.old.sql)) COLLATE BINARY IS NOT now.\(SQLText.identifier(column.name))",
                ]
                if let filter = part.filter { conditions.append("(\(filter))") }
                conditions += replacedCases(of: attribute, in: owner, from: part.source)
                    .map { "(\($0)) IS NOT TRUE" }
                queries.append(
                    """
                    SELECT count(*) FROM \(SQLText.identifier(part.source.name)) AS old \
                    JOIN \(table) AS now ON now."_id" = \(key) \
                    WHERE \(conditions.joined(separator: " AND "))
                    """)
            }
        }
        return Self.sum(queries)
    }

    /// Returns conditions on old rows, one for each column of an attribute's values: the value is a
    /// case that the author replaces.
    private func replacedCases(
        of name: String, in entity: Entity, from table: Table
    ) -> [String] {
        guard let attribute = entity.attribute(named: name),
            case .enumeration(let enumeration) = attribute.type
        else { return [] }
        let origins = origins(of: new.root(of: entity)).filter { $0.table.name == table.name }
        return origins.flatMap { origin in
            origin.sources(of: attribute, in: entity).compactMap { source in
                let removed = AttributeConversion.replacements(
                    from: source.attribute.type, in: old, to: enumeration, in: new
                ).map { SQLText.literal($0.gone) }
                guard !removed.isEmpty else { return nil }
                return """
                    \(origin.isOf(source.entities)) AND \
                    old.\(SQLText.identifier(source.column)) IN (\(removed.joined(separator: ", ")))
                    """
            }
        }
    }

    /// Returns a query for the values of a deleted case. They are lost even if a fill gives their
    /// objects another value.
    func values(of name: String, in enumeration: String) -> String {
        var queries: [String] = []
        for before in match.formers(of: enumeration) {
            guard let removed = before.item(named: name),
                let value = old.stored(removed.rawValue, as: .enumeration(before.name))
            else { continue }
            for holder in match.holders(of: enumeration, from: before) {
                for origin in origins(of: new.root(of: holder.entity)) {
                    for source in origin.sources(of: holder.attribute, in: holder.entity)
                    where source.attribute.type == .enumeration(before.name) {
                        guard let root = old.entity(named: origin.table.name) else { continue }
                        let isOf = isOf(source.entities, root)
                        queries.append(
                            "SELECT count(*) FROM \(SQLText.identifier(root.name))"
                                + (isOf.isEmpty ? " WHERE " : "\(isOf) AND ")
                                + "\(SQLText.identifier(source.column)) = \(SQLText.literal(value))"
                        )
                    }
                }
            }
        }
        return Self.sum(queries)
    }
}
