import CambiumPostgres
import Foundation
import RawPostgres

/// Saves and reads on a PostgreSQL server, and the same work straight on libpq, on the same tables, in
/// alternating pairs.
@main
struct PostgresBenchmarks {
    static let usage = """
        usage: PostgresBenchmarks --url URL [--rows N] [--pairs N] [--only insert,update,fetch,fault]

          --url URL    the database; the schema "cambium benchmark" in it is made anew
          --rows N     people, 100000 unless given
          --pairs N    alternating pairs, 9 unless given
          --only LIST  which of the four workloads, all unless given
        """

    static func main() {
        #if DEBUG
            print("Times of a debug build say nothing. Use -c release.")
            exit(64)
        #else
            do {
                try run()
            } catch {
                FileHandle.standardError.write(Data("\(error)\n\(usage)\n".utf8))
                exit(2)
            }
        #endif
    }

    private static func run() throws {
        var url = ""
        var (rows, pairs) = (100_000, 9)
        var names = Workload.allCases
        var rest = CommandLine.arguments.dropFirst()
        while let option = rest.popFirst(), let value = rest.popFirst() {
            switch option {
            case "--url": url = value
            case "--rows": rows = Int(value) ?? rows
            case "--pairs": pairs = Int(value) ?? pairs
            case "--only":
                names = value.split(separator: ",").compactMap { Workload(rawValue: "\($0)") }
            default: throw BenchmarkFailure("Unknown option \(option)")
            }
        }
        let bench = try Bench(url: url, people: People(count: rows))
        print("\(rows) people, \(pairs) pairs; medians in ms")
        for workload in names {
            let (cambium, raw) = try bench.measure(workload, pairs: pairs)
            let ratios = zip(cambium, raw).map { $0 / $1 }
            print(
                "\(workload.rawValue): Cambium \(text(median(cambium))), libpq \(text(median(raw))), "
                    + "ratio \(text(median(ratios))) (goal \(workload.goal))")
        }
    }

    private static func median(_ numbers: [Double]) -> Double {
        numbers.sorted()[numbers.count / 2]
    }

    private static func text(_ number: Double) -> String { String(format: "%.2f", number) }
}

enum Workload: String, CaseIterable {
    /// New people are saved; beside COPY into the same table.
    case insert
    /// The salary of each is changed and saved; beside one UPDATE over arrays.
    case update
    /// All are fetched, and each property is read; beside a loop over a result.
    case fetch
    /// People are read one by one, in random order; beside a prepared statement.
    case fault

    var goal: Double { self == .fault ? 1.3 : 1.4 }
}

struct BenchmarkFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Both sides, on one schema.
struct Bench {
    private static let schema = "cambium benchmark"
    private static let table = "\"cambium benchmark\".\"Person\""

    private let url: String
    private let people: People
    private let server: OpaquePointer

    init(url: String, people: People) throws {
        self.url = url
        self.people = people
        guard let server = raw_server_open(url, Self.table), raw_server_is_open(server) else {
            throw BenchmarkFailure("There is no connection to the server.")
        }
        self.server = server
        try execute("DROP SCHEMA IF EXISTS \"\(Self.schema)\" CASCADE")
        let context = try open().newContext()
        for number in 0..<People.departments { _ = Department(in: context, name: "\(number)") }
        try context.save()
    }

    private func open() throws -> PersistentContainer {
        try PersistentContainer(model: Staff.model, at: .postgres(url, schema: Self.schema))
    }

    private func execute(_ sql: String) throws {
        try require(raw_server_execute(server, sql))
    }

    private func require(_ isDone: Bool) throws {
        if !isDone { throw BenchmarkFailure(String(cString: raw_server_error(server))) }
    }

    /// The milliseconds of each side, pair by pair. Who begins changes.
    func measure(_ workload: Workload, pairs: Int) throws -> (cambium: [Double], raw: [Double]) {
        var (cambium, raw): ([Double], [Double]) = ([], [])
        for pair in 0..<pairs {
            for isCambium in pair % 2 == 0 ? [true, false] : [false, true] {
                try prepare(workload)
                if isCambium {
                    cambium.append(try measureCambium(workload))
                } else {
                    raw.append(try measureRaw(workload))
                }
            }
        }
        return (cambium, raw)
    }

    /// Leaves an empty table, or one with all people.
    private func prepare(_ workload: Workload) throws {
        try execute("TRUNCATE \(Self.table)")
        if workload != .insert { try require(people.withRaw { raw_server_copy(server, $0) }) }
        try execute("VACUUM ANALYZE \(Self.table)")
        try execute("CHECKPOINT")
    }

    private func time(_ body: () throws -> Void) rethrows -> Double {
        let begin = ContinuousClock.now
        try body()
        return (ContinuousClock.now - begin) / .milliseconds(1)
    }

    // MARK: libpq

    private func measureRaw(_ workload: Workload) throws -> Double {
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
            try check(sum.values, rows: Int(sum.rows), of: people.sum)
            return time
        case .fault:
            let keys = people.sample
            return try time {
                try require(raw_server_read(server, Int64(keys.count), keys, &sum))
            }
        }
    }

    private func check(_ values: UInt64, rows: Int, of expected: UInt64) throws {
        guard rows == people.count, values == expected else {
            throw BenchmarkFailure("Different work: \(rows) rows, \(values) and \(expected).")
        }
    }

    // MARK: Cambium

    private func measureCambium(_ workload: Workload) throws -> Double {
        let container = try open()
        let context = container.newContext()
        defer { withExtendedLifetime(container) {} }
        switch workload {
        case .insert:
            let departments = try context.fetch(Department.fetchRequest())
            people.insert(into: context, departments)
            return try time { try context.save() }
        case .update:
            for person in try context.fetch(Person.fetchRequest()) { person.salary += 1 }
            return try time { try context.save() }
        case .fetch:
            var (sum, rows): (UInt64, Int) = (0, 0)
            let time = try time {
                for person in try context.fetch(Person.fetchRequest()) {
                    sum &+= person.sum
                    rows += 1
                }
            }
            try check(sum, rows: rows, of: people.sum)
            return time
        case .fault:
            let other = container.newContext()
            let first = try other.fetch(Person.fetchRequest()).map(\.objectID)
            let ids = Dictionary(uniqueKeysWithValues: first.map { ($0.uri, $0) })
            let wanted = first.isEmpty ? [] : people.sample.map { first[Int($0) - 1] }
            guard ids.count == people.count else { throw BenchmarkFailure("Rows are missing.") }
            let reader = try open()
            let context = reader.newContext()
            let readerIDs = wanted.compactMap { reader.coordinator.objectID(forURI: $0.uri) }
            return time {
                var sum: UInt64 = 0
                for id in readerIDs {
                    if let person = context.object(with: id) as? Person { sum &+= person.sum }
                }
                if sum == 0 { print("Nothing was read.") }
            }
        }
    }
}

extension Person {
    /// What the other side adds up.
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
