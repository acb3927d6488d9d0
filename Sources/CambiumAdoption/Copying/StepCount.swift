import CambiumMigration
import CambiumModel
import CambiumSQL
import CambiumSQLite

/// Counts what the changes of one step take, each when it has its turn.
final class StepCount {
    /// The version that the step leads to.
    let version: String
    let toll: MigrationDataLoss
    /// How much each change has taken.
    private(set) var numbers: [Int]
    /// The entities of the objects that each change has taken.
    private(set) var entities: [Set<String>]
    /// How many links of each relationship are gone.
    private(set) var goneLinks: [Int]

    private let connection: Connection
    private var hasBegun = false
    private var isCopied = false
    private var choices = 0
    /// How many links there were: at first, and when the tables of both versions were there.
    private var first: [Int] = []
    private var left: [Int] = []
    private var beside: [Int?] = []

    init(from old: Model, to new: Model, _ connection: Connection) {
        version = new.version
        toll = MigrationDataLoss(from: old, to: new)
        self.connection = connection
        numbers = toll.losses.map { _ in 0 }
        entities = toll.losses.map { _ in [] }
        goneLinks = toll.links.map { _ in 0 }
    }

    /// Called around each statement of the step.
    func watch(_ moment: MigrationMoment) throws(SQLiteError) {
        switch moment {
        case .before(let statement):
            if !hasBegun { try begin() }
            if !isCopied, toll.endsCopying(statement, after: choices) { try compare() }
        case .after(let statement):
            if case .chooseObjects = statement.operation { try countChoice() }
        }
    }

    /// Called after the step, while it is still known what the entities of the version before it were
    /// called at first.
    func names(by oldNames: (Set<String>) -> Set<String>) {
        entities = entities.map(oldNames)
    }

    /// Called after the step.
    func end() throws(SQLiteError) {
        if !hasBegun { try begin() }
        if !isCopied { try compare() }
        guard toll.takesObjectsLate else { return }
        for (index, links) in toll.links.enumerated() {
            guard let later = links.later, let before = beside[index] else { continue }
            // Links that the step itself has made are nobody's loss.
            let gone = try before - connection.number(later.atEnd)
            goneLinks[index] += max(0, min(gone, left[index]))
        }
    }

    // MARK: Moments

    private func begin() throws(SQLiteError) {
        hasBegun = true
        first = try countLinks()
    }

    private func countLinks() throws(SQLiteError) -> [Int] {
        var counts: [Int] = []
        for links in toll.links { counts.append(try connection.number(links.before)) }
        return counts
    }

    private func countChoice() throws(SQLiteError) {
        defer { choices += 1 }
        guard choices < toll.choices.count else { return }
        let choice = toll.choices[choices]
        for row in try connection.rows(choice.query) {
            guard case .text(let name)? = row.first, case .integer(let count)? = row.last else {
                continue
            }
            numbers[choice.loss] += Int(count)
            entities[choice.loss].insert(choice.entities[name] ?? name)
        }
    }

    /// The old tables, without what was given up, and the new ones are there.
    private func compare() throws(SQLiteError) {
        isCopied = true
        for (index, loss) in toll.losses.enumerated() {
            guard case .counted(let query, let unit) = loss.measure else { continue }
            numbers[index] = try connection.number(query)
            if case .objects(let entity) = unit, numbers[index] > 0 {
                entities[index].insert(entity)
            }
        }
        let copied = toll.takesObjectsEarly ? try countLinks() : first
        for (index, links) in toll.links.enumerated() {
            left.append(try links.left.map(connection.number) ?? 0)
            goneLinks[index] =
                max(0, first[index] - copied[index]) + max(0, copied[index] - left[index])
            let later = toll.takesObjectsLate ? links.later : nil
            beside.append(try (later?.beside).map(connection.number))
        }
    }
}
