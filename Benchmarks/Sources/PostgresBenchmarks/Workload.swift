/// Who does the work.
enum Column: String, CaseIterable {
    case cambium, libpq, sqlalchemy

    var title: String { self == .cambium ? "Cambium" : self == .libpq ? "libpq" : "SQLAlchemy" }
}

/// What is done.
enum Workload: String, CaseIterable {
    /// New people are saved; beside COPY into the same table.
    case insert
    /// The salary of each is changed and saved, if nobody else has changed the person; beside one
    /// UPDATE over arrays.
    case update
    /// All are fetched, and each property is read; beside a loop over a result.
    case fetch
    /// People are read one by one, in random order, those of 10,000 rows; beside a prepared statement.
    case fault

    /// What Cambium may take, beside libpq.
    var goal: Double { self == .fault ? 1.3 : 1.4 }

    /// What the program of SQLAlchemy calls its ways to do it.
    var wordsOfSQLAlchemy: [String] {
        self == .update ? ["update", "bulk-update"] : [rawValue]
    }
}

/// What a piece of work took.
struct Sample {
    /// Milliseconds that went by.
    var wall: Double
    /// Milliseconds of the processor, in the process that asked; the server's are not in it.
    var processor: Double
    /// Those of the server's processes; 0 where it is on another machine, or none to be looked at.
    var server = 0.0
    /// Both: where other programs use the machine, too, this says more than the time.
    var total: Double { processor + server }
    /// The part of the time in which objects were made or changed, before they were saved.
    var objects = 0.0

    static func + (one: Sample, other: Sample) -> Sample {
        Sample(
            wall: one.wall + other.wall, processor: one.processor + other.processor,
            server: one.server + other.server,
            objects: one.objects + other.objects)
    }
}
