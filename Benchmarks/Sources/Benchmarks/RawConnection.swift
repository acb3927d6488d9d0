import RawSQLite

/// A database opened by the C code.
final class RawConnection {
    // Safety: made in `init`, freed once in `deinit`, and used by one isolation only since this
    // class is not Sendable.
    private let database: OpaquePointer

    init(path: String, layout: TableLayout) throws(RawError) {
        let opened = raw_open(
            path, layout.hasForeignKeys, layout.departmentTable, layout.employeeTable,
            layout.idColumn, layout.versionColumn, layout.departmentColumn)
        guard let opened else { throw RawError("out of memory") }
        guard raw_is_open(opened) else {
            let message = String(cString: raw_error(opened))
            raw_close(opened)
            throw RawError("\(path): \(message)")
        }
        database = opened
    }

    deinit {
        raw_close(database)
    }

    func execute(_ sql: String) throws(RawError) {
        try check(raw_execute(database, sql))
    }

    /// Waits for a running checkpoint and completes it.
    func checkpoint() throws(RawError) {
        try check(raw_checkpoint(database))
    }

    func insertDepartments() throws(RawError) {
        try check(raw_insert_departments(database, Int64(Workload.departments)))
    }

    func insert(_ rows: RawRowSet) throws(RawError) {
        try check(raw_insert(database, rows.rows))
    }

    func update(_ rows: RawRowSet) throws(RawError) {
        try check(raw_update(database, rows.rows, 1))
    }

    func delete(_ rows: RawRowSet) throws(RawError) {
        try check(raw_delete(database, rows.rows))
    }

    func scan() throws(RawError) -> Checksum {
        var checksum = RawChecksum()
        try check(raw_scan(database, &checksum))
        return Checksum(checksum)
    }

    func filter() throws(RawError) -> Checksum {
        var checksum = RawChecksum()
        try check(
            raw_filter(
                database, Workload.salaryFloor, Int64(Workload.ageCeiling),
                Int64(Workload.filterLimit), &checksum))
        return Checksum(checksum)
    }

    func lookUp(_ ids: [Int64]) throws(RawError) -> Checksum {
        var checksum = RawChecksum()
        try check(raw_look_up(database, ids, Int64(ids.count), &checksum))
        return Checksum(checksum)
    }

    func traverse() throws(RawError) -> Checksum {
        var checksum = RawChecksum()
        try check(raw_traverse(database, Int64(Workload.departments), &checksum))
        return Checksum(checksum)
    }

    func count() throws(RawError) -> Checksum {
        var checksum = Checksum()
        try check(
            raw_count(
                database, Workload.salaryFloor, Int64(Workload.ageCeiling), &checksum.rows))
        return checksum
    }

    func rename(_ id: Int64, to name: String) throws(RawError) -> Checksum {
        var checksum = RawChecksum()
        try check(raw_rename_and_refetch(database, id, name, &checksum))
        return Checksum(checksum)
    }

    private func check(_ succeeded: Bool) throws(RawError) {
        guard succeeded else { throw RawError(String(cString: raw_error(database))) }
    }
}

/// The data set as values that C can bind.
final class RawRowSet {
    // Safety: made in `init`, freed once in `deinit`, never written after `init`.
    let rows: OpaquePointer

    init(_ dataset: Dataset) throws(RawError) {
        guard let created = raw_rows_create(Int64(dataset.employees.count)) else {
            throw RawError("out of memory")
        }
        rows = created
        for employee in dataset.employees {
            let appended = raw_rows_append(
                created, employee.name, employee.email, employee.salary, Int64(employee.age),
                employee.isActive, employee.hiredAt, Int64(employee.department), employee.note)
            guard appended else { throw RawError("out of memory") }
        }
    }

    deinit {
        raw_rows_free(rows)
    }
}

struct RawError: Error, CustomStringConvertible {
    let description: String

    init(_ message: String) {
        description = "SQLite: \(message)"
    }
}
