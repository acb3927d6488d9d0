import CambiumPlan

/// Orders the statements of a migration.
final class MigrationStepBuilder {
    let difference: ModelDifference
    let oldSchema: Schema
    let newSchema: Schema
    let copies: [TableCopy]
    /// The strategy of each copy.
    let strategies: [TableCopy.Strategy]
    /// The objects and values that the program's own steps write; nil if there are no steps.
    let coverage: StepCoverage?
    /// The letters of the old tables' names.
    private let oldNames: Set<String>

    private let dialect: any MigrationDialect

    init(difference: ModelDifference, _ oldSchema: Schema, _ newSchema: Schema) {
        dialect = difference.match.dialect
        self.difference = difference
        self.oldSchema = oldSchema
        self.newSchema = newSchema
        let builder = TableCopyBuilder(match: difference.match, oldSchema: oldSchema)
        copies = newSchema.tables.map(builder.copy)
        oldNames = Set(oldSchema.tables.map { $0.name.lowercased() })
        let coverage = StepCoverage(difference)
        self.coverage = coverage
        // Tables that steps write are rebuilt, so that the steps have the old tables beside the new
        // ones.
        strategies = copies.map { copy in
            coverage?.covers(copy.table, in: difference.new) ?? false ? .rebuild : copy.strategy
        }
    }

    var steps: [MigrationStep] {
        let keys = ForeignKeyChanges(steps: statementSteps, oldSchema, newSchema)
        let all = dialect.dropsForeignKeys ? keys.around(statementSteps) : statementSteps
        return all.map { step in
            MigrationStep(
                summary: step.summary, kind: step.kind, losesData: step.losesData,
                tables: step.tables, code: step.code, statements: step.statements.map(dialect.named)
            )
        }
    }

    private var statementSteps: [MigrationStep] {
        let refusal = RefusalBuilder(difference: difference).step
        let drops = ConditionalDrops(match: difference.match, schema: oldSchema).step
        return [drops, refusal, choice].compactMap { $0 } + zip(copies, strategies).compactMap(step)
            + codeSteps + [filledCases, replacement, requirement, derivation].compactMap { $0 }
    }

    /// Chooses one link for each object of a one-to-one relationship that has several old links.
    private var choice: MigrationStep? {
        let pairs = ChosenPairs.all(in: difference.match)
        guard !pairs.isEmpty else { return nil }
        return MigrationStep(
            summary: "Choose the links of \(pairs.map { $0.name }.joined(separator: ", "))",
            kind: .reversible, statements: pairs.flatMap { $0.statements })
    }

    /// The step that fails if a fill gives a value that is not a case.
    private var filledCases: MigrationStep? {
        let refusals = FilledCases(match: difference.match).refusals { root in
            newSchema.table(named: root.name).map(temporaryName) ?? root.name
        }
        guard !refusals.isEmpty else { return nil }
        return MigrationStep(
            summary: "Reject the store if "
                + refusals.map { $0.reason }.joined(separator: ", or "),
            kind: .needsData, statements: refusals.flatMap { $0.statements })
    }

    /// The step that fails if an object lacks a relationship that the author declares every object
    /// to have. It is needed if no column enforces this, because the links are stored at the other
    /// end.
    private var requirement: MigrationStep? {
        let new = difference.new
        var reasons: [String] = []
        let statements = (new.migration?.requirements ?? []).flatMap {
            required -> [MigrationStatement] in
            guard let entity = new.entity(named: required.entity),
                let relationship = new.relationship(required.property, of: entity),
                case .inverseKey(let column) = new.storage(of: relationship, of: entity),
                let destination = new.entity(named: relationship.destination)
            else { return [] }
            let (table, other) = (new.root(of: entity).name, new.root(of: destination).name)
            let names = SQLText.literals(new.family(of: entity).names)
            let isOfEntity =
                entity.parent == nil ? "" : "\"_entity\" IN (\(names)) AND "
            let reason = "an object of \(entity.name) has no \(relationship.name)"
            reasons.append(required.reason.isEmpty ? reason : "\(reason) (\(required.reason))")
            return dialect.refusal(
                """
                SELECT "_id", NULL FROM \(SQLText.identifier(table))\nWHERE \(isOfEntity)"_id" \
                NOT IN (SELECT \(SQLText.identifier(column)) FROM \(SQLText.identifier(other)) \
                WHERE \(SQLText.identifier(column)) IS NOT NULL) LIMIT 1
                """,
                of: table, with: [other], type: nil, reason: reason)
        }
        guard !statements.isEmpty else { return nil }
        return MigrationStep(
            summary: "Reject the store if " + reasons.joined(separator: ", or "),
            kind: .needsData, statements: statements)
    }

