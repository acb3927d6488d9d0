import Cambium

/// Look-ups of objects by known ids, in another order than that of the rows.
extension CambiumColumn {
    /// Every look-up reads the database: the context that fetched the ids was released, and the
    /// context that looks them up has no objects.
    func lookUp(_ stopwatch: inout Stopwatch) throws -> Checksum {
        let container = try reopened()
        let shuffled = try shuffledIDs(in: container)
        let context = container.newContext()
        var checksum = Checksum()
        var kept: [Employee] = []
        kept.reserveCapacity(shuffled.count)
        try stopwatch.time {
            for id in shuffled {
                guard let employee = try context.existingObject(with: id) as? Employee else {
                    continue
                }
                Self.touch(employee, &checksum)
                kept.append(employee)
            }
        }
        return withExtendedLifetime(kept) { checksum }
    }

    /// Fetches the objects of known ids together, and then reads them in the order of the ids.
    func lookUpTogether(_ stopwatch: inout Stopwatch) throws -> Checksum {
        let container = try reopened()
        let shuffled = try shuffledIDs(in: container)
        let context = container.newContext()
        var checksum = Checksum()
        let fetched = try stopwatch.time {
            let fetched = try context.fetch(
                Employee.fetchRequest().filter(Employee.objectID.in(shuffled)))
            for id in shuffled {
                guard let employee = context.registeredObject(for: id) as? Employee else {
                    continue
                }
                Self.touch(employee, &checksum)
            }
            return fetched
        }
        return withExtendedLifetime(fetched) { checksum }
    }

    private func shuffledIDs(in container: PersistentContainer) throws -> [ObjectID] {
        let ids = try container.newContext().fetch(Employee.fetchRequest()).map(\.objectID)
        return dataset.permutation.map { ids[$0] }
    }
}
