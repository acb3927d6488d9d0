// SQLite's length() and GLOB end at a NUL. Cambium writes no text with one; another program may have.
extension Table {
    /// Conditions that the texts which a CHECK measures have no NUL, so that it sees all of them.
    func textConditions(of check: String) -> [RefusalSQL.Condition] {
        guard check.contains("length(") || check.contains(" GLOB ") else { return [] }
        let names = Set(TableText.names(in: check))
        return columns.filter { column in
            column.type == .text && names.contains(column.name)
        }.map { column in
            let text = SQLText.identifier(column.name)
            return RefusalSQL.Condition(
                name: "\(name).\(column.name) holds a NUL character, which text cannot keep",
                condition: "instr(\(text), char(0)) = 0", column: text)
        }
    }

    /// The same of all CHECKs that rows from other tables have not met there.
    func textConditions(besides sources: [Table]) -> [RefusalSQL.Condition] {
        let known = sources.map { Set($0.conditions) }
        var conditions: [RefusalSQL.Condition] = []
        for check in self.conditions where !known.allSatisfy({ $0.contains(check) }) {
            conditions += textConditions(of: check).filter { !conditions.contains($0) }
        }
        return conditions
    }

    private var conditions: [String] {
        (columns.flatMap(\.checks) + checks).map(\.condition)
    }
}
