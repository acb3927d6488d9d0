import Cambium

/// The columns of the table, the reference first.
@MainActor
func makeColumns(directory: String, dataset: Dataset) throws -> [any Column] {
    let rows = try RawRowSet(dataset)
    // The C code on the schema of a user of Cambium, with every index, check and foreign key.
    let schema = RawColumn(
        name: "raw-schema", directory: directory, dataset: dataset, rows: rows,
        layouts: (.generated, .generatedIndexed)
    ) { path, isIndexed in
        let connection = try RawConnection(path: path, layout: .generated)
        let model = isIndexed ? EmployeesIndexed.model : Employees.model
        for statement in model.schema { try connection.execute(statement) }
    }
    return [
        RawColumn.bare(directory: directory, dataset: dataset, rows: rows),
        schema,
        CambiumColumn(directory: directory, dataset: dataset),
    ]
}

/// The work through Cambium's public, typed interface.
final class CambiumColumn: Column {
    let name = "cambium"
    let dataset: Dataset
    private let files: (plain: StoreFile, indexed: StoreFile, batch: StoreFile)
    private var openContainer: PersistentContainer?

    init(directory: String, dataset: Dataset) {
        self.dataset = dataset
        files = (
            StoreFile(path: "\(directory)/cambium.sqlite", layout: .generated),
            StoreFile(path: "\(directory)/cambium-indexed.sqlite", layout: .generatedIndexed),
            StoreFile(path: "\(directory)/cambium-batch.sqlite", layout: .generated)
        )
    }

    var path: String { files.plain.path }

    static func open(_ path: String, isIndexed: Bool = false) throws -> PersistentContainer {
        try PersistentContainer(
            model: isIndexed ? EmployeesIndexed.model : Employees.model, at: .file(path))
    }

    func beginRound() throws {
        try files.plain.renew { openContainer = try Self.makeDepartments($0) }
        try files.batch.renew { _ = try Self.makeDepartments($0) }
        try files.indexed.renew { path in
            let context = try Self.open(path, isIndexed: true).newContext()
            for number in 1...Workload.departments {
                _ = IndexedDepartment(in: context, name: "Department \(number)")
            }
            try context.save()
        }
    }

    private static func makeDepartments(_ path: String) throws -> PersistentContainer {
        let container = try open(path)
        let context = container.newContext()
        for number in 1...Workload.departments {
            _ = Department(in: context, name: "Department \(number)")
        }
        try context.save()
        return container
    }

    func endRound() {
        openContainer = nil
        files.plain.remove()
        files.indexed.remove()
        files.batch.remove()
    }

    func measure(_ workload: Workload) async throws -> Sample {
        var stopwatch = Stopwatch()
        let file =
            switch workload {
            case .insertIndexed: files.indexed
            case .insertBatch: files.batch
            default: files.plain
            }
        let checksum = try await work(workload, &stopwatch)
        return try .taken(of: workload, stopwatch, checksum, from: file, of: dataset)
    }

    private func work(_ workload: Workload, _ stopwatch: inout Stopwatch) async throws -> Checksum {
        switch workload {
        case .insert: try insert(&stopwatch, in: container())
        case .insertIndexed:
            try insertIndexed(&stopwatch, in: Self.open(files.indexed.path, isIndexed: true))
        case .insertBatch: try insertBatch(&stopwatch, in: Self.open(files.batch.path))
        case .update: try update(&stopwatch, in: container())
        case .delete: try delete(&stopwatch, in: container())
        case .scan:
            try repeated(workload) { container in try scan(&stopwatch, in: container) }
        case .fetch:
            try repeated(workload) { container in try fetch(&stopwatch, in: container) }
        case .refetch:
            try repeated(workload) { container in try refetch(&stopwatch, in: container) }
        case .filter:
            try repeated(workload) { container in try filter(&stopwatch, in: container) }
        case .count:
            try repeated(workload) { container in try count(&stopwatch, in: container) }
        case .traverse:
            try repeated(workload) { container in try traverse(&stopwatch, in: container) }
        case .prefetch:
            try repeated(workload) { container in try prefetch(&stopwatch, in: container) }
        case .lookUp: try lookUp(&stopwatch)
        case .lookUpTogether: try lookUpTogether(&stopwatch)
        case .observe: try await observe(&stopwatch, in: container())
        }
    }

    private func repeated(
        _ workload: Workload, _ body: (PersistentContainer) throws -> Checksum
    ) throws -> Checksum {
        let container = try reopened()
        var checksum = Checksum()
        for _ in 0..<workload.repetitions { checksum = try body(container) }
        return checksum
    }

    func container() throws -> PersistentContainer {
        guard let openContainer else { throw RawError("cambium has no round") }
        return openContainer
    }

    /// Returns a new container, so that its row cache is empty. Its connection has read the table
    /// once, so its page cache is as full as that of the C side.
    func reopened() throws -> PersistentContainer {
        openContainer = nil
        let container = try Self.open(files.plain.path)
        _ = try container.newContext().count(for: Employee.fetchRequest())
        _ = try container.newContext().count(for: Self.filtered)
        openContainer = container
        return container
    }
}
