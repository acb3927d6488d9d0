import CambiumModel
import CambiumSQL
import CambiumSQLite

/// Copies the rows of one table, all at once. If a row does not fit, it halves the range until it
/// finds the row.
struct ObjectCopier {
    private let table: CoreDataImportRun.ObjectTable
    private let model: Model
    private let connection: Connection
    private let statement: String
    private let statementOfPart: String
    private(set) var refused: [CoreDataImportReport.RefusedRow] = []
    /// Whether all rows fit, and were copied by one statement.
    private(set) var copiedAtOnce = true
    /// The number of copied rows.
    private(set) var copied = 0

    init(_ table: CoreDataImportRun.ObjectTable, _ model: Model, _ connection: Connection) {
        self.table = table
        self.model = model
        self.connection = connection
        statement = table.sql.copy
        statementOfPart = table.sql.copyPart
    }

    /// - Throws: If fewer rows can be read than were counted, because pages of the table are
    ///   damaged.
    mutating func copy() throws {
        copiedAtOnce = try run(statement, []) == nil
        if !copiedAtOnce {
            let (first, last) = (max(1, table.extent.first), table.extent.last)
            if first <= last { try copy(first, last) }
        }
        if copied + refused.count < table.extent.rows { try refuseUnknownRows() }
        guard copied + refused.count == table.extent.rows else {
            throw SQLiteError(
                code: Self.corrupt,
                message: "\(table.object.table) has \(table.extent.rows) rows, and "
                    + "\(copied + refused.count) can be read")
        }
    }

    private static let corrupt: Int32 = 11

    private mutating func copy(_ first: Int64, _ last: Int64) throws {
        guard let error = try run(statementOfPart, [.integer(first), .integer(last)]) else {
            return
        }
        guard first < last else { return try refuse(first, error) }
        let middle = first + (last - first) / 2
        try copy(first, middle)
        try copy(middle + 1, last)
    }

    /// Copies rows.
    ///
    /// - Returns: The error of a row that breaks a constraint; nil if all rows were copied. After
    ///   an error, no rows are copied.
    private mutating func run(_ sql: String, _ values: [StoredValue]) throws -> SQLiteError? {
        do throws(SQLiteError) {
            let statement = try connection.statement(sql)
            try statement.bind(values)
            try statement.run()
            copied += connection.changes
            return nil
        } catch {
            let codesOfRows: Set<Int32> = [19, 20]  // constraint, type
            guard codesOfRows.contains(error.primaryCode) else { throw error }
            return error
        }
    }

    private mutating func refuse(_ key: Int64, _ error: SQLiteError) throws {
        let number = try connection.rows(table.sql.entityNumber, [.integer(key)]).first?.first
        let entity = table.object.entities.first { .integer($0.number) == number }?.entity
        let reason = RefusalReason(model: model, root: table.object.root)
        let found = reason.of(error, entity: entity) { property in
            // A value that cannot be read again is not shown.
            table.sql.valueQuery(property, of: entity)
                .flatMap { try? connection.rows($0, [.integer(key)]).first }
        }
        refused.append(
            .init(
                entity: entity?.name ?? table.object.root.name, id: key, property: found.property,
                reason: found.reason))
    }

    private mutating func refuseUnknownRows() throws(SQLiteError) {
        for row in try connection.rows(table.sql.unknownRows) {
            guard let key = row[0].integer else { continue }
            let entity = table.object.entities.first { .integer($0.number) == row[1] }?.entity.name
            var reason = "keys are greater than 0"
            if entity == nil {
                reason =
                    if let number = row[1].integer {
                        "the version has no objects of an entity with the number \(number)"
                    } else {
                        "the row has no entity"
                    }
            }
            refused.append(
                .init(
                    entity: entity ?? table.object.root.name, id: key, property: nil,
                    reason: reason))
        }
    }
}

/// The number of rows and keys in a table of Core Data.
struct SourceCounts {
    /// The number of rows.
    let rows: Int
    /// The least and the greatest key.
    let (first, last): (Int64, Int64)
    /// The number of rows of each entity.
    let entities: [(entity: String, count: Int)]
    /// The number of rows with a key, for each to-one relationship.
    let keys: [Int]

    /// Reads the row of ``ObjectCopySQL/counts``, or its beginning.
    init(_ object: CoreDataLayout.ObjectSource, _ rows: [[StoredValue]]) {
        let numbers = (rows.first ?? []).map { $0.integer ?? 0 }
        func number(_ index: Int) -> Int64 { index < numbers.count ? numbers[index] : 0 }
        self.rows = Int(number(0))
        (first, last) = (number(1), number(2))
        entities = object.entities.enumerated().map { index, pair in
            (pair.entity.name, Int(number(3 + index)))
        }
        let start = 3 + object.entities.count
        keys = object.keys.indices.map { Int(number(start + $0)) }
    }
}

extension Connection {
    /// The one number that a query gives.
    func number(_ sql: String) throws(SQLiteError) -> Int {
        Int(try rows(sql).first?.first?.integer ?? 0)
    }
}
