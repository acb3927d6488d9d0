import Cambium
import RawSQLite

extension CambiumColumn {
    func measure(_ figure: Figure) throws -> Double {
        switch figure {
        case .registered:
            try lookUpRegistered { context, id in try context.existingObject(with: id) }
        case .registeredObject:
            try lookUpRegistered { context, id in context.registeredObject(for: id) }
        case .getter: try readNumbers(isObservable: false)
        case .observableGetter: try readNumbers(isObservable: true)
        case .memory: try memoryPerRow()
        case .statement: try count(watchedBy: nil)
        case .watchedStatement: try count(watchedBy: StatementHook { _ in })
        }
    }

    /// Reads few objects in random order. With all objects, the time would only be that of two
    /// memory accesses.
    @inline(__always)
    private func lookUpRegistered(
        _ lookUp: (ManagedObjectContext, ObjectID) throws -> ManagedObject?
    ) throws -> Double {
        let context = try container().newContext()
        let employees = try context.fetch(Employee.fetchRequest().limit(2000))
        let ids = employees.map(\.objectID)
        let shuffled = dataset.permutation.compactMap { $0 < ids.count ? ids[$0] : nil }
        let passes = 100
        var found = 0
        var stopwatch = Stopwatch()
        try stopwatch.time {
            for _ in 0..<passes {
                for id in shuffled where try lookUp(context, id) != nil { found += 1 }
            }
        }
        guard found == passes * employees.count else {
            throw RawError("an object is not registered")
        }
        return stopwatch.milliseconds * 1e6 / Double(found)
    }

    /// Reads few objects many times, so that the time is that of the getter.
    private func readNumbers(isObservable: Bool) throws -> Double {
        let context = try container().newContext()
        context.objectsAreObservable = isObservable
        let employees = try context.fetch(Employee.fetchRequest().limit(500))
        var sum = 0.0
        let passes = 1000
        var stopwatch = Stopwatch()
        stopwatch.time {
            for _ in 0..<passes {
                for employee in employees { sum += employee.salary }
            }
        }
        guard sum > 0 else { throw RawError("there are no salaries") }
        return stopwatch.milliseconds * 1e6 / Double(passes * employees.count)
    }

    /// The allocated memory for the objects, their values and their array.
    private func memoryPerRow() throws -> Double {
        let container = try reopened()
        let context = container.newContext()
        // The page cache of the connection is not included.
        _ = try container.newContext().fetch(Employee.fetchRequest().limit(1))
        let before = raw_allocated_bytes()
        let employees = try context.fetch(Employee.fetchRequest())
        let after = raw_allocated_bytes()
        return withExtendedLifetime((context, employees)) {
            Double(after - before) / Double(employees.count)
        }
    }

    private func count(watchedBy hook: StatementHook?) throws -> Double {
        var options = StoreOptions()
        options.statementHook = hook
        let container = try PersistentContainer(
            model: Employees.model, at: .file(path), options: options)
        let context = container.newContext()
        let request = Department.fetchRequest()
        let repetitions = 5000
        var total = try context.count(for: request)
        var stopwatch = Stopwatch()
        try stopwatch.time {
            for _ in 0..<repetitions { total += try context.count(for: request) }
        }
        guard total > 0 else { throw RawError("there are no departments") }
        return stopwatch.milliseconds * 1e6 / Double(repetitions)
    }
}
