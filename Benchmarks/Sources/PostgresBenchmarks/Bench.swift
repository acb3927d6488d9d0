import CambiumPostgres
import Foundation
import RawPostgres
import Synchronization

/// All sides, on one schema.
struct Bench {
    private static let schema = "cambium benchmark"
    private static let table = "\"cambium benchmark\".\"Person\""

    private let options: Options
    private let people: People
    private let server: OpaquePointer
    private let sqlalchemy: SQLAlchemy?

    init(_ options: Options) throws {
        self.options = options
        people = People(count: options.rows)
        guard let server = raw_server_open(options.url, Self.table), raw_server_is_open(server)
        else {
            throw BenchmarkFailure("There is no connection to the server.")
        }
        self.server = server
        if options.columns.contains(.sqlalchemy), let python = options.python,
            let script = options.script
        {
            sqlalchemy = try SQLAlchemy(python, [script, options.url, Self.schema])
        } else {
            sqlalchemy = nil
        }
        try execute("DROP SCHEMA IF EXISTS \"\(Self.schema)\" CASCADE")
        let context = try open().newContext()
        for number in 0..<People.departments { _ = Department(in: context, name: "\(number)") }
        try context.save()
        if let sqlalchemy {
            try prepare(.fetch)
            try sqlalchemy.remember()
        }
    }

    private func open(_ hook: StatementHook? = nil) throws -> PersistentContainer {
        var options = StoreOptions()
        options.statementHook = hook
        return try PersistentContainer(
            model: Staff.model, at: .postgres(self.options.url, schema: Self.schema),
            options: options)
    }

    private func execute(_ sql: String) throws {
        try require(raw_server_execute(server, sql))
    }

    private func require(_ isDone: Bool) throws {
        if !isDone { throw BenchmarkFailure(String(cString: raw_server_error(server))) }
    }

    /// Measures each side in each round. The first side changes with each round.
    func measure(_ workload: Workload) throws -> Results {
        var results = Results()
        results.roundTrips[.libpq] = workload == .insert ? 3 : 1
        if options.columns.contains(.cambium) {
            results.roundTrips[.cambium] = try roundTrips(workload)
        }
        for round in 0..<options.rounds {
            let columns = options.columns
            for place in columns.indices {
                let column = columns[(place + round) % columns.count]
                results.samples[column, default: []].append(try measure(workload, column))
            }
        }
        return results
    }

    private func measure(_ workload: Workload, _ column: Column) throws -> Sample {
        guard column == .sqlalchemy, let sqlalchemy else {
            try prepare(workload)
            return column == .libpq
                ? try measureRaw(workload) : try measureCambium(workload, open())
        }
        // The faster method of the side counts.
        var best: Sample?
        for word in workload.wordsOfSQLAlchemy {
            try prepare(workload)
            let served = serverProcessor
            var sample = try sqlalchemy.measure(word)
            sample.server = max(0, serverProcessor - served)
            if sample.wall < best?.wall ?? .infinity { best = sample }
        }
        return best ?? Sample(wall: 0, processor: 0)
    }

    /// Prepares an empty table, or a table with all people.
    private func prepare(_ workload: Workload) throws {
        try execute("TRUNCATE \(Self.table)")
        if workload != .insert { try require(people.withRaw { raw_server_copy(server, $0) }) }
        try execute("VACUUM ANALYZE \(Self.table)")
        try execute("CHECKPOINT")
    }

    private func time(_ body: () throws -> Void) rethrows -> Sample {
        let served = serverProcessor
        let (begin, processor) = (ContinuousClock.now, Self.processor)
        try body()
        return Sample(
            wall: (ContinuousClock.now - begin) / .milliseconds(1),
            processor: Self.processor - processor, server: max(0, serverProcessor - served))
    }