    /// The step that computes derived attributes of existing objects, after everything that they
    /// are computed from exists.
    private var derivation: MigrationStep? {
        let derivations = dialect.derivations(of: difference.new)
            .filter { $0.update != nil && needsComputing($0.derived) }
        let statements = derivations.compactMap { $0.update }
        guard !statements.isEmpty else { return nil }
        let names = derivations.map { "\($0.derived.entity.name).\($0.derived.attribute.name)" }
        return MigrationStep(
            summary: "Compute \(names.joined(separator: ", "))", kind: .reversible,
            statements: statements)
    }

    private func needsComputing(_ derivation: any DerivedValue) -> Bool {
        let (entity, name) = (derivation.entity.name, derivation.attribute.name)
        // Steps may have written the values that it is computed from.
        if coverage != nil, !derivation.sources.usesNow { return true }
        return difference.changes.contains { change in
            switch change {
            case .derivationAdded(entity, name), .derivationChanged(entity, name):
                true
            case .relationshipChanged, .relationshipMoved, .attributeMoved, .parentChanged:
                !derivation.sources.usesNow
            case .caseAdded, .caseRenamed:
                false
            default:
                // The values that it is computed from may have changed.
                change.kind > .reversible && !derivation.sources.usesNow
            }
        }
    }

    // MARK: One table

    private func step(for copy: TableCopy, _ strategy: TableCopy.Strategy) -> MigrationStep? {
        let table = copy.table
        switch strategy {
        case .keep:
            return nil
        case .restate(let columns, let restatement):
            let values = Dictionary(
                zip(table.columns.names, copy.parts[0].values), uniquingKeysWith: { one, _ in one })
            let statements = columns.flatMap { column in
                // ALTER TABLE reads the whole table, and more than once, for a condition.
                dialect.addition(
                    of: column, values[column.name]?.old.constant, to: table.name)
            }
            return step(
                for: table, "Change \(table.name)",
                statements + dialect.statements(for: restatement))
        case .rebuild:
            if isWorking(table) {
                let name = TableCopies.workingName(of: table.name)
                return step(
                    for: table, "Prepare \(table.name)",
                    [StepTableSQL.create(table, dialect)] + copy.insertStatements(into: name))
            }
            let name = temporaryName(of: table)
            // If no rows are copied into a table, it is new, even if no change is about it alone.
            let isNew = copy.parts.isEmpty
            return step(
                for: table, isNew ? "Make \(table.name)" : "Rebuild \(table.name)", isNew: isNew,
                [dialect.creation(of: table, named: name)] + copy.insertStatements(into: name)
                    + dialect.refusal(
                        ofTexts: isNew
                            ? [] : table.textConditions(besides: copy.parts.map { $0.source }),
                        in: name))
        }
    }

    private func step(
        for table: Table, _ title: String, isNew: Bool = false, _ statements: [MigrationStatement]
    ) -> MigrationStep {
        let changes = difference.changes.filter { concerns($0, table) }
        // The deletion of objects is described by the step that deletes them.
        let list = changes.filter { if case .objectsDropped = $0 { false } else { true } }
            .map(difference.sentence).joined(separator: "; ")
        return MigrationStep(
            summary: list.isEmpty ? title : "\(title): \(list)",
            kind: changes.map { $0.kind }.max() ?? (isNew ? .additive : .reversible),
            losesData: changes.contains { $0.losesData }, tables: [table.name],
            statements: statements)
    }

