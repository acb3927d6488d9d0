import CambiumModel
import CambiumPlan

/// What a step to the next version may take out of a store, and how to find out how much it takes.
///
/// Each change is measured at the moment when it runs: of objects that statements choose before
/// they delete them, how many were chosen; of everything else, what differs while the tables of
/// both versions exist, the new ones filled and the old ones without what was dropped before.
package struct MigrationDataLoss: Sendable {
    /// A change that takes something.
    package struct Loss: Sendable {
        /// What it does, and why, in words.
        package let words: String
        /// How much it takes.
        package let measure: Measure
    }

    /// How much a change takes.
    package enum Measure: Sendable {
        /// The objects of its ``Choice``.
        case choice
        /// What a query counts while the tables of both versions exist.
        case counted(String, Unit)
    }

    /// What a query counts.
    package enum Unit: Sendable {
        case values, links
        /// Objects of an entity of the old version.
        case objects(of: String)
    }

    /// Statements that delete objects: which change they are for, and what they have chosen.
    package struct Choice: Sendable {
        /// The number of the change among the losses.
        package let loss: Int
        /// Counts what was chosen, by entity.
        package let query: String
        /// What the entities that it names are in the old version.
        package let entities: [String: String]
    }

    /// Links of a relationship of the old version, and the queries that count them.
    package struct Links: Sendable {
        package let entity: String
        package let relationship: String
        /// A query of the old tables.
        package let before: String
        /// Those of them that exist while the tables of both versions do; nil where none is.
        package let left: String?
        /// All links of what the relationship is now: while the tables of both versions exist, and
        /// at the end.
        package let later: (beside: String, atEnd: String)?
    }

    /// What takes something, in the order of the changes.
    package let losses: [Loss]
    /// What deletes objects, in the order of the statements.
    package let choices: [Choice]
    /// The relationships of the old version.
    package let links: [Links]

    /// How many of the choices are made in the old tables.
    private let earlyChoices: Int
    private let oldTables: Set<String>

    /// What the step from one version to the next may take.
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
        oldTables = Set(schemas.old.tables.map(\.name))
    }

    /// How many changes between two versions delete data or write other data.
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

    /// Whether the tables of both versions exist, and will not be when a statement has run, or what
    /// it chooses is deleted.
    ///
    /// - Parameter made: How many choices were made before it.
    package func endsCopying(_ statement: MigrationStatement, after made: Int) -> Bool {
        switch statement.operation {
        case .chooseObjects: made >= earlyChoices
        case .dropTable(let table): oldTables.contains(table)
        default: false
        }
    }
}
