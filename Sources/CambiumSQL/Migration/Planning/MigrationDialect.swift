import CambiumModel
import CambiumPlan

/// The parts of a migration's SQL that differ between engines. All other SQL is written at the
/// place that needs it, in a form that all engines understand.
package protocol MigrationDialect: MigrationSupport {
    // MARK: Tables

    /// The SQL type of keys and positions in tables that only the migration has.
    var integer: String { get }
    /// The options at the end of the statement that creates a table that only the migration has.
    var tableOptions: String { get }
    /// The options of tables in which rows are only found by their primary key.
    var keyedTableOptions: String { get }
    /// A column of a table that the program's steps work on: it may be NULL.
    func workingColumn(_ column: Table.Column) -> String
    /// Whether foreign keys are dropped before a migration and added after it. SQLite switches all
    /// of them off in the meantime.
    var dropsForeignKeys: Bool { get }
    /// Creates a table of the new version, by its own or another name.
    func creation(of table: Table, named name: String) -> MigrationStatement
    /// Returns the statements that give a table its own name in place of a temporary one.
    func renaming(_ name: String, to table: Table) -> [MigrationStatement]
    /// Adds a column to a table. Existing rows get a constant.
    ///
    /// - Parameter value: The constant; nil if there is none.
    func addition(of column: Table.Column, _ value: String?, to table: String)
        -> [MigrationStatement]
    /// Changes the definitions of a table's columns.
    func statements(for change: Restatement) -> [MigrationStatement]
    /// Adds each pair in the other direction to a table of pairs, `source` and `destination`.
    func mirroring(of pairs: String) -> [MigrationStatement]

    // MARK: Statements

    /// Returns a statement with names in the engine's form.
    func named(_ statement: MigrationStatement) -> MigrationStatement
    /// Inserts the rows of a query one by one, without rows with keys that are already in the
    /// table.
    func insertionOfFirst(
        into table: String, _ columns: [String], _ query: String, from sources: [String]
    ) -> MigrationStatement
    /// Fails if a query has a row.
    ///
    /// - Parameters:
    ///   - query: The key of an object, and the value that is the cause, or NULL.
    ///   - table: The table of the objects.
    ///   - others: The other tables that the query reads.
    ///   - type: The type of the value, in the model's notation.
    func refusal(
        _ query: String, of table: String, with others: [String], type: String?, reason: String
    ) -> [MigrationStatement]
    /// Fails if texts in a new table contain a NUL and the engine allows it.
    func refusal(ofTexts conditions: [RefusalSQL.Condition], in table: String)
        -> [MigrationStatement]

    // MARK: Queries

    /// Returns the text in FROM for a query.
    func source(_ query: String) -> String
    /// Returns a query that the engine does not merge into the surrounding query.
    func fenced(_ query: String) -> String
    /// Returns a condition that is always met or never met.
    func condition(_ isMet: Bool) -> String

    // MARK: Values

    /// NULL with the type of keys and positions.
    var noInteger: String { get }
    /// NULL, of the type of a column.
    func none(of column: Table.Column) -> String
    /// NULL, of the type of an attribute's values.
    func none(of attribute: Attribute, in model: Model) -> String
    /// Returns a constant; nil if there is no such value.
    func literal(_ value: StoredValue, of type: AttributeType, in model: Model) -> String?
    /// Returns SQL for the stored form of bytes that are kept in the row.
    func inlined(_ bytes: String) -> String
    /// Returns SQL for the greater of two numbers.
    func greater(_ one: String, _ other: String) -> String
    /// SQL for the time of the migration.
    var moment: String { get }
    /// SQL for a new UUID in each row.
    var newUUID: String { get }
    /// Returns whether the values of an old column are the same in the new one.
    func keepsValues(_ conversion: AttributeConversion) -> Bool
    /// Returns the new form of an old value.
    func value(_ conversion: AttributeConversion, of old: String) -> String
    /// Returns the condition for an old value to be accepted; nil if every value is. The value is
    /// not NULL.
    ///
    /// - Parameter isRevised: Whether a fill computes the new value from the old one.
    func acceptance(of old: String, _ conversion: AttributeConversion, isRevised: Bool) -> String?

    // MARK: Expressions

    /// Returns a condition on rows of an entity's table, and the other tables that it reads; nil if
    /// the engine cannot express it.
    ///
    /// - Parameters:
    ///   - alias: The name of the table in the statement; nil for its own name.
    ///   - variables: Objects that the condition may start from. Their tables have the names of
    ///     ``ExpressionSQL/alias(ofVariable:)``.
    func condition(
        _ condition: ModelExpression, of entity: Entity, in model: Model, as alias: String?,
        variables: [String: Entity]
    ) -> (sql: String, tables: Set<String>)?
    /// Returns a fill's value over the columns of a new row; nil if the engine cannot compute it.
    ///
    /// - Parameter former: The objects in the previous version. Their values are in additional
    ///   columns of the new row.
    func fill(
        _ expression: ModelExpression, for attribute: Attribute, of entity: Entity,
        in model: Model, former: Entity?
    ) -> String?
    /// Returns the attributes of the new version that saves keep up to date, with the statements
    /// that compute them for all rows. A statement is nil if the attribute is computed in memory,
    /// after all statements.
    func derivations(of model: Model) -> [(derived: any DerivedValue, update: MigrationStatement?)]

    // MARK: History

    /// Returns the statements that migrate the history of a store.
    func history(_ match: ModelMatch) -> any HistoryDialect
}

extension MigrationDialect {
    package func finds(
        where condition: ModelExpression, of entity: Entity, in match: ModelMatch
    ) -> Bool {
        match.rows(where: condition, of: entity) != nil
    }

    package func finds(_ link: MigrationDeclaration.Link, in match: ModelMatch) -> Bool {
        LinkSource.all(of: link, in: match) != nil
    }

    package func computes(
        _ fill: ModelExpression, for attribute: Attribute, of entity: Entity, in match: ModelMatch
    ) -> Bool {
        ValueSource.fill(fill, for: attribute, of: entity, in: match) != nil
    }
}

extension ModelMatch {
    /// The dialect of the stores' engine for migrations.
    var dialect: any MigrationDialect { support as? any MigrationDialect ?? SQLiteMigration() }
}
