import CambiumModel
import CambiumPlan
import CambiumSQL
import CambiumSQLite

/// What the statements of a chain will have to do, found out by following the tables from statement
/// to statement without running any.
struct ExpectedWork {
    /// How much a table holds.
    struct Amount {
        var rows = 0
        var bytes = 0

        static func + (left: Amount, right: Amount) -> Amount {
            Amount(rows: left.rows + right.rows, bytes: left.bytes + right.bytes)
        }
    }

    /// What a statement costs.
    struct Cost {
        /// How many rows it goes through.
        let rows: Int
        /// What it writes.
        let written: Amount
    }

    private var tables: [String: Amount] = [:]

    /// Measures the tables of a store: goes through them.
    static func measured(in connection: Connection) throws(SQLiteError) -> ExpectedWork {
        let size = try connection.number(ForecastSQL.size)
        var work = ExpectedWork()
        for table in try connection.tableNames {
            work.tables[table] = Amount(
                rows: try connection.number(ForecastSQL.count(of: table)))
        }
        let allRows = work.tables.values.reduce(0) { $0 + $1.rows }
        for (table, amount) in work.tables {
            // Where the library does not tell, each row has its share of the file.
            let bytes =
                (try? connection.number(ForecastSQL.sizeOfTable, [.text(table)]))
                ?? Int(Double(size) * Double(amount.rows) / Double(max(1, allRows)))
            work.tables[table]?.bytes = bytes
        }
        return work
    }

    /// Estimates how many rows the tables of a store have, in no time.
    static func estimated(in connection: Connection) throws(SQLiteError) -> ExpectedWork {
        var work = ExpectedWork()
        for table in try connection.tableNames {
            let rows = try? connection.number(ForecastSQL.estimate(of: table))
            // Pairs of links have no numbers.
            work.tables[table] = Amount(rows: max(0, rows ?? 1_000))
        }
        return work
    }

    /// What the next operation costs.
    mutating func cost(of operation: SchemaOperation) -> Cost {
        switch operation {
        case .createTable(let table):
            tables[table] = Amount()
        case .copyRows(let copy):
            return fill(copy.destination, from: [copy.source])
        case .settleRows(let root, let table):
            return fill(table, from: [TableCopies.workingName(of: root)])
        case .insertRows(let table, let sources), .chooseObjects(let table, let sources):
            return fill(table, from: sources)
        case .updateRows(let table, _), .deleteRows(let table, _):
            let own = amount(of: [table])
            return Cost(rows: own.rows, written: own)
        case .checkRows(let table, let others, _):
            return Cost(rows: amount(of: [table] + others).rows, written: Amount())
        case .createIndex(_, let table, _):
            return Cost(rows: amount(of: [table]).rows, written: Amount())
        case .renameTable(let old, let new):
            tables[new] = tables.removeValue(forKey: old)
        case .dropTable(let table):
            // To free a table is much less than to fill one.
            let rows = tables.removeValue(forKey: table)?.rows ?? 0
            return Cost(rows: rows / 8, written: Amount())
        case .addColumn, .other:
            break
        }
        return Cost(rows: 0, written: Amount())
    }

    private mutating func fill(_ table: String, from sources: [String]) -> Cost {
        let read = amount(of: sources)
        tables[table] = amount(of: [table]) + read
        return Cost(rows: read.rows, written: read)
    }

    private func amount(of names: [String]) -> Amount {
        names.reduce(Amount()) { $0 + (tables[$1] ?? Amount()) }
    }
}

extension Connection {
    fileprivate var tableNames: [String] {
        get throws(SQLiteError) {
            // To count the rows of another one runs what another program has written into the
            // store.
            try rows(StoreObject.query).compactMap(StoreObject.init)
                .filter(\.isOrdinaryTable).map(\.name)
        }
    }

    /// The number that a query gives; 0 where it gives none.
    func number(_ sql: String, _ parameters: [StoredValue] = []) throws(SQLiteError) -> Int {
        Int(try rows(sql, parameters).first?.first?.integer ?? 0)
    }

    /// The same; nil where it fails.
    func count(_ sql: String) -> Int? { try? number(sql) }
}
