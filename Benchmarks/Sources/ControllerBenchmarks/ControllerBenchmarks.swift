import Cambium
import Foundation

/// How long a change takes from the save to the difference in hand, for lists of several lengths.
@main
@MainActor
struct ControllerBenchmarks {
    static let usage = """
        usage: ControllerBenchmarks [--rows N[,N...]] [--changes N]

          --rows N,...  the lengths of the lists, 50000,500000 unless given
          --changes N   changes to take the median of, 200 unless given
        """

    static func main() async {
        do {
            var lengths = [50_000, 500_000]
            var changes = 200
            var rest = CommandLine.arguments.dropFirst()
            while let option = rest.popFirst() {
                guard let value = rest.popFirst() else { throw UsageError() }
                switch option {
                case "--rows": lengths = value.split(separator: ",").compactMap { Int($0) }
                case "--changes": changes = max(1, Int(value) ?? 200)
                default: throw UsageError()
                }
            }
            print("                                       " + "rows      median")
            for length in lengths {
                let list = try LongList(rows: length)
                try await list.measureOwnSaves(changes)
                try await list.measureSiblingSaves(changes)
                try list.measureInsertions()
            }
        } catch {
            FileHandle.standardError.write(Data("\(error)\n\(usage)\n".utf8))
            exit(2)
        }
    }

    private struct UsageError: Error {}
}

/// A list of all rows of a store, sorted by name.
@MainActor
struct LongList {
    private let container: PersistentContainer
    private let controller: FetchedResultsController<Person>
    private let rows: Int

    init(rows: Int) throws {
        self.rows = rows
        container = try PersistentContainer(model: People.model, at: .memory)
        let context = container.newContext()
        for number in 0..<rows { _ = Person(in: context, name: Self.name(number &* 7919 % rows)) }
        try context.save()
        controller = FetchedResultsController(
            Person.fetchRequest().filter(Person.isActive == true).sorted(by: Person.name),
            in: container.viewContext)
        try controller.performFetch()
    }

    private static func name(_ number: Int) -> String {
        let digits = String(number)
        return "Person " + String(repeating: "0", count: 7 - digits.count) + digits
    }

    /// From the save in the controller's own context to the difference.
    func measureOwnSaves(_ count: Int) async throws {
        var changes = controller.changes.makeAsyncIterator()
        var times: [Duration] = []
        for number in 0..<count {
            let item = number &* 7919 % rows
            guard let person = controller.object(at: ItemPath(section: 0, item: item)) else {
                continue
            }
            let start = ContinuousClock.now
            person.name = Self.name((item + rows / 2) % rows) + "a"
            try container.viewContext.save()
            _ = await changes.next(isolation: #isolation)
            times.append(ContinuousClock.now - start)
        }
        report("own save to difference", times)
    }

    /// From the save of a background context to the difference on the main actor.
    func measureSiblingSaves(_ count: Int) async throws {
        let background = container.newBackgroundContext()
        var changes = controller.changes.makeAsyncIterator()
        var times: [Duration] = []
        for number in 0..<count {
            let item = number &* 6007 % rows
            guard let id = controller.object(at: ItemPath(section: 0, item: item))?.objectID else {
                continue
            }
            let name = Self.name((item + rows / 3) % rows) + "b"
            let start = try await background.perform { context in
                let person = try context.existingObject(with: id, as: Person.self)
                let start = ContinuousClock.now
                person.name = name
                try context.save()
                return start
            }
            _ = await changes.next(isolation: #isolation)
            times.append(ContinuousClock.now - start)
        }
        report("sibling's save to difference", times)
    }

    /// Takes 10,000 rows in that another context has saved, each of them somewhere else.
    func measureInsertions() throws {
        let context = container.newContext()
        let changes = controller.changes
        for number in 0..<10_000 {
            _ = Person(in: context, name: Self.name(number &* 7919 % rows) + "c")
        }
        try context.save()
        let start = ContinuousClock.now
        container.viewContext.mergePending()
        report("one of 10,000 inserted rows", [(ContinuousClock.now - start) / 10_000])
        withExtendedLifetime(changes) {}
    }

    private func report(_ name: String, _ times: [Duration]) {
        let median = times.sorted()[times.count / 2]
        let microseconds = Double(median.components.attoseconds) / 1e12
        print(
            name.padding(toLength: 34, withPad: " ", startingAt: 0),
            String(format: "%8d %8.2f µs", rows, microseconds))
    }
}
