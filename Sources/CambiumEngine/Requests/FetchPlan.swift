/// How a store answers a request: the statement, and how its engine finds the rows. For people, to
/// see whether an index helps; the words are SQLite's and change with its version.
public struct FetchPlan: Sendable, Hashable {
    /// The statement, with `?` for values; nil where the store has no statements.
    public let sql: String?
    /// A line for each step, indented by its depth, such as
    /// `SEARCH t USING INDEX Product_sku (sku=?)`.
    public let steps: [String]

    package init(sql: String?, steps: [String]) {
        self.sql = sql
        self.steps = steps
    }

    /// Whether a step reads a whole table, or an index as a whole.
    public var scansTable: Bool {
        sql == nil || steps.contains { $0.drop { $0 == " " }.hasPrefix("SCAN ") }
    }
}

extension FetchPlan: CustomStringConvertible {
    /// The statement and the steps, line by line.
    public var description: String {
        ([sql].compactMap(\.self) + steps).joined(separator: "\n")
    }
}
