import CambiumModel
import CambiumPlan

/// A migration as SQLite reads it.
package struct SQLiteMigration: MigrationDialect {
    package init() {}

    // MARK: Tables

    package var integer: String { "INTEGER" }

    package var tableOptions: String { " STRICT" }

    package var keyedTableOptions: String { " STRICT, WITHOUT ROWID" }

    package func workingColumn(_ column: Table.Column) -> String {
        SQLText.identifier(column.name)
    }

    package var dropsForeignKeys: Bool { false }

    package func creation(of table: Table, named name: String) -> MigrationStatement {
        table.creation(named: name)
    }

    package func renaming(_ name: String, to table: Table) -> [MigrationStatement] {
        [.rename(name, to: table.name)]
    }

    package func addition(
        of column: Table.Column, _ value: String?, to table: String
    ) -> [MigrationStatement] {
        [.add(column.name, column.bareDefinition, to: table)]
    }

    package func statements(for change: Restatement) -> [MigrationStatement] { change.statements }

    package func mirroring(of pairs: String) -> [MigrationStatement] {
        let table = SQLText.identifier(pairs)
        return [
            MigrationStatement(
                .other,
                """
                CREATE TRIGGER \(SQLText.identifier("\(pairs).back")) AFTER INSERT ON \
                \(table)\nBEGIN INSERT OR IGNORE INTO \(table) ("source", \
                "destination") VALUES (new."destination", new."source"); END
                """)
        ]
    }

    // MARK: Statements

    package func named(_ statement: MigrationStatement) -> MigrationStatement { statement }

    package func insertionOfFirst(
        into table: String, _ columns: [String], _ query: String, from sources: [String]
    ) -> MigrationStatement {
        MigrationStatement(
            .insertRows(table, from: sources),
            """
            INSERT OR IGNORE INTO \(SQLText.identifier(table)) \
            (\(SQLText.identifiers(columns)))\n\(query)
            """)
    }

    package func refusal(
        _ query: String, of table: String, with others: [String], type: String?, reason: String
    ) -> [MigrationStatement] {
        RefusalSQL.statements(query, of: table, with: others, type: type, reason: reason)
    }

    package func refusal(
        ofTexts conditions: [RefusalSQL.Condition], in table: String
    ) -> [MigrationStatement] {
        RefusalSQL.statements(conditions, in: table, ofOneRow: false)
    }

    // MARK: Queries

    package func source(_ query: String) -> String { "(\(query))" }

    package func fenced(_ query: String) -> String { "\(query)\nLIMIT -1 OFFSET 0" }

    package func condition(_ isMet: Bool) -> String { isMet ? "1" : "0" }

    // MARK: Values

    package var noInteger: String { "NULL" }

    package func none(of column: Table.Column) -> String { "NULL" }

    package func none(of attribute: Attribute, in model: Model) -> String { "NULL" }

    package func literal(
        _ value: StoredValue, of type: AttributeType, in model: Model
    ) -> String? {
        SQLText.literal(value)
    }

    package func inlined(_ bytes: String) -> String { "CAST(x'01' || \(bytes) AS BLOB)" }

    package func greater(_ one: String, _ other: String) -> String { "max(\(one), \(other))" }

    package var moment: String { SQLiteDialect().now.text }

    package var newUUID: String { SQLiteDialect().randomUUID.text }

    package func keepsValues(_ conversion: AttributeConversion) -> Bool { conversion.keepsValues }

    package func value(_ conversion: AttributeConversion, of old: String) -> String {
        conversion.value.sql(old)
    }

    package func acceptance(
        of old: String, _ conversion: AttributeConversion, isRevised: Bool
    ) -> String? {
        conversion.acceptance(isRevised: isRevised)?.sql(old)
    }

    // MARK: Expressions

    package func condition(
        _ condition: ModelExpression, of entity: Entity, in model: Model, as alias: String?,
        variables: [String: Entity]
    ) -> (sql: String, tables: Set<String>)? {
        guard
            let fragment = try? ExpressionSQL.condition(
                condition, entity: entity, model: model, alias: alias, constants: .inline,
                variables: variables, heedsNUL: true),
            fragment.parameters.isEmpty
        else { return nil }
        return (fragment.text, fragment.tables)
    }

    package func fill(
        _ expression: ModelExpression, for attribute: Attribute, of entity: Entity,
        in model: Model, former: Entity?
    ) -> String? {
        model.fillValue(expression, for: attribute, of: entity, former: former)
    }

    package func derivations(
        of model: Model
    ) -> [(derived: any DerivedValue, update: MigrationStatement?)] {
        model.derivations.map { ($0, $0.updateOfAll) }
    }

    package func history(_ match: ModelMatch) -> any HistoryDialect { SQLiteHistory() }

    // MARK: Capabilities of the engine

    package func enforces(_ rule: Rule, of entity: Entity, in model: Model) -> Bool {
        model.isEnforcedByStore(rule, of: entity)
    }

    package func enforces(pattern: String) -> Bool {
        GlobPattern(regularExpression: pattern) != nil
    }

    package func properties(
        in expression: ModelExpression, of entity: Entity, of model: Model
    ) -> Set<String> {
        DerivationSources(of: expression, entity: entity, in: model).nodes[0].properties
    }
}

