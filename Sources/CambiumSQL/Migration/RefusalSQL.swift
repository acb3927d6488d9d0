import CambiumModel

/// Statements that fail, with words that say why, where a store has rows that do not fit.
package enum RefusalSQL {
    /// A CHECK is SQLite's way to put words of ours into an error.
    static let table = "_refusal"

    /// A condition that rows have not met yet.
    struct Condition: Hashable {
        /// What is told where a row does not meet it.
        let name: String
        /// SQL over the row.
        let condition: String
        /// The column whose value is to blame, where it is one.
        var column: String?
    }

    /// Fails where a query has a row.
    ///
    /// - Parameter query: The key of an object, and the value that is to blame or NULL.
    static func statements(_ query: String, reason: String) -> [String] {
        [
            "CREATE TABLE \"_refusal\" (\"row\" INTEGER CONSTRAINT "
                + "\(SQLText.identifier(reason)) CHECK (\"row\" IS NULL), \"value\" ANY) STRICT",
            "INSERT INTO \"_refusal\" (\"row\", \"value\")\n\(query)",
            "DROP TABLE \"_refusal\"",
        ]
    }

    /// Fails where a row of a table does not meet one of the conditions, all of which are looked at
    /// in one go.
    ///
    /// - Parameter ofOneRow: Whether one row tells for all, because they have the same values there.
    static func statements(
        _ conditions: [Condition], in table: String, ofOneRow: Bool
    ) -> [String] {
        if conditions.isEmpty { return [] }
        let name = SQLText.identifier(table)
        let source = ofOneRow ? "(SELECT * FROM \(name) LIMIT 1)" : name
        let numbers = conditions.indices.map { "\"\($0 + 1)\"" }
        let checks = zip(numbers, conditions).map { number, condition in
            "\(number) INTEGER CONSTRAINT \(SQLText.identifier(condition.name)) CHECK (\(number))"
        }
        let values = conditions.filter { $0.column != nil }.map {
            "WHEN NOT (\($0.condition)) THEN \($0.column ?? "NULL")"
        }
        let value = values.isEmpty ? "NULL" : "CASE \(values.joined(separator: " ")) END"
        let results = conditions.map { "(\($0.condition)) IS NOT FALSE" }
        let isRefused = conditions.map { "NOT (\($0.condition))" }.joined(separator: " OR ")
        return [
            "CREATE TABLE \"_refusal\" (\n    "
                + (["\"row\" INTEGER", "\"value\" ANY"] + checks).joined(separator: ",\n    ")
                + "\n) STRICT",
            "INSERT INTO \"_refusal\" "
                + "(\((["\"row\"", "\"value\""] + numbers).joined(separator: ", ")))\n"
                + "SELECT \((["\"_id\"", value] + results).joined(separator: ", "))\n"
                + "FROM \(source)\nWHERE \(isRefused) LIMIT 1",
            "DROP TABLE \"_refusal\"",
        ]
    }

    // MARK: Afterwards

    /// The same change of one row alone, whose key is the first parameter.
    ///
    /// - Returns: The table, the query of the keys of all rows that it changes, and the statement;
    ///   nil where the form of the statement is not known.
    package static func changeOfOne(
        _ statement: String
    ) -> (table: String, keys: String, change: String)? {
        guard case .changes(let table) = StatementReach(of: statement).effect else { return nil }
        let name = SQLText.identifier(table)
        let (head, condition) = TableText.split(statement, at: " WHERE ")
        let all = condition.map { " WHERE \($0)" } ?? ""
        return (
            table, "SELECT \"_id\" FROM \(name)\(all) ORDER BY \"_id\"",
            "\(head) WHERE \"_id\" = ?1" + (condition.map { " AND (\($0))" } ?? "")
        )
    }

    /// What finds the rows because of which a statement failed.
    package struct Search: Sendable {
        /// The table that has them.
        package let table: String
        /// What has to run before.
        package let preparation: String?
        /// A query that has the key of the first row first.
        package let query: String
        /// What comes after the key.
        package let rest: Rest
        /// The columns in which two rows are equal.
        package var columns: [String] = []
        /// What kind of value the query tells, in the model's words, where it says so.
        package var valueType: String?

        /// What else a query tells.
        package enum Rest: Sendable {
            /// The value that is to blame, or NULL.
            case value
            /// The key of a second row, which is equal to the first.
            case secondKey
            /// The columns of a new row; these are all of its columns.
            case columns([String])
        }
    }

    /// How to find the rows; nil where the statement's form is not known.
    package static func search(after statement: String) -> Search? {
        let reach = StatementReach(of: statement)
        switch reach.effect {
        case .fills(Self.table):
            guard let table = reach.reads.first, let query = statement.afterFirstLine else {
                return nil
            }
            return Search(
                table: table, preparation: nil, query: query, rest: .value,
                valueType: valueType(in: query))
        case .fills(let table):
            return search(filling: table, statement)
        case .indexes(let table):
            return search(indexing: table, statement)
        default:
            return nil
        }
    }

    /// The type of values that lie in a file of their own, or may.
    package static let externalForm = "data in files"

    /// The name that a query gives to what comes after the key.
    private static func valueType(in query: String) -> String? {
        let line = query.prefix { $0 != "\n" }
        guard line.hasPrefix("SELECT \"_id\", "), let start = line.firstRange(of: " AS \"") else {
            return nil
        }
        return String(line[start.upperBound...].prefix { $0 != "\"" })
    }

    /// A new table takes all rows that it can, and those that it has not are the others.
    private static func search(filling table: String, _ statement: String) -> Search? {
        let start = "INSERT INTO "
        guard let query = statement.afterFirstLine,
            let source = query.nameOfOldTable ?? StatementReach(of: query).reads.first,
            let open = statement.firstIndex(of: "("), let close = statement.firstIndex(of: ")"),
            open < close
        else { return nil }
        let columns = statement[statement.index(after: open)..<close].split(separator: ",").map {
            String($0.drop { $0 == " " }.dropFirst().dropLast())
        }
        guard columns.first == "_id" else { return nil }
        return Search(
            table: source,
            preparation: "INSERT OR IGNORE INTO " + statement.dropFirst(start.count),
            query: "SELECT * FROM (\n\(query)\n)\nWHERE \"_id\" NOT IN (SELECT \"_id\" FROM "
                + "\(SQLText.identifier(table))) LIMIT 1",
            rest: .columns(columns))
    }

    /// Rows that are equal in all columns of an index.
    private static func search(indexing table: String, _ statement: String) -> Search? {
        let name = SQLText.identifier(table)
        guard let range = statement.firstRange(of: " ON \(name) (") else { return nil }
        let rest = statement[range.upperBound...]
        guard let close = rest.firstIndex(of: ")") else { return nil }
        let columns = rest[..<close].split(separator: ",").map { String($0.drop { $0 == " " }) }
        let condition = rest.firstRange(of: "WHERE ").map { String(rest[$0.upperBound...]) }
        let conditions = columns.map { "\($0) IS NOT NULL" } + [condition].compactMap(\.self)
        return Search(
            table: table, preparation: nil,
            query: "SELECT min(\"_id\"), max(\"_id\") FROM \(name)\n"
                + "WHERE \(conditions.joined(separator: " AND "))\n"
                + "GROUP BY \(columns.joined(separator: ", ")) HAVING count(*) > 1 LIMIT 1",
            rest: .secondKey, columns: columns.map { String($0.dropFirst().dropLast()) })
    }
}

extension String {
    /// The table whose rows a query takes over: it may look something up in others before.
    fileprivate var nameOfOldTable: String? {
        firstRange(of: "\" AS old").flatMap { end in
            self[..<end.lowerBound].lastIndex(of: "\"").map {
                String(self[index(after: $0)..<end.lowerBound])
            }
        }
    }

    fileprivate var afterFirstLine: String? {
        firstIndex(of: "\n").map { String(self[index(after: $0)...]) }
    }
}
