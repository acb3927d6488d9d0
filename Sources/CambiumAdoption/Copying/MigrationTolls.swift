import CambiumSQL
import CambiumSQLite

/// What the steps of a migration take out of the new store.
struct MigrationTolls {
    /// How many objects there are.
    private(set) var objects: Int
    /// What took something, in words, in the order of the steps.
    private(set) var losses: [String] = []
    /// The objects that are gone.
    private(set) var takenObjects: [CoreDataImportReport.TakenObjects] = []
    /// The links that are gone.
    private(set) var takenLinks: [CoreDataImportReport.TakenLinks] = []

    /// Notes what a step took.
    ///
    /// - Parameters:
    ///   - step: What its changes took.
    ///   - gone: The objects that are gone.
    mutating func take(_ step: StepCount, _ gone: [IdentityTrace.Gone]) throws(SQLiteError) {
        try step.end()
        for (loss, number) in zip(step.toll.losses, step.numbers) where number > 0 {
            losses.append("\(step.version): \(loss.words): \(number) \(loss.unit(number))")
        }
        for part in gone {
            objects -= part.keys.count
            let changes = zip(step.toll.losses, step.entities)
                .filter { $0.1.contains(part.entity) }.map(\.0.words)
            takenObjects.append(
                .init(
                    entity: part.entity, version: step.version, count: part.keys.count,
                    ids: part.keys, changes: changes))
        }
        for (links, number) in zip(step.toll.links, step.goneLinks) where number > 0 {
            takenLinks.append(
                .init(
                    entity: links.entity, relationship: links.relationship,
                    version: step.version, count: number))
        }
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
