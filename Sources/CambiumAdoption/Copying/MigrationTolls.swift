import CambiumModel
import CambiumSQL
import CambiumSQLite

/// Counts what the steps of a migration take out of the new store.
struct MigrationTolls {
    /// How many objects there are.
    private(set) var objects: Int
    /// What took something, in words, in the order of the steps.
    private(set) var losses: [String] = []
    /// The objects that are gone.
    private(set) var takenObjects: [AdoptionReport.TakenObjects] = []
    /// The links that are gone.
    private(set) var takenLinks: [AdoptionReport.TakenLinks] = []

    private let connection: Connection
    /// What the step that comes next may take, and how much there is of it.
    private var next: Step?

    private struct Step {
        let version: String
        let toll: MigrationToll
        let counts: [Int?]
        let links: [Int]
        /// The entities of the objects that each change takes, by their names at first.
        var entities: [Set<String>] = []
    }

    init(_ connection: Connection, objects: Int) {
        self.connection = connection
        self.objects = objects
    }

    /// Called before a step that loses data.
    mutating func prepare(from old: Model, to new: Model) throws(SQLiteError) {
        let toll = MigrationToll(from: old, to: new)
        let counts = try toll.losses.map { loss throws(SQLiteError) -> Int? in
            guard case .counted(let query, _) = loss.measure else { return nil }
            return try connection.number(query)
        }
        let links = try toll.links.map { links throws(SQLiteError) in
            try connection.number(links.before)
        }
        next = Step(version: new.version, toll: toll, counts: counts, links: links)
    }

    /// Called after it, while it is still known what the entities were called at first.
    mutating func names(by oldNames: (Set<String>) -> Set<String>) {
        guard let losses = next?.toll.losses else { return }
        next?.entities = losses.map { loss in
            switch loss.measure {
            case .counted(_, .objects(let entity)): oldNames([entity])
            case .objects(let entities): oldNames(entities)
            case .counted: []
            }
        }
    }

    /// Notes what a step took.
    ///
    /// - Parameter gone: The objects that are gone.
    mutating func take(_ gone: [IdentityTrace.Gone]) throws(SQLiteError) {
        guard let step = next else { return }
        next = nil
        let numbers = hits(of: step, gone)
        for (index, loss) in step.toll.losses.enumerated() where numbers[index] > 0 {
            let number = numbers[index]
            losses.append("\(step.version): \(loss.words): \(number) \(loss.unit(number))")
        }
        for part in gone {
            objects -= part.keys.count
            let changes = step.toll.losses.indices.filter {
                numbers[$0] > 0 && step.entities[$0].contains(part.entity)
            }.map { step.toll.losses[$0].words }
            takenObjects.append(
                .init(
                    entity: part.entity, version: step.version, count: part.keys.count,
                    ids: part.keys, changes: changes))
        }
        for (index, links) in step.toll.links.enumerated() where step.links[index] > 0 {
            let left = try links.after.map { query throws(SQLiteError) in
                try connection.number(query)
            }
            guard step.links[index] > left ?? 0 else { continue }
            takenLinks.append(
                .init(
                    entity: links.entity, relationship: links.relationship,
                    version: step.version, count: step.links[index] - (left ?? 0)))
        }
    }

    /// How much each change took. Objects that no condition asked to go went for the other changes of
    /// their entity.
    private func hits(of step: Step, _ gone: [IdentityTrace.Gone]) -> [Int] {
        step.toll.losses.indices.map { index in
            if let count = step.counts[index] { return count }
            let entities = step.entities[index]
            let all = gone.filter { entities.contains($0.entity) }
                .reduce(0) { $0 + $1.keys.count }
            let others = step.toll.losses.indices.reduce(0) { sum, other in
                guard let count = step.counts[other],
                    case .counted(_, .objects) = step.toll.losses[other].measure,
                    !step.entities[other].isDisjoint(with: entities)
                else { return sum }
                return sum + count
            }
            return max(0, all - others)
        }
    }
}

extension MigrationToll.Loss {
    fileprivate func unit(_ number: Int) -> String {
        let name =
            switch measure {
            case .counted(_, .values): "value"
            case .counted(_, .links): "link"
            case .counted(_, .objects), .objects: "object"
            }
        return number == 1 ? name : name + "s"
    }
}
