import CambiumModel
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

    /// What the next statement costs.
    mutating func cost(of sql: String) -> Cost {
        let reach = StatementReach(of: sql)
        let read = reach.reads.reduce(Amount()) { $0 + (tables[$1] ?? Amount()) }
        switch reach.effect {
        case .makes(let table):
            tables[table] = Amount()
        case .fills(let table):
            if reach.isCheck { break }
            tables[table] = (tables[table] ?? Amount()) + read
            return Cost(rows: read.rows, written: read)
        case .changes(let table), .thins(let table):
            let own = tables[table] ?? Amount()
            return Cost(rows: own.rows, written: own)
        case .indexes(let table):
            return Cost(rows: tables[table]?.rows ?? 0, written: Amount())
        case .renames(let old, let new):
            tables[new] = tables.removeValue(forKey: old)
        case .drops(let table):
            let own = tables.removeValue(forKey: table) ?? Amount()
            // To free a table is much less than to fill one.
            return Cost(rows: own.rows / 8, written: Amount())
        case .other:
            break
        }
        return Cost(rows: read.rows, written: Amount())
    }
}

extension Connection {
    fileprivate var tableNames: [String] {
        get throws(SQLiteError) {
            // To count the rows of another one runs what somebody has written into the store.
            try rows(StoreObject.query).compactMap(StoreObject.init)
                .filter(\.isOrdinaryTable).map(\.name)
        }
    }

    fileprivate func number(
        _ sql: String, _ parameters: [StoredValue] = []
    ) throws(SQLiteError) -> Int {
        guard case .integer(let number)? = try rows(sql, parameters).first?.first else { return 0 }
        return Int(number)
    }
}