extension ConvertedValue {
    /// SQL for the new value, from SQL for the old one.
    func sql(_ old: String) -> String {
        switch self {
        case .same: return old
        case .cast(let kind): return "CAST(\(old) AS \(kind.rawValue))"
        case .multiplied(let factor): return "\(old) * \(factor)"
        case .divided(let factor): return "\(old) / \(factor)"
        case .real(let units): return "CAST(\(old) AS REAL) / \(units).0"
        case .units(let factor): return "CAST(round(\(old) * \(factor).0) AS INTEGER)"
        case .call(let function, let value, let scale):
            return "\(function.rawValue)(\(value.sql(old))\(scale.map { ", \($0)" } ?? ""))"
        case .textOfBool:
            return "CASE WHEN \(old) = 1 THEN 'true' WHEN \(old) = 0 THEN 'false' END"
        case .boolOfText:
            return """
                CASE WHEN \(old) IN ('1', 'true') THEN 1 \
                WHEN \(old) IN ('0', 'false') THEN 0 END
                """
        case .textOfReal:
            // The usual 15 digits, or as many as exist if these are not enough.
            return """
                CASE WHEN CAST(CAST(\(old) AS TEXT) AS REAL) = \(old) \
                THEN CAST(\(old) AS TEXT) \
                WHEN \(old) IS NOT NULL THEN printf('%!.17g', \(old)) END
                """
        case .textOfUUID:
            let groups = [(1, 8), (9, 4), (13, 4), (17, 4), (21, 12)].map {
                "substr(hex(\(old)), \($0), \($1))"
            }
            let text = groups.joined(separator: " || '-' || ")
            return "CASE WHEN \(old) IS NOT NULL THEN \(text) END"
        case .replaced(let ways, let value):
            let cases = ways.map {
                "WHEN \(SQLText.literal($0.gone)) THEN \(SQLText.literal($0.other))"
            }
            return "CASE \(old) \(cases.joined(separator: " ")) ELSE \(value.sql(old)) END"
        case .external(let value): return "CAST(x'01' || \(value.sql(old)) AS BLOB)"
        case .content(let value): return value.sql("substr(\(old), 2)")
        }
    }
}

extension ConversionCondition {
    /// Returns SQL that is true if the condition is met, from SQL for the old value.
    func sql(_ old: String) -> String {
        switch self {
        case .within(let range): return Self.sql(old, within: range)
        case .has(let value, nil): return "\(value.sql(old)) IS NOT NULL"
        case .has(let value, let range?):
            return "coalesce(\(Self.sql(value.sql(old), within: range)), 0)"
        case .isMultiple(let factor, let range):
            return "\(old) % \(factor) = 0"
                + (range.map { " AND \(Self.sql("\(old) / \(factor)", within: $0))" } ?? "")
        case .isUUID: return "length(\(old)) = 16"
        case .isWhole(let range):
            let isWithin = range.map { Self.sql(old, within: $0) }
            let isNear = isWithin ?? "abs(\(old)) <= 9007199254740992"
            return "\(isNear) AND CAST(\(old) AS INTEGER) = \(old)"
        case .hasUnits(let factor):
            return """
                abs(\(old) * \(factor).0) <= 9007199254740992.0 \
                AND round(\(old) * \(factor).0) / \(factor).0 = \(old)
                """
        case .isReadAgainFromText:
            return "CAST(\(ConvertedValue.textOfReal.sql(old)) AS REAL) = \(old)"
        case .isTextOfBool: return "\(old) IN ('0', '1', 'false', 'true')"
        case .isTextOfInteger(let range):
            let number = "CAST(\(old) AS INTEGER)"
            return "CAST(\(number) AS TEXT) = \(old)"
                + (range.map { " AND \(Self.sql(number, within: $0))" } ?? "")
        case .isTextOfReal:
            // A text is a number if JSON accepts it as one, up to its end and within the range of
            // doubles.
            return """
                CASE WHEN json_valid(\(old)) THEN json_type(\(old)) IN ('integer', 'real') \
                AND instr(\(old), char(0)) = 0 \
                AND abs(CAST(\(old) AS REAL)) <= 1.7976931348623157e308 ELSE 0 END
                """
        case .isOne(let cases, let value, let other):
            let list = cases.map(SQLText.literal).joined(separator: ", ")
            return (other.map { "\($0.sql(old)) AND " } ?? "") + "\(value.sql(old)) IN (\(list))"
        case .isReplaced(let ways, let other):
            let removed = ways.map { SQLText.literal($0.gone) }.joined(separator: ", ")
            return "(\(old) IN (\(removed)) OR \(other.sql(old)))"
        case .isInline(let other):
            return "substr(\(old), 1, 1) = x'01'"
                + (other.map { " AND \($0.sql("substr(\(old), 2)"))" } ?? "")
        }
    }

    private static func sql(_ value: String, within range: ClosedRange<Int64>) -> String {
        "\(value) BETWEEN \(range.lowerBound) AND \(range.upperBound)"
    }
}