    /// The processor time of this process in milliseconds.
    private static var processor: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }

    /// The processor time in milliseconds of the server processes that serve clients.
    private var serverProcessor: Double {
        var processes = [Int32](repeating: 0, count: 100)
        let count = raw_server_backends(server, &processes, processes.count)
        return processes[..<count].reduce(0) { sum, process in
            let file = try? String(contentsOfFile: "/proc/\(process)/schedstat", encoding: .utf8)
            return sum + (file?.split(separator: " ").first.flatMap { Double($0) } ?? 0) / 1e6
        }
    }

    // MARK: libpq

    private func measureRaw(_ workload: Workload) throws -> Sample {
        var sum = RawSum()
        let count = Int64(people.count)
        switch workload {
        case .insert:
            return try people.withRaw { raw in
                try time { try require(raw_server_copy(server, raw)) }
            }
        case .update:
            let keys = Array(1...count)
            let salaries = people.salary.map { $0 + 1 }
            return try time { try require(raw_server_update(server, count, keys, salaries)) }
        case .fetch:
            let time = try time { try require(raw_server_fetch(server, &sum)) }
            try check(sum.values, rows: Int(sum.rows), of: people.sum(of: 0..<people.count))
            return time
        case .fault:
            let keys = people.sample.map { Int64($0 + 1) }
            let time = try time {
                try require(raw_server_read(server, Int64(keys.count), keys, &sum))
            }
            try check(sum.values, rows: Int(sum.rows), of: people.sum(of: people.sample))
            return time
        }
    }

    private func check(_ values: UInt64, rows: Int, of expected: (rows: Int, values: UInt64)) throws
    {
        guard rows == expected.rows, values == expected.values else {
            throw BenchmarkFailure("Different work: \(rows) rows, \(values), and not \(expected).")
        }
    }

    // MARK: Cambium

    /// Returns the number of round trips of Cambium. For faults, it is the number for one object.
    private func roundTrips(_ workload: Workload) throws -> Int {
        try prepare(workload)
        let trips = Trips()
        let hook = StatementHook { statement in
            if let trip = statement.roundTrip { trips.note(trip) }
        }
        _ = try measureCambium(workload, open(hook), trips)
        return workload == .fault ? trips.count / people.sample.count : trips.count
    }

    /// The number of round trips that the statement hook has counted.
    private final class Trips: Sendable {
        private let numbers = Mutex<Set<Int>>([])

        var count: Int { numbers.withLock { $0.count } }

        func note(_ number: Int) { numbers.withLock { _ = $0.insert(number) } }

        func forget() { numbers.withLock { $0 = [] } }
    }

    private func measureCambium(
        _ workload: Workload, _ container: PersistentContainer, _ trips: Trips? = nil
    ) throws -> Sample {
        let context = container.newContext()
        defer { withExtendedLifetime(container) {} }
        switch workload {
        case .insert:
            let departments = try context.fetch(Department.fetchRequest())
            // When objects are created, keys are reserved with one round trip for each block.
            trips?.forget()
            var objects: [Person] = []
            let making = time { objects = people.insert(into: context, departments) }
            let saving = try time { try context.save() }
            withExtendedLifetime(objects) {}
            return total(making, saving)
        case .update:
            let persons = try context.fetch(Person.fetchRequest())
            trips?.forget()
            let changing = time { for person in persons { person.salary += 1 } }
            return total(changing, try time { try context.save() })
        case .fetch:
            trips?.forget()
            var (sum, rows): (UInt64, Int) = (0, 0)
            var persons: [Person] = []
            let time = try time {
                persons = try context.fetch(Person.fetchRequest())
                for person in persons {
                    sum &+= person.sum
                    rows += 1
                }
            }
            try check(sum, rows: rows, of: people.sum(of: 0..<people.count))
            return time
        case .fault:
            // Another context has fetched the identities, and this one has no objects.
            let ids = try container.newContext().fetch(Person.fetchRequest()).map(\.objectID)
            let wanted = people.sample.map { ids[$0] }
            trips?.forget()
            var (sum, rows): (UInt64, Int) = (0, 0)
            let time = time {
                for id in wanted {
                    guard let person = context.object(with: id) as? Person else { continue }
                    sum &+= person.sum
                    rows += 1
                }
            }
            try check(sum, rows: rows, of: people.sum(of: people.sample))
            return time
        }
    }

    private func total(_ objects: Sample, _ saving: Sample) -> Sample {
        var total = objects + saving
        total.objects = objects.wall
        return total
    }
}

extension Person {
    /// The sum of the other side.
    fileprivate var sum: UInt64 {
        func sum(of text: String) -> UInt64 {
            UInt64(text.utf8.count) + UInt64(text.utf8.first ?? 0)
        }
        var sum = sum(of: name) + sum(of: email) + (note.map { sum(of: $0) } ?? 0)
        sum &+= salary.bitPattern
        sum &+= UInt64(age) &+ UInt64(bitPattern: level) &+ UInt64(bitPattern: points)
        sum &+= isActive ? 1 : 0
        // Whole seconds since 2000, a leap year.
        sum &+= UInt64(hiredAt.timeIntervalSinceReferenceDate + 366 * 86_400)
        return sum &+ UInt64(code.uuid.15)
    }
}
