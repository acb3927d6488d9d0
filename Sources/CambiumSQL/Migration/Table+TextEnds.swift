extension Table {
    /// Conditions that texts have no NUL where a CHECK would not see what comes after it: SQLite's
    /// length() and GLOB end there. Cambium writes no text with one; another program may have.
    func textConditions(of check: Check) -> [RefusalSQL.Condition] {
        guard check.endsAtNUL else { return [] }
        return columns.filter { column in
            column.type == .text && check.columns.contains(column.name)
        }.map { column in
            let text = SQLText.identifier(column.name)
            return RefusalSQL.Condition(
                name: "\(name).\(column.name) holds a NUL character, which text cannot keep",
                condition: "instr(\(text), char(0)) = 0", columns: [column.name],
                column: column.name)
        }
    }

    /// The same of all CHECKs that rows from other tables have not met there.
    func textConditions(besides sources: [Table]) -> [RefusalSQL.Condition] {
        let known = sources.map { Set($0.allChecks.map(\.condition)) }
        var conditions: [RefusalSQL.Condition] = []
        for check in allChecks where !known.allSatisfy({ $0.contains(check.condition) }) {
            conditions += textConditions(of: check).filter { !conditions.contains($0) }
        }
        return conditions
    }

    private var allChecks: [Check] { columns.flatMap(\.checks) + checks }
}