    func isRebuilt(_ table: Table) -> Bool { rebuilt.contains { $0.name == table.name } }

    /// Returns the name of a new table while the old tables exist. It has its own name immediately
    /// if no old table has the same name, ignoring case as SQLite does.
    func temporaryName(of table: Table) -> String {
        oldNames.contains(table.name.lowercased())
            ? TableCopies.temporaryName(of: table.name) : table.name
    }

    // MARK: All tables

    private var kept: [TableCopy] {
        zip(copies, strategies).filter { !$0.1.isRebuild }.map(\.0)
    }

    private var rebuilt: [Table] {
        zip(copies, strategies).filter { $0.1.isRebuild }.map(\.0.table)
    }

    /// Everything that can only happen when no old table is needed any more.
    private var replacement: MigrationStep? {
        let keptNames = Set(kept.map { $0.table.name })
        let dropped = oldSchema.tables.filter { !keptNames.contains($0.name) }
        let duplicates = duplicateRemoval.statements
        let statements =
            indexDrops
            + dropped.map { .drop($0.name) }
            + ChosenPairs.all(in: difference.match).map { $0.removal }
            + rebuilt.flatMap(renameStatements) + duplicates
            + madeIndexes.map { $0.table.creation(of: $0.index) }
            + KeyTablePlan(match: difference.match).statements
            + (coverage.map { StepTableSQL.finish($0, dialect) } ?? [])
        guard !statements.isEmpty else { return nil }
        return MigrationStep(
            summary: summaryOfReplacement(dropped: dropped.names),
            kind: dropped.isEmpty && duplicates.isEmpty
                ? indexKind : difference.changes.map { $0.kind }.max() ?? .reversible,
            losesData: !(dropped.isEmpty && duplicates.isEmpty)
                && difference.changes.contains { $0.losesData },
            tables: newSchema.tables.filter { !keptNames.contains($0.name) }.names,
            statements: statements)
    }

    private func summaryOfReplacement(dropped: [String]) -> String {
        let rebuiltNames = Set(rebuilt.names)
        let removed = dropped.filter { !rebuiltNames.contains($0) }
        let parts =
            (removed.isEmpty ? [] : ["drop the tables \(removed.joined(separator: ", "))"])
            + (dropped.count > removed.count ? ["put the new tables in place"] : [])
            + (madeIndexes.isEmpty && indexDrops.isEmpty
                ? [] : ["bring the indexes up to date"])
        let text = parts.isEmpty ? "bring the key table up to date" : parts.joined(separator: ", ")
        let rules = newRules.isEmpty ? "" : ": \(newRules.joined(separator: "; "))"
        return text.prefix(1).uppercased() + text.dropFirst() + rules
    }

    /// The new unique constraints, and the objects deleted because of them, if the table has no
    /// step of its own that describes them.
    private var newRules: [String] {
        let silent = zip(copies, strategies).filter { $0.1.isKeep }.map(\.0.table)
        let changes = difference.changes.filter { change in
            switch change {
            case .uniqueAdded, .duplicatesDropped: silent.contains { concerns(change, $0) }
            default: false
            }
        }
        return changes.map(difference.sentence)
    }

    private var indexKind: MigrationKind {
        madeIndexes.contains { $0.index.uniqueRows != nil } ? .needsData : .additive
    }

    private func renameStatements(_ table: Table) -> [MigrationStatement] {
        let name = temporaryName(of: table)
        return name == table.name ? [] : dialect.renaming(name, to: table)
    }

    private var duplicateRemoval: DuplicateRemoval {
        DuplicateRemoval(dialect: dialect, model: difference.new, schema: newSchema)
    }

    /// Drops the changed or deleted indexes of tables that stay. Indexes of other tables are
    /// dropped with them.
    private var indexDrops: [MigrationStatement] {
        let unready = duplicateRemoval.indexNames
        return kept.flatMap { copy in
            (copy.source?.indexes ?? []).filter {
                !copy.table.indexes.contains($0) || unready.contains($0.name)
            }
        }.map { .drop(index: $0.name) }
    }

