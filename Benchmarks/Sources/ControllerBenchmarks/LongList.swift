import Cambium
import RawSQLite

/// A store with a row for each person of a list, which is sorted by name. The list requests active
/// persons, and all of them are active. Each figure is measured with a new list.
@MainActor
struct LongList {
    private let container: PersistentContainer
    private let rows: Int

    init(rows: Int, path: String) throws {
        self.rows = rows
        container = try PersistentContainer(model: People.model, at: .file(path))
        let context = container.newContext()
        // The rows are not inserted in the order of the list.
        for number in 0..<rows { _ = Person(in: context, name: Self.name(number &* 7919 % rows)) }
        try context.save()
    }

    private static var request: FetchRequest<Person> {
        Person.fetchRequest().filter(Person.isActive == true).sorted(by: Person.name)
    }

    /// Returns a name that fits into a string without an allocation, even with another letter at
    /// the end.
    private static func name(_ number: Int) -> String {
        let digits = String(number)
        return "Person " + String(repeating: "0", count: 7 - digits.count) + digits
    }

    private func controller(
        _ request: FetchRequest<Person>, in context: ManagedObjectContext
    ) throws -> FetchedResultsController<Person> {
        let controller = FetchedResultsController(request, in: context)
        try controller.performFetch()
        return controller
    }

    /// Returns the rows to change, all over the list, and the names that move them over half of the
    /// list.
    private func renames(
        _ count: Int, in controller: FetchedResultsController<Person>, _ letter: String
    ) -> [(person: Person, name: String)] {
        (0..<count).compactMap { number in
            let item = number &* 7919 % rows
            return controller.object(at: ItemPath(section: 0, item: item)).map {
                (person: $0, name: Self.name((item + rows / 2) % rows) + letter)
            }
        }
    }

    /// Measures setting a property in the controller's own context, the save, and receiving the
    /// difference.
    func ownSaves(_ count: Int) async throws -> [Duration] {
        let context = container.newContext()
        let controller = try controller(Self.request, in: context)
        var changes = controller.changes.makeAsyncIterator()
        var times: [Duration] = []
        for (person, name) in renames(count, in: controller, "a") {
            let start = BenchmarkClock.now
            person.name = name
            try context.save()
            let difference = await changes.next(isolation: #isolation)
            times.append(BenchmarkClock.now - start)
            try Self.check(difference, 1)
        }
        return times
    }

    /// Measures setting a property in a background context, the save, and receiving the difference
    /// on the main actor.
    func siblingSaves(_ count: Int) async throws -> [Duration] {
        let background = container.newBackgroundContext()
        let controller = try controller(Self.request, in: container.viewContext)
        var changes = controller.changes.makeAsyncIterator()
        var times: [Duration] = []
        let renames = renames(count, in: controller, "b").map { ($0.person.objectID, $0.name) }
        for (id, name) in renames {
            let start = try await background.perform { context -> ContinuousClock.Instant in
                let person = try context.existingObject(with: id, as: Person.self)
                let start = ContinuousClock.now
                person.name = name
                try context.save()
                return start
            }
            let difference = await changes.next(isolation: #isolation)
            times.append(ContinuousClock.now - start)
            try Self.check(difference, 1)
        }
        return times
    }

    /// Measures setting a property in a child context, its save, and receiving the difference in
    /// the parent.
    func childSaves(_ count: Int) async throws -> [Duration] {
        let context = container.newContext()
        let child = context.newChildContext()
        let controller = try controller(Self.request, in: context)
        var changes = controller.changes.makeAsyncIterator()
        var times: [Duration] = []
        for (parents, name) in renames(count, in: controller, "d") {
            let person = try child.existingObject(with: parents.objectID, as: Person.self)
            let start = BenchmarkClock.now
            person.name = name
            try child.save()
            let difference = await changes.next(isolation: #isolation)
            times.append(BenchmarkClock.now - start)
            try Self.check(difference, 1)
            try context.save()
        }
        return times
    }

    /// Merges 10,000 rows that another context has inserted all over the list, and deletes them
    /// again. It does so several times. The results are the times per row until the rows are in the
    /// list, and until the difference is received.
    func insertions() async throws -> (merged: [Duration], told: [Duration]) {
        let writer = container.newContext()
        let context = container.newContext()
        let controller = try controller(Self.request, in: context)
        var changes = controller.changes.makeAsyncIterator()
        var (merged, told): ([Duration], [Duration]) = ([], [])
        for _ in 0..<5 {
            let added = (0..<10_000).map { number in
                Person(in: writer, name: Self.name(number &* 7919 % rows) + "c")
            }
            try writer.save()
            let start = BenchmarkClock.now
            context.mergePending()
            merged.append((BenchmarkClock.now - start) / added.count)
            let difference = await changes.next(isolation: #isolation)
            told.append((BenchmarkClock.now - start) / added.count)
            try Self.check(difference, added.count)
            guard controller.sections[0].numberOfObjects == rows + added.count else {
                throw BenchmarkError(message: "the list has not taken in what was inserted")
            }
            for person in added { writer.delete(person) }
            try writer.save()
            context.mergePending()
            try Self.check(await changes.next(isolation: #isolation), added.count)
        }
        return (merged, told)
    }

    /// Returns the allocated memory for a row of a list with a batch size, and the part of it for
    /// the sort key.
    func memoryOfRow() throws -> (all: Double, key: Int) {
        var request = Person.fetchRequest().filter(Person.isActive == true).sorted(by: Person.age)
        request.batchSize = 50
        let context = container.newContext()
        // After this, all other memory of a fetch (rows in caches, statements) is already
        // allocated.
        _ = try controller(request, in: context)
        context.reset()
        let before = raw_allocated_bytes()
        let kept = try controller(request, in: context)
        context.reset()
        let after = raw_allocated_bytes()
        return withExtendedLifetime(kept) {
            (Double(after - before) / Double(rows), MemoryLayout<Value>.stride)
        }
    }

    private static func check(
        _ difference: FetchedResultsDifference<Person>?, _ changes: Int
    ) throws {
        guard difference?.changes.count == changes else {
            throw BenchmarkError(message: "\(difference?.changes.count ?? 0) changes were told")
        }
    }
}

struct BenchmarkError: Error, CustomStringConvertible {
    let message: String

    var description: String { message }
}
