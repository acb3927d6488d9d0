/// The work by hand on the C API.
final class RawColumn: Column {
    /// Creates an empty store at a path, with or without the indexes of W9.
    typealias Maker = @MainActor (_ path: String, _ isIndexed: Bool) throws -> Void

    let name: String
    private let dataset: Dataset
    private let rows: RawRowSet
    private let layouts: (plain: TableLayout, indexed: TableLayout)
    private let files: (plain: StoreFile, indexed: StoreFile, batch: StoreFile)
    private let make: Maker
    private var connection: RawConnection?
    private let shuffledIDs: [Int64]

    init(
        name: String, directory: String, dataset: Dataset, rows: RawRowSet,
        layouts: (plain: TableLayout, indexed: TableLayout), make: @escaping Maker
    ) {
        self.name = name
        self.dataset = dataset
        self.rows = rows
        self.layouts = layouts
        self.make = make
        files = (
            StoreFile(path: "\(directory)/\(name).sqlite", layout: layouts.plain),
            StoreFile(path: "\(directory)/\(name)-indexed.sqlite", layout: layouts.indexed),
            StoreFile(path: "\(directory)/\(name)-batch.sqlite", layout: layouts.plain)
        )
        shuffledIDs = dataset.permutation.map { Int64($0 + 1) }
    }

    /// The column on a table with only the parts that an insert needs.
    static func bare(directory: String, dataset: Dataset, rows: RawRowSet) -> RawColumn {
        RawColumn(
            name: "raw-bare", directory: directory, dataset: dataset, rows: rows,
            layouts: (.bare, .bare)
        ) { path, isIndexed in
            let connection = try RawConnection(path: path, layout: .bare)
            try connection.execute(
                isIndexed ? TableLayout.bareIndexedSchema : TableLayout.bareSchema)
        }
    }

    func beginRound() throws {
        try files.plain.renew { try make($0, false) }
        try files.indexed.renew { try make($0, true) }
        try files.batch.renew { try make($0, false) }
        let connection = try RawConnection(path: files.plain.path, layout: layouts.plain)
        try connection.insertDepartments()
        self.connection = connection
    }

    func endRound() {
        connection = nil
        files.plain.remove()
        files.indexed.remove()
        files.batch.remove()
    }

    func measure(_ workload: Workload) throws -> Sample {
        if workload == .insertIndexed {
            return try measureInsert(workload, into: files.indexed, layouts.indexed)
        }
        if workload == .insertBatch {
            return try measureInsert(workload, into: files.batch, layouts.plain)
        }
        guard let connection else { throw RawError("\(name) has no round") }
        var stopwatch = Stopwatch()
        var checksum = Checksum()
        for _ in 0..<workload.repetitions {
            checksum = try stopwatch.time { try work(workload, on: connection) }
        }
        return try sample(workload, stopwatch, checksum, files.plain)
    }

    private func measureInsert(
        _ workload: Workload, into file: StoreFile, _ layout: TableLayout
    ) throws -> Sample {
        let connection = try RawConnection(path: file.path, layout: layout)
        try connection.insertDepartments()
        var stopwatch = Stopwatch()
        try stopwatch.time { try connection.insert(rows) }
        return try sample(workload, stopwatch, Checksum(), file)
    }

    private func work(_ workload: Workload, on connection: RawConnection) throws -> Checksum {
        var checksum = Checksum()
        switch workload {
        case .insert, .insertIndexed, .insertBatch: try connection.insert(rows)
        case .update: try connection.update(rows)
        case .delete: try connection.delete(rows)
        case .scan, .fetch, .refetch: checksum = try connection.scan()
        case .filter: checksum = try connection.filter()
        case .lookUp, .lookUpTogether: checksum = try connection.lookUp(shuffledIDs)
        case .traverse, .prefetch: checksum = try connection.traverse()
        case .count: checksum = try connection.count()
        case .observe:
            for (index, name) in dataset.renames {
                checksum = try connection.rename(Int64(index + 1), to: name)
            }
        }
        return checksum
    }

    private func sample(
        _ workload: Workload, _ stopwatch: Stopwatch, _ checksum: Checksum, _ file: StoreFile
    ) throws -> Sample {
        try .taken(of: workload, stopwatch, checksum, from: file, of: dataset)
    }
}
