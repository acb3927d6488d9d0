import CambiumModel

/// The queries that read a history.
extension PostgresHistorySQL {
    /// The last number, the last removed number, and whether there are transactions without a
    /// number.
    var bounds: PostgresStatement {
        PostgresStatement(
            """
            SELECT "last", "floor", \
            EXISTS (SELECT FROM \(transactions) WHERE "number" IS NULL) FROM \(state)
            """)
    }

    /// The number of transactions, and the dates of the first and the last one.
    var extent: PostgresStatement {
        PostgresStatement("SELECT count(*), min(\"date\"), max(\"date\") FROM \(transactions)")
    }

    /// Selects the transactions after a number, up to a limit.
    func transactions(after number: Int64, limit: Int) -> PostgresStatement {
        var parameters = PostgresParameters()
        parameters.append(.integer(number), as: .bigint)
        parameters.append(.integer(Int64(limit)), as: .bigint)
        return PostgresStatement(
            """
            SELECT "number", "id", "date", "author", "context", "process", "processID", "writer" \
            FROM \(transactions) WHERE "number" > $1 ORDER BY "number" LIMIT $2
            """, parameters)
    }

    /// Selects the changes of transactions, in the order in which they were written.
    ///
    /// - Parameters:
    ///   - entities: The names of the selected entities; nil for all.
    ///   - keys: The keys of the selected objects; nil for all.
    func changes(
        of ids: [Int64], entities: [String]?, keys: [Int64]?
    ) -> PostgresStatement {
        var parameters = PostgresParameters()
        parameters.appendArray(of: ids)
        var conditions = ["\"transaction\" = ANY($1)"]
        if let entities {
            parameters.appendArray(of: .text, count: entities.count) { index, wire in
                wire.append(entities[index])
                return true
            }
            conditions.append("\"entity\" = ANY($\(parameters.count))")
        }
        if let keys {
            parameters.appendArray(of: keys)
            conditions.append("\"key\" = ANY($\(parameters.count))")
        }
        return PostgresStatement(
            """
            SELECT "transaction", "kind", "entity", "key", "properties", "columns", "old", "new" \
            FROM \(changes) WHERE \(conditions.joined(separator: " AND ")) \
            ORDER BY "transaction", "number"
            """, parameters)
    }

    /// Selects the number before the first transaction at or after a date. If there is no such
    /// transaction, there is no row.
    func last(before date: Date) -> PostgresStatement {
        var parameters = PostgresParameters()
        parameters.append(.real(date.timeIntervalSinceReferenceDate), as: .timestamp)
        return PostgresStatement(
            """
            SELECT "number" - 1 FROM \(transactions) WHERE "date" >= $1 ORDER BY "number" LIMIT 1
            """, parameters)
    }
}
