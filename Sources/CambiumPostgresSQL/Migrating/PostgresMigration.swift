import CambiumMigration
import CambiumModel
import CambiumPlan
import CambiumRecords
import CambiumSQL

/// The migrations of a store on PostgreSQL. The statements name tables without a schema: the
/// connection's search path contains the schema of the store.
package final class PostgresMigration: MigrationDialect {
    private let old: PostgresDerivations
    private let new: PostgresDerivations

    package init(from old: Model, to new: Model) {
        func derivations(_ model: Model) -> PostgresDerivations {
            PostgresDerivations(PostgresLayout(.withoutClasses(model), schemaInSQL: ""))
        }
        (self.old, self.new) = (derivations(old), derivations(new))
    }

    /// Plans the migration of a store from one version to another.
    ///
    /// - Throws: All reasons why no migration can be planned.
    package static func plan(from old: Model, to new: Model) throws(MigrationProblems)
        -> MigrationPlan
    {
        let dialect = PostgresMigration(from: old, to: new)
        return try MigrationPlan(
            ModelDifference(from: old, to: new, on: dialect),
            schemas: (dialect.old.schema, dialect.new.schema))
    }

    /// Plans the same migration, in the form of generated code.
    ///
    /// - Throws: All reasons why no migration can be planned.
    package static func migration(from old: Model, to new: Model) throws(MigrationProblems)
        -> Migration
    {
        let plan = try plan(from: old, to: new)
        func hash(_ model: Model) -> String {
            StoreMetadata(of: model, schemaHash: "").versionHash
        }
        return Migration(
            from: old.version, to: new.version, fromHash: hash(old), toHash: hash(new),
            steps: plan.steps, history: plan.history)
    }

    private func layout(of model: Model) -> PostgresLayout {
        model === old.layout.model.model ? old.layout : new.layout
    }

    // MARK: Tables

    package var integer: String { "bigint" }

    package var tableOptions: String { "" }

    package var keyedTableOptions: String { "" }

    package func workingColumn(_ column: Table.Column) -> String {
        "\(SQLText.identifier(column.name)) \(column.typeName)"
    }

    package var dropsForeignKeys: Bool { true }

    package func creation(of table: Table, named name: String) -> MigrationStatement {
        MigrationStatement(
            .createTable(name),
            PostgresSchema.creation(of: table, named: name) { SQLText.identifier($0) })
    }

    package func renaming(_ name: String, to table: Table) -> [MigrationStatement] {
        let (old, new) = (
            PostgresSchema.nameOfKey(of: name), PostgresSchema.nameOfKey(of: table.name)
        )
        return [
            .rename(name, to: table.name),
            Self.alter(
                table.name,
                """
                RENAME CONSTRAINT \(SQLText.identifier(old)) TO \(SQLText.identifier(new))
                """),
        ]
    }

    package func addition(
        of column: Table.Column, _ value: String?, to table: String
    ) -> [MigrationStatement] {
        guard let value, column.form?.defaultValue == nil else {
            return [.add(column.name, column.definition, to: table)]
        }
        // The default is only for existing rows.
        return [
            .add(column.name, "\(column.definition) DEFAULT \(value)", to: table),
            Self.alter(table, "ALTER COLUMN \(SQLText.identifier(column.name)) DROP DEFAULT"),
        ]
    }

    package func statements(for change: Restatement) -> [MigrationStatement] {
        guard let (old, new) = change.tables else { return [] }
        let (before, after) = (old.checks.map(\.definition), new.checks.map(\.definition))
        let columns = new.columns.flatMap { column -> [String] in
            guard let former = old.columns.first(where: { $0.name == column.name }) else {
                return []
            }
            let name = "ALTER COLUMN \(SQLText.identifier(column.name))"
            var changes: [String] = []
            if former.isRequired, !column.isRequired { changes.append("\(name) DROP NOT NULL") }
            if former.form?.defaultValue != column.form?.defaultValue {
                changes.append(
                    column.form?.defaultValue.map { "\(name) SET DEFAULT \($0)" }
                        ?? "\(name) DROP DEFAULT")
            }
            return changes
        }
        let dropped = old.checks.filter { !after.contains($0.definition) }
            .map { "DROP CONSTRAINT \(SQLText.identifier($0.name.text))" }
        let added = new.checks.filter { !before.contains($0.definition) }.map { check in
            // The condition is a part of its own, because it finds the rows that do not meet it.
            MigrationStatement(
                .alterTable(new.name),
                """
                ALTER TABLE \(SQLText.identifier(new.name)) \
                ADD CONSTRAINT \(SQLText.identifier(check.name.text)) CHECK (
                """,
                check.condition, ")")
        }
        return (dropped + columns).map { Self.alter(new.name, $0) } + added
    }

    private static func alter(_ table: String, _ change: String) -> MigrationStatement {
        MigrationStatement(
            .alterTable(table), "ALTER TABLE \(SQLText.identifier(table)) \(change)")
    }

    package func mirroring(of pairs: String) -> [MigrationStatement] {
        let table = SQLText.identifier(pairs)
        // A BEFORE trigger, because an AFTER trigger would run only after all rows of the
        // statement. If the row violates a constraint, so does the mirrored row.
        return [
            MigrationStatement(
                .other,
                """
                CREATE OR REPLACE FUNCTION pg_temp."_back"() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    EXECUTE format('INSERT INTO %I.%I ("source", "destination") VALUES ($1, $2) '
                        'ON CONFLICT DO NOTHING', TG_TABLE_SCHEMA, TG_TABLE_NAME)
                        USING NEW."destination", NEW."source";
                    RETURN NEW;
                END $$
                """),
            MigrationStatement(
                .other,
                """
                CREATE TRIGGER "_back" BEFORE INSERT ON \(table) FOR EACH ROW
                WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION pg_temp."_back"()
                """),
        ]
    }

    // MARK: Statements

    package func named(_ statement: MigrationStatement) -> MigrationStatement {
        statement.mapped(PostgresName.shortened)
    }

    package func insertionOfFirst(
        into table: String, _ columns: [String], _ query: String, from sources: [String]
    ) -> MigrationStatement {
        let names = columns.map { SQLText.identifier($0) }.joined(separator: ", ")
        return MigrationStatement(
            .insertRows(table, from: sources),
            """
            INSERT INTO \(SQLText.identifier(table)) (\(names))
            \(query)
            ON CONFLICT DO NOTHING
            """)
    }

    package func refusal(
        _ query: String, of table: String, with others: [String], type: String?, reason: String
    ) -> [MigrationStatement] {
        [
            MigrationStatement(
                .checkRows(table, with: others, type: type),
                """
                DO $refusal$
                DECLARE "_refused" record;
                BEGIN
                FOR "_refused" IN SELECT * FROM (

                """, query,
                """

                ) AS _r ("row", "value") LOOP
                RAISE check_violation USING MESSAGE = \(SQLText.literal(reason)),
                CONSTRAINT = \(SQLText.literal(reason)), COLUMN = "_refused"."row"::text;
                END LOOP;
                END $refusal$
                """)
        ]
    }

    /// No conditions are necessary: the server stores no NUL characters in strings.
    package func refusal(
        ofTexts conditions: [RefusalSQL.Condition], in table: String
    ) -> [MigrationStatement] { [] }

    // MARK: Queries

    package func source(_ query: String) -> String { "(\(query)) AS _q" }

    package func fenced(_ query: String) -> String { "\(query)\nOFFSET 0" }

    package func condition(_ isMet: Bool) -> String { isMet ? "true" : "false" }

    // MARK: Values

    package var noInteger: String { "NULL::bigint" }

    package func none(of column: Table.Column) -> String { "NULL::\(column.typeName)" }

    package func none(of attribute: Attribute, in model: Model) -> String {
        "NULL::\(PostgresType.column(of: attribute, in: model).name)"
    }

    package func literal(_ value: StoredValue, of type: AttributeType, in model: Model) -> String? {
        let type = PostgresType(type, in: model)
        return value == .null ? "NULL::\(type.name)" : type.constant(value)
    }

    package func inlined(_ bytes: String) -> String { "('\\x01'::bytea || \(bytes))" }

    package func greater(_ one: String, _ other: String) -> String {
        "greatest(\(one), \(other))"
    }

    package var moment: String { "now()" }

    package var newUUID: String { "gen_random_uuid()" }

    package func keepsValues(_ conversion: AttributeConversion) -> Bool {
        PostgresConversion(conversion, in: new.layout.model.model).keepsValues
    }

    package func value(_ conversion: AttributeConversion, of old: String) -> String {
        PostgresConversion(conversion, in: new.layout.model.model).value(of: old)
    }

    package func acceptance(
        of old: String, _ conversion: AttributeConversion, isRevised: Bool
    ) -> String? {
        PostgresConversion(conversion, in: new.layout.model.model)
            .fits(old, conversion.acceptance(isRevised: isRevised))
    }

    // MARK: Expressions

    package func condition(
        _ condition: ModelExpression, of entity: Entity, in model: Model, as alias: String?,
        variables: [String: Entity]
    ) -> (sql: String, tables: Set<String>)? {
        guard
            let sql = PostgresExpression.migrated(
                condition, of: entity, layout(of: model), as: alias, variables: variables)
        else { return nil }
        let tables = SQLiteMigration().condition(
            condition, of: entity, in: model, as: alias, variables: variables)?.tables
        return (sql, tables ?? [])
    }

    package func fill(
        _ expression: ModelExpression, for attribute: Attribute, of entity: Entity,
        in model: Model, former: Entity?
    ) -> String? {
        PostgresExpression.fill(
            expression, for: attribute, of: entity, layout(of: model), former: former)
    }

    package func derivations(
        of model: Model
    ) -> [(derived: any DerivedValue, update: MigrationStatement?)] {
        new.maintained.map { ($0.derived, $0.updateOfAll(new.layout)) }
    }

    package func history(_ match: ModelMatch) -> any HistoryDialect {
        PostgresMigratedHistory(
            old: match.old, new: match.new, names: PostgresHistoryNames(new.layout))
    }

    // MARK: Supported rules

    package func enforces(_ rule: Rule, of entity: Entity, in model: Model) -> Bool {
        model.postgresCheck(of: rule, of: entity) != nil
    }

    package func enforces(pattern: String) -> Bool { SQLiteMigration().enforces(pattern: pattern) }

    package func properties(
        in expression: ModelExpression, of entity: Entity, of model: Model
    ) -> Set<String> {
        SQLiteMigration().properties(in: expression, of: entity, of: model)
    }
}

