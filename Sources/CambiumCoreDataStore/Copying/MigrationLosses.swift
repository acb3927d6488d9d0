import CambiumMigration
import CambiumModel
import CambiumSQL
import CambiumSQLite

/// The data that the steps of a migration delete from the new store.
struct MigrationLosses {
    /// The number of objects.
    private(set) var objects: Int
    /// The changes that deleted something, in words, in the order of the steps.
    private(set) var losses: [String] = []
    /// The deleted objects.
    private(set) var deletedObjects: [CoreDataImportReport.DeletedObjects] = []
    /// The deleted links.
    private(set) var deletedLinks: [CoreDataImportReport.DeletedLinks] = []

    /// Adds the data that a step deleted.
    mutating func add(
        _ step: StepLosses, _ deleted: [IdentityTrace.DeletedObjects]
    ) throws(SQLiteError) {
        try step.end()
        for (loss, number) in zip(step.dataLoss.losses, step.numbers) where number > 0 {
            losses.append("\(step.version): \(loss.words): \(number) \(loss.unit(number))")
        }
        for part in deleted {
            objects -= part.keys.count
            let changes = zip(step.dataLoss.losses, step.entities)
                .filter { $0.1.contains(part.entity) }.map(\.0.words)
            deletedObjects.append(
                .init(
                    entity: part.entity, version: step.version, count: part.keys.count,
                    ids: part.keys, changes: changes))
        }
        for (links, number) in zip(step.dataLoss.links, step.deletedLinks) where number > 0 {
            deletedLinks.append(
                .init(
                    entity: links.entity, relationship: links.relationship,
                    version: step.version, count: number))
        }
    }

    /// The report after the first steps of a migration; nil if there was no step.
    func report(
        of migrationPath: StoreMigrationPath, taken: Int, blocker: String?
    ) -> CoreDataImportReport.MigrationCount? {
        guard taken > 0 || blocker != nil else { return nil }
        let end = taken > 0 ? migrationPath.models[taken - 1].version : migrationPath.first.version
        return CoreDataImportReport.MigrationCount(
            from: migrationPath.first.version, to: end,
            versions: migrationPath.models.prefix(taken).map(\.version),
            losses: losses, objects: deletedObjects, links: deletedLinks,
            stoppedAt: blocker == nil ? nil : end, reason: blocker)
    }
}

extension MigrationDataLoss.Loss {
    fileprivate func unit(_ number: Int) -> String {
        let name =
            switch measure {
            case .counted(_, .values): "value"
            case .counted(_, .links): "link"
            case .counted(_, .objects), .choice: "object"
            }
        return number == 1 ? name : name + "s"
    }
}

/// Counts the data that the changes of one step delete, while the step runs.
final class StepLosses {
    /// The version after the step.
    let version: String
    let dataLoss: MigrationDataLoss
    /// The amount of data that each change has deleted.
    private(set) var numbers: [Int]
    /// The entities of the objects that each change has deleted.
    private(set) var entities: [Set<String>]
    /// The number of deleted links of each relationship.
    private(set) var deletedLinks: [Int]

    private let connection: Connection
    private var hasBegun = false
    private var isCopied = false
    private var choices = 0
    /// The numbers of links: at the beginning, and while the tables of both versions existed.
    private var first: [Int] = []
    private var left: [Int] = []
    private var beside: [Int?] = []

    init(from old: Model, to new: Model, _ connection: Connection) {
        version = new.version
        dataLoss = MigrationDataLoss(from: old, to: new)
        self.connection = connection
        numbers = dataLoss.losses.map { _ in 0 }
        entities = dataLoss.losses.map { _ in [] }
        deletedLinks = dataLoss.links.map { _ in 0 }
    }

    /// Called around each statement of the step.
    func watch(_ moment: MigrationMoment) throws(SQLiteError) {
        switch moment {
        case .before(let statement):
            if !hasBegun { try begin() }
            if !isCopied, dataLoss.endsCopying(statement, after: choices) { try compare() }
        case .after(let statement):
            if case .chooseObjects = statement.operation { try countChoice() }
        }
    }

    /// Called after the step, while the original names of the entities are still known.
    func names(by oldNames: (Set<String>) -> Set<String>) {
        entities = entities.map(oldNames)
    }

    /// Called after the step.
    func end() throws(SQLiteError) {
        if !hasBegun { try begin() }
        if !isCopied { try compare() }
        guard dataLoss.takesObjectsLate else { return }
        for (index, links) in dataLoss.links.enumerated() {
            guard let later = links.later, let before = beside[index] else { continue }
            // Links that the step itself created are not a loss.
            let deleted = try before - connection.number(later.atEnd)
            deletedLinks[index] += max(0, min(deleted, left[index]))
        }
    }

    // MARK: Moments

    private func begin() throws(SQLiteError) {
        hasBegun = true
        first = try countLinks()
    }

    private func countLinks() throws(SQLiteError) -> [Int] {
        var counts: [Int] = []
        for links in dataLoss.links { counts.append(try connection.number(links.before)) }
        return counts
    }

    private func countChoice() throws(SQLiteError) {
        defer { choices += 1 }
        guard choices < dataLoss.choices.count else { return }
        let choice = dataLoss.choices[choices]
        for row in try connection.rows(choice.query) {
            guard let name = row.first?.text, let count = row.last?.integer else { continue }
            numbers[choice.loss] += Int(count)
            entities[choice.loss].insert(choice.entities[name] ?? name)
        }
    }

    /// Called when the old tables, without explicitly dropped data, and the new ones exist.
    private func compare() throws(SQLiteError) {
        isCopied = true
        for (index, loss) in dataLoss.losses.enumerated() {
            guard case .counted(let query, let unit) = loss.measure else { continue }
            numbers[index] = try connection.number(query)
            if case .objects(let entity) = unit, numbers[index] > 0 {
                entities[index].insert(entity)
            }
        }
        let copied = dataLoss.takesObjectsEarly ? try countLinks() : first
        for (index, links) in dataLoss.links.enumerated() {
            left.append(try links.left.map(connection.number) ?? 0)
            deletedLinks[index] =
                max(0, first[index] - copied[index]) + max(0, copied[index] - left[index])
            let later = dataLoss.takesObjectsLate ? links.later : nil
            beside.append(try (later?.beside).map(connection.number))
        }
    }
}
