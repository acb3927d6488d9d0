import CambiumPlan

/// The program's own steps.
///
/// They run where all old tables are still there and all new ones are filled: they read the first
/// and write the second, in tables that ask nothing yet. Then the rows go to tables that do.
extension MigrationStepBuilder {
    /// Whether the steps write a table.
    func isCovered(_ table: Table) -> Bool {
        coverage?.covers(table, in: difference.new) ?? false
    }

    /// Whether the steps write a table of objects, which then has another form meanwhile.
    func isWorking(_ table: Table) -> Bool {
        guard case .objects = table.content else { return false }
        return isCovered(table)
    }

    /// Fills the tables that the steps work on, runs them, and asks of their rows what the new
    /// version asks.
    var codeSteps: [MigrationStep] {
        guard let coverage else { return [] }
        let tables = newSchema.tables.filter(isCovered)
        let names = tables.map(\.name)
        let runs = coverage.steps.enumerated().map { number, step in
            MigrationStep(
                summary: "Run \(step.name) of the program", kind: .needsCode, tables: names,
                code: step.name,
                statements: number == 0 ? StepTableSQL.prepare(difference.match, coverage) : [])
        }
        let objects = tables.filter(isWorking)
        let settlement = objects.flatMap { table in
            [table.creation(named: temporaryName(of: table))]
                + StepTableSQL.settle(table, into: temporaryName(of: table))
        }
        return runs + [
            MigrationStep(
                summary: "Check what \(coverage.steps.map(\.name).joined(separator: ", ")) "
                    + (coverage.steps.count == 1 ? "has" : "have") + " written",
                kind: .needsData, losesData: false, tables: names,
                statements: deletions(coverage) + entitiesOfKeys(in: objects) + settlement)
        ]
    }

    // MARK: What was deleted

    /// Links to objects that the steps have deleted go with them, wherever they are.
    private func deletions(_ coverage: StepCoverage) -> [MigrationStatement] {
        newSchema.tables.flatMap { table -> [MigrationStatement] in
            let current = currentName(of: table)
            switch table.content {
            case .system: return []
            case .links(let entity, let name):
                guard let source = difference.new.entity(named: entity),
                    let relationship = difference.new.relationship(name, of: source)
                else { return [] }
                return [("_source", entity), ("_destination", relationship.destination)]
                    .compactMap { column, end in
                        deleted(column, of: end, coverage).map {
                            .delete(from: current, where: $0, reading: [StepTableSQL.deletions])
                        }
                    }
            case .objects:
                return table.columns.compactMap { column in
                    guard case .key(let entity, let name) = column.content,
                        let source = difference.new.entity(named: entity),
                        let relationship = difference.new.relationship(name, of: source),
                        let condition = deleted(column.name, of: relationship.destination, coverage)
                    else { return nil }
                    let columns = table.columns.filter {
                        $0.content == column.content
                            || $0.content == .entityOfKey(entity: entity, relationship: name)
                    }.map { "\(SQLText.identifier($0.name)) = NULL" }
                    return .update(
                        current, set: columns.joined(separator: ", "), where: condition,
                        from: [StepTableSQL.deletions])
                }
            }
        }
    }

    private func deleted(
        _ column: String, of destination: String, _ coverage: StepCoverage
    ) -> String? {
        guard let entity = difference.new.entity(named: destination) else { return nil }
        let root = difference.new.root(of: entity).name
        guard coverage.roots.contains(root) else { return nil }
        return """
            \(SQLText.identifier(column)) IN (SELECT "key" FROM \
            \(SQLText.identifier(StepTableSQL.deletions)) \
            WHERE "root" = \(SQLText.literal(root)))
            """
    }

    // MARK: What links reference

    /// Steps write keys; of which entity their objects are the objects themselves say.
    private func entitiesOfKeys(in tables: [Table]) -> [MigrationStatement] {
        tables.flatMap { table in
            table.columns.compactMap { column -> MigrationStatement? in
                guard case .entityOfKey(let entity, let name) = column.content,
                    let source = difference.new.entity(named: entity),
                    let relationship = difference.new.relationship(name, of: source),
                    let destination = difference.new.entity(named: relationship.destination),
                    let key = table.columns.first(where: {
                        $0.content == .key(entity: entity, relationship: name)
                    })?.name,
                    let other = newSchema.table(
                        named: difference.new.root(of: destination).name)
                else { return nil }
                let (current, otherName) = (currentName(of: table), currentName(of: other))
                return .update(
                    current,
                    set: """
                        \(SQLText.identifier(column.name)) = (SELECT other."_entity" FROM \
                        \(SQLText.identifier(otherName)) AS other WHERE other."_id" = \
                        \(SQLText.identifier(current)).\(SQLText.identifier(key)))
                        """,
                    from: [otherName])
            }
        }
    }

    /// The name that a new table has while the steps run.
    private func currentName(of table: Table) -> String {
        if isWorking(table) { return TableCopies.workingName(of: table.name) }
        return isRebuilt(table) ? temporaryName(of: table) : table.name
    }
}
