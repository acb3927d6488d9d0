import Foundation

/// Measures saves and reads on a PostgreSQL server. The same work runs directly on libpq and with
/// SQLAlchemy, alternately on the same tables.
@main
struct PostgresBenchmarks {
    static let usage = """
        usage: PostgresBenchmarks --url URL [--rows N] [--rounds N] [--only LIST] [--columns LIST]
                                  [--python PROGRAM --script FILE]

          --url URL         the database; the schema "cambium benchmark" in it is made anew
          --rows N          people, 100000 unless given
          --rounds N        rounds, in which each side does each work once; 9 unless given
          --only LIST       of insert,update,fetch,fault; all unless given
          --columns LIST    of cambium,libpq,sqlalchemy: for a profiler that is to see one side alone
          --python PROGRAM  a Python that has SQLAlchemy and psycopg; without it that side is left out
          --script FILE     sqlalchemy/people.py
        """

    static func main() {
        #if DEBUG
            print("Times of a debug build say nothing. Use -c release.")
            exit(64)
        #else
            do {
                try run(Options(CommandLine.arguments.dropFirst()))
            } catch {
                FileHandle.standardError.write(Data("\(error)\n\(usage)\n".utf8))
                exit(2)
            }
        #endif
    }

    private static func run(_ options: Options) throws {
        let bench = try Bench(options)
        print("\(options.rows) people, \(options.rounds) rounds; medians in ms")
        let report = Report(options)
        for workload in options.workloads { report.add(workload, try bench.measure(workload)) }
        print(report.text)
    }
}

/// The options of the command line.
struct Options {
    var url = ""
    var (rows, rounds) = (100_000, 9)
    var workloads = Workload.allCases
    var columns = Column.allCases
    var (python, script): (String?, String?)

    init(_ arguments: ArraySlice<String>) throws {
        var rest = arguments
        func list<Word: RawRepresentable<String>>(_ words: String) throws -> [Word] {
            try words.split(separator: ",").map { word in
                guard let known = Word(rawValue: "\(word)") else {
                    throw BenchmarkFailure("'\(word)' is unknown.")
                }
                return known
            }
        }
        while let option = rest.popFirst() {
            guard let value = rest.popFirst() else {
                throw BenchmarkFailure("\(option) needs a value.")
            }
            switch option {
            case "--url": url = value
            case "--rows": rows = Int(value) ?? rows
            case "--rounds": rounds = Int(value) ?? rounds
            case "--only": workloads = try list(value)
            case "--columns": columns = try list(value)
            case "--python": python = value
            case "--script": script = value
            default: throw BenchmarkFailure("The option \(option) is unknown.")
            }
        }
        if python == nil || script == nil { columns.removeAll { $0 == .sqlalchemy } }
    }
}

struct BenchmarkFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
