import CambiumPostgresSQL
import CambiumRecords

/// Records in the form that a statement reads: an array for each column. `unnest` combines the
/// arrays into rows.
struct PendingArrays {
    let parameters: PostgresParameters
    /// The text after FROM: `unnest($1, $2, …) AS p("key", "version", "c0", …)`.
    let source: String

    /// - Parameter slots: The slots whose values are sent, with their types.
    init(_ records: [Record], _ slots: [(slot: Int, type: PostgresType)] = []) {
        var parameters = PostgresParameters()
        parameters.appendArray(of: records.map(\.key))
        parameters.appendArray(of: records.map(\.version))
        for (slot, type) in slots {
            parameters.appendArray(of: type, count: records.count) {
                type.append(records[$0], slot, to: &$1)
            }
        }
        let names = ["\"key\"", "\"version\""] + slots.map { "c\($0.slot)" }
        source = Self.source(names)
        self.parameters = parameters
    }

    /// Pairs of keys, as `p("key", "other")`.
    init(_ pairs: [(source: Int64, destination: Int64)]) {
        var parameters = PostgresParameters()
        parameters.appendArray(of: pairs.map(\.source))
        parameters.appendArray(of: pairs.map(\.destination))
        self.parameters = parameters
        source = Self.source(["\"key\"", "\"other\""])
    }

    /// Keys alone, as `p("key")`.
    init(keys: [Int64]) {
        var parameters = PostgresParameters()
        parameters.appendArray(of: keys)
        self.parameters = parameters
        source = Self.source(["\"key\""])
    }

    private static func source(_ names: [String]) -> String {
        let arrays = names.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
        return "unnest(\(arrays)) AS p(\(names.joined(separator: ", ")))"
    }
}
