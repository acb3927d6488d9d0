import CambiumModel

extension RowExpectation {
    /// Values or links that a store must have before and after a migration.
    package struct Carried: Sendable {
        /// What is in each column, for the error: the objects, then the values; or the links alone.
        package let names: [String]
        /// The query of an old store.
        package let oldQuery: String
        /// The query of a new store.
        package let newQuery: String
        /// Whether the author lets some of the rows go: those that are there must be old ones.
        package let mayBeFewer: Bool
        /// What becomes of each column after the key and the version; nil where whole rows are the
        /// same.
        var laws: [ValueLaw]?

        /// What differs between the rows of the two queries, or nil.
        package func difference(_ old: [[StoredValue]], _ new: [[StoredValue]]) -> String? {
            guard let laws else {
                if old == new { return nil }
                return mayBeFewer && Set(new).isSubset(of: old) ? nil : names.first
            }
            var rest = Dictionary(new.map { ($0[0], $0) }, uniquingKeysWith: { first, _ in first })
            guard rest.count == new.count else { return names.first }
            for former in old {
                guard let row = rest.removeValue(forKey: former[0]) else {
                    if mayBeFewer { continue }
                    return names.first
                }
                guard former[1] == row[1] else { return names.first }
                for (index, law) in laws.enumerated()
                where !law.admits(former[index + 2], row[index + 2]) {
                    return "\(names[index + 1]): \(Self.text(former[index + 2])) becomes "
                        + Self.text(row[index + 2])
                }
            }
            return rest.isEmpty ? nil : names.first
        }

        /// A value that was made up, for the error.
        private static func text(_ value: StoredValue) -> String {
            let text = SQLText.literal(value)
            return text.count > 60 ? text.prefix(60) + "…" : text
        }
    }
}