extension PostgresDerivations {
    /// The tables of a migration.
    fileprivate var schema: Schema {
        let tables = PostgresSchema(of: self).tables
        let model = layout.model.model
        return Schema(
            tables: Schema.systemTables + tables, statements: [],
            metadata: StoreMetadata(of: model, schemaHash: ""))
    }
}

extension PostgresDerivations.Maintained {
    /// The statement that updates the values of all rows; nil if they are computed in memory.
    package func updateOfAll(_ layout: PostgresLayout) -> MigrationStatement? {
        let model = layout.model.model
        let root = model.root(of: derived.entity).name
        guard let (value, joins) = valueOfAll else { return nil }
        let table = SQLText.identifier(root)
        let family = SQLText.literals(model.family(of: derived.entity).map(\.name))
        let restriction =
            derived.entity.parent == nil ? "" : " WHERE t.\"_entity\" IN (\(family))"
        return .update(
            root,
            set: "\(column) = n.v FROM (SELECT t.\"_id\" AS k, \(value) AS v "
                + "FROM \(table) AS t\(joins)\(restriction)) AS n",
            where: "\(table).\"_id\" = n.k AND \(table).\(column) IS DISTINCT FROM n.v",
            from: [])
    }
}

extension PostgresExpression {
    /// A condition on rows of a table in a migration; nil if the server cannot decide it for all
    /// rows.
    fileprivate static func migrated(
        _ condition: ModelExpression, of entity: Entity, _ layout: PostgresLayout,
        as name: String?, variables: [String: Entity]
    ) -> String? {
        let root = layout.model.model.root(of: entity)
        let alias = name ?? PostgresName.identifier(root.name)
        guard
            let typed = try? ExpressionCompiler.typedCondition(
                condition, entity: entity, model: layout.model.model, variables: variables)
        else { return nil }
        var expression = PostgresExpression(layout, alias: alias)
        expression.isKept = true
        guard let text = try? expression.condition(typed, .filter).inlined,
            expression.doubts.isEmpty
        else { return nil }
        if expression.joins.isEmpty { return text }
        return """
            \(alias)."_id" IN (SELECT \(alias)."_id" FROM \(layout.table(of: root)) AS \(alias)\
            \(expression.joinedTables) WHERE \(text))
            """
    }

    /// SQL for the value that a fill gives to a new row; nil if the server cannot compute it. The
    /// row's columns are named without a table.
    fileprivate static func fill(
        _ fill: ModelExpression, for attribute: Attribute, of entity: Entity,
        _ layout: PostgresLayout, former: Entity?
    ) -> String? {
        let model = layout.model.model
        // A number that single precision cannot hold would be an error.
        guard attribute.type != .float,
            DerivationSources(of: fill, entity: entity, in: model).nodes.count == 1,
            let typed = try? ExpressionCompiler.typedValue(
                fill, as: attribute.type, entity: entity, model: model,
                variables: FillScope.variables(former), isFill: true)
        else { return nil }
        var expression = PostgresExpression(layout, alias: "")
        expression.isKept = true
        expression.fillsObjectsOf = entity
        guard let text = try? expression.value(typed).inlined, expression.doubts.isEmpty,
            expression.joins.isEmpty
        else { return nil }
        return attribute.type == .date && !expression.isTimestamp(typed)
            ? "('2001-01-01 00:00:00+00'::timestamptz + (\(text)) * '1 second'::interval)" : text
    }
}
