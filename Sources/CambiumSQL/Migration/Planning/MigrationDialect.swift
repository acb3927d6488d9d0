import CambiumModel
import CambiumPlan

/// How an engine says what engines say differently in a migration. The rest of SQL is written where it
/// is needed, in words that all of them know.
package protocol MigrationDialect: MigrationSupport {
    // MARK: Tables

    /// The type of keys and places, in tables that only the migration has.
    var integer: String { get }
    /// What stands at the end of what makes such a table.
    var tableOptions: String { get }
    /// Whether what says that a column holds keys is dropped before a migration and added after it:
    /// SQLite switches all of that off meanwhile.
    var dropsForeignKeys: Bool { get }
    /// Creates a table of the new version, by its own or another name.
    func creation(of table: Table, named name: String) -> MigrationStatement
    /// Gives a table, which has another name meanwhile, its own.
    func renaming(_ name: String, to table: Table) -> [MigrationStatement]
    /// Adds a column to a table, such that its rows have a constant there.
    ///
    /// - Parameter value: The constant; nil where there is none.
    func addition(of column: Table.Column, _ value: String?, to table: String)
        -> [MigrationStatement]
    /// Changes what a table says about its columns.
    func statements(for change: Restatement) -> [MigrationStatement]
    /// Lets a table of pairs, `source` and `destination`, have each pair the other way round, too.
    func mirroring(of pairs: String) -> [MigrationStatement]

    // MARK: Statements

    /// A statement in which names have the form that the engine has for them.
    func named(_ statement: MigrationStatement) -> MigrationStatement
    /// Inserts the rows of a query one by one, without those whose keys are in the table already.
    func insertionOfFirst(
        into table: String, _ columns: [String], _ query: String, from sources: [String]
    ) -> MigrationStatement
    /// Fails where a query has a row.
    ///
    /// - Parameters:
    ///   - query: The key of an object, and the value that is to blame or NULL.
    ///   - table: The table of the objects.
    ///   - others: The other tables that the query reads.
    ///   - type: The type of the value, in the model's notation.
    func refusal(
        _ query: String, of table: String, with others: [String], type: String?, reason: String
    ) -> [MigrationStatement]
    /// Fails where texts in a new table hold a NUL, if the engine lets them.
    func refusal(ofTexts conditions: [RefusalSQL.Condition], in table: String)
        -> [MigrationStatement]

    // MARK: Queries

    /// What stands in FROM for a query.
    func source(_ query: String) -> String
    /// A query whose expressions do not become parts of the one around it.
    func fenced(_ query: String) -> String
    /// A condition that is always met, or never.
    func condition(_ isMet: Bool) -> String

    // MARK: Values

    /// NULL, of the type of keys and places.
    var noInteger: String { get }
    /// NULL, of the type of a column.
    func none(of column: Table.Column) -> String
    /// NULL, of the type of an attribute's values.
    func none(of attribute: Attribute, in model: Model) -> String
    /// A constant; nil where there is no such value.
    func literal(_ value: StoredValue, of type: AttributeType, in model: Model) -> String?
    /// The external form, in its row, of bytes.
    func inlined(_ bytes: String) -> String
    /// The moment of the migration.
    var moment: String { get }
    /// Another one for each row.
    var newUUID: String { get }
    /// Whether an old column has the very values of a new one.
    func keepsValues(_ conversion: AttributeConversion) -> Bool
    /// What becomes of an old value.
    func value(_ conversion: AttributeConversion, of old: String) -> String
    /// Whether an old value, which is not NULL, can be taken; nil where any can.
    ///
    /// - Parameter isRevised: Whether the author computes what it becomes from the value.
    func acceptance(of old: String, _ conversion: AttributeConversion, isRevised: Bool) -> String?

    // MARK: Expressions

    /// What the engine cannot do of what plans may ask for; nil where it can all of it.
    var limits: (engine: String, runsSteps: Bool)? { get }
    /// A condition on rows of an entity's table, and the other tables that it reads; nil where the
    /// engine cannot say it.
    ///
    /// - Parameters:
    ///   - alias: What the table is called; nil for its own name.
    ///   - variables: Objects that the condition may start from, whose tables are called as
    ///     ``ExpressionSQL/alias(ofVariable:)`` says.
    func condition(
        _ condition: ModelExpression, of entity: Entity, in model: Model, as alias: String?,
        variables: [String: Entity]
    ) -> (sql: String, tables: Set<String>)?
    /// A fill's value over the columns of a new row; nil where the engine cannot compute it.
    ///
    /// - Parameter former: What the objects were, whose values are beside those of the new row.
    func fill(
        _ expression: ModelExpression, for attribute: Attribute, of entity: Entity,
        in model: Model, former: Entity?
    ) -> String?
    /// The attributes of the new version that saves keep up to date, with what computes them for all
    /// rows, which is nil where memory does, after all statements.
    func derivations(of model: Model) -> [(derived: any DerivedValue, update: MigrationStatement?)]

    // MARK: History

    /// What becomes of the history of a store.
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
    /// How the engine of the stores says what a migration does.
    var dialect: any MigrationDialect { support as? any MigrationDialect ?? SQLiteMigration() }
}