    private var madeIndexes: [(table: Table, index: TableIndex)] {
        let unready = duplicateRemoval.indexNames
        return zip(copies, strategies).flatMap { copy, strategy in
            let indexes = copy.table.indexes.filter { index in
                if strategy.isRebuild || unready.contains(index.name) { return true }
                return copy.source?.indexes.contains(index) == false
            }
            return indexes.map { (copy.table, $0) }
        }
    }
}

extension Derivation {
    /// The statement that updates the values of all rows. It is nil if the store cannot compute
    /// them at all; the compiler rejects such attributes.
    package var updateOfAll: MigrationStatement? {
        condition.map { value, condition in
            .update(
                model.root(of: entity).name, set: "\(column) = \(value.text)", where: condition,
                from: value.tables.sorted())
        }
    }
}

/// The foreign keys of an engine that must drop them for a migration. They are dropped before the
/// first step. They are added, and thereby checked, after the last one.
private struct ForeignKeyChanges {
    private let dropped: [ForeignKey]
    private let added: [ForeignKey]

    init(steps: [MigrationStep], _ old: Schema, _ new: Schema) {
        let written = Set(steps.flatMap(\.statements).flatMap { $0.operation.tablesWritten })
        let (before, after) = (Set(old.foreignKeys), Set(new.foreignKeys))
        func stays(_ key: ForeignKey) -> Bool {
            before.contains(key) && after.contains(key)
                && written.isDisjoint(with: [key.table, key.destination])
        }
        dropped = old.foreignKeys.filter { !stays($0) }
        added = new.foreignKeys.filter { !stays($0) }
    }

    func around(_ steps: [MigrationStep]) -> [MigrationStep] {
        let first = MigrationStep(
            summary: "Drop the foreign keys of what changes", kind: .additive,
            statements: dropped.map(\.removal))
        let last = MigrationStep(
            summary: "Check and add the foreign keys", kind: .additive,
            statements: added.map { $0.addition() })
        return (dropped.isEmpty ? [] : [first]) + steps + (added.isEmpty ? [] : [last])
    }
}

/// The program's own steps.
///
/// They run when all old tables still exist and all new ones are filled. They read the old tables
/// and write the new ones, in tables without constraints. Then the rows are moved to tables with
/// constraints.
extension MigrationStepBuilder {
    /// Whether the steps write a table.
    func isCovered(_ table: Table) -> Bool {
        coverage?.covers(table, in: difference.new) ?? false
    }

    /// Whether the steps write a table of objects. Such a table has another form in the meantime.
    func isWorking(_ table: Table) -> Bool {
        guard case .objects = table.content else { return false }
        return isCovered(table)
    }

    /// The steps that fill the working tables, run the program's steps, and check the constraints
    /// of the new version on their rows.
    var codeSteps: [MigrationStep] {
        guard let coverage else { return [] }
        let tables = newSchema.tables.filter(isCovered)
        let names = tables.names
        let runs = coverage.steps.enumerated().map { number, step in
            MigrationStep(
                summary: "Run \(step.name) of the program", kind: .needsCode, tables: names,
                code: step.name,
                statements: number == 0 ? StepTableSQL.prepare(difference.match, coverage) : [])
        }
        let objects = tables.filter(isWorking)
        let settlement = objects.flatMap { table in
            [dialect.creation(of: table, named: temporaryName(of: table))]
                + StepTableSQL.settle(table, into: temporaryName(of: table))
        }
        return runs + [
            MigrationStep(
                summary: "Check what \(coverage.steps.map { $0.name }.joined(separator: ", ")) "
                    + (coverage.steps.count == 1 ? "has" : "have") + " written",
                kind: .needsData, losesData: false, tables: names,
                statements: deletions(coverage) + entitiesOfKeys(in: objects) + settlement)
        ]
    }

    // MARK: Deleted objects

    /// Returns the statements that delete all links to objects that the steps have deleted.
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

    // MARK: Referenced objects

    /// Returns the statements that set the entities of references. Steps write only keys; the
    /// entities are read from the referenced objects.
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
