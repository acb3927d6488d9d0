import CambiumModel
import CambiumSQL
import CambiumSQLite

/// Copies the rows of one table, all at once; where one does not fit, halves them until it is
/// known.
struct ObjectCopier {
    private let table: AdoptionRun.ObjectTable
    private let model: Model
    private let connection: Connection
    private let statement: String
    private let statementOfPart: String
    private(set) var refused: [CoreDataImportReport.RefusedRow] = []
    /// Whether all rows were copied at once, as each of them fits.
    private(set) var isWhole = true
    /// How many rows were copied.
    private(set) var copied = 0

    init(_ table: AdoptionRun.ObjectTable, _ model: Model, _ connection: Connection) {
        self.table = table
        self.model = model
        self.connection = connection
        statement = table.sql.copy
        statementOfPart = table.sql.copyPart
    }

    /// - Throws: Where the rows do not come one after the other as they are counted, too: pages of
    ///   the table are damaged then.
    mutating func copy() throws {
        isWhole = try run(statement, []) == nil
        if !isWhole {
            let (first, last) = (max(1, table.extent.first), table.extent.last)
            if first <= last { try copy(first, last) }
        }
        if copied + refused.count < table.extent.rows { try refuseStrangers() }
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
    /// - Returns: What one of them breaks; none was copied then.
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

    private mutating func refuseStrangers() throws(SQLiteError) {
        for row in try connection.rows(table.sql.strangers) {
            guard case .integer(let key) = row[0] else { continue }
            let entity = table.object.entities.first { .integer($0.number) == row[1] }?.entity.name
            var reason = "keys are greater than 0"
            if entity == nil {
                reason =
                    if case .integer(let number) = row[1] {
                        "the version has no objects of an entity with the number \(number)"
                    } else {
                        "the row does not say what entity it is of"
                    }
            }
            refused.append(
                .init(
                    entity: entity ?? table.object.root.name, id: key, property: nil,
                    reason: reason))
        }
    }
}
