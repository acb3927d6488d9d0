/// A side that does the work.
enum Column: String, CaseIterable {
    case cambium, libpq, sqlalchemy

    var title: String { self == .cambium ? "Cambium" : self == .libpq ? "libpq" : "SQLAlchemy" }
}

/// A kind of work.
enum Workload: String, CaseIterable {
    /// Saves new people. The C side uses COPY into the same table.
    case insert
    /// Changes and saves the salary of each person, with a check that the row is unchanged. The C
    /// side uses one UPDATE over arrays.
    case update
    /// Fetches all people, and reads each property. The C side loops over a result.
    case fetch
    /// Reads 10,000 people one by one in random order. The C side uses a prepared statement.
    case fault

    /// The goal for the ratio of Cambium to libpq.
    var goal: Double { self == .fault ? 1.3 : 1.4 }

    /// The names of the methods in the program with SQLAlchemy.
    var wordsOfSQLAlchemy: [String] {
        self == .update ? ["update", "bulk-update"] : [rawValue]
    }
}

/// The measurements of a piece of work.
struct Sample {
    /// The elapsed time in milliseconds.
    var wall: Double
    /// The processor time of the client in milliseconds, without the server's.
    var processor: Double
    /// The processor time of the server's processes in milliseconds. It is 0 if the server is on
    /// another machine, or its processes cannot be inspected.
    var server = 0.0
    /// The processor time of client and server. On a shared machine, it is more reliable than the
    /// elapsed time.
    var total: Double { processor + server }
    /// The part of the time for creating or changing objects before the save.
    var objects = 0.0

    static func + (one: Sample, other: Sample) -> Sample {
        Sample(
            wall: one.wall + other.wall, processor: one.processor + other.processor,
            server: one.server + other.server,
            objects: one.objects + other.objects)
    }
}
