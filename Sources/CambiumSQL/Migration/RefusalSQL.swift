import CambiumModel
import CambiumPlan

/// Statements that fail with a textual reason if a store has rows that do not fit.
package enum RefusalSQL {
    /// The table with a CHECK, which is SQLite's way to put a text of Cambium into an error.
    static let table = "_refusal"

    /// A condition that rows have not met yet.
    package struct Condition: Equatable {
        /// The text of the error if a row does not meet it.
        let name: String
        /// SQL over the row.
        let condition: String
        /// The columns that it uses.
        let columns: Set<String>
        /// The column that contains the invalid value, if it is a single one.
        var column: String?
    }

    /// Returns statements that fail if a query has a row.
    ///
    /// - Parameters:
    ///   - query: The key of an object, and the value that is the cause, or NULL.
    ///   - table: The table of the objects.
    ///   - others: The other tables that the query reads.
    ///   - type: The type of the value, in the model's notation.
    static func statements(
        _ query: String, of table: String, with others: [String] = [], type: String? = nil,
        reason: String
    ) -> [MigrationStatement] {
        [
            .create(
                Self.table,
                """
                ("row" INTEGER CONSTRAINT \(SQLText.identifier(reason)) \
                CHECK ("row" IS NULL), "value" ANY) STRICT
                """),
            MigrationStatement(
                .checkRows(table, with: others, type: type),
                "INSERT INTO \"_refusal\" (\"row\", \"value\")\n", query),
            .drop(Self.table),
        ]
    }

    /// Returns statements that fail if a row of a table does not meet one of the conditions. All
    /// conditions are checked in one pass.
    ///
    /// - Parameter ofOneRow: Whether checking one row is enough, because all rows have the same
    ///   values there.
    static func statements(
        _ conditions: [Condition], in table: String, ofOneRow: Bool
    ) -> [MigrationStatement] {
        if conditions.isEmpty { return [] }
        let name = SQLText.identifier(table)
        let source = ofOneRow ? "(SELECT * FROM \(name) LIMIT 1)" : name
        let numbers = conditions.indices.map { "\"\($0 + 1)\"" }
        let checks = zip(numbers, conditions).map { number, condition in
            "\(number) INTEGER CONSTRAINT \(SQLText.identifier(condition.name)) CHECK (\(number))"
        }
        let values = conditions.compactMap { condition in
            condition.column.map {
                "WHEN NOT (\(condition.condition)) THEN \(SQLText.identifier($0))"
            }
        }
        let value = values.isEmpty ? "NULL" : "CASE \(values.joined(separator: " ")) END"
        let results = conditions.map { "(\($0.condition)) IS NOT FALSE" }
        let isRefused = conditions.map { "NOT (\($0.condition))" }.joined(separator: " OR ")
        return [
            .create(
                Self.table,
                "(\n    "
                    + (["\"row\" INTEGER", "\"value\" ANY"] + checks).joined(separator: ",\n    ")
                    + "\n) STRICT"),
            MigrationStatement(
                // A single row is invalid, not the table.
                ofOneRow ? .insertRows(Self.table) : .checkRows(table),
                """
                INSERT INTO "_refusal" \
                (\((["\"row\"", "\"value\""] + numbers).joined(separator: ", ")))\n
                """,
                """
                SELECT \((["\"_id\"", value] + results).joined(separator: ", "))\n\
                FROM \(source)\nWHERE \(isRefused) LIMIT 1
                """),
            .drop(Self.table),
        ]
    }

    // MARK: Afterwards

    /// Returns the same change for some rows alone.
    ///
    /// - Parameter condition: The condition on the rows, in SQL.
    /// - Returns: Nil if the statement does not update rows.
    package static func change(
        _ statement: MigrationStatement, ofRowsWhere condition: String
    ) -> String? {
        guard case .updateRows = statement.operation else { return nil }
        return statement.rest.isEmpty
            ? "\(statement.head) WHERE \(condition)"
            : "\(statement.head)\(condition) AND (\(statement.rest))"
    }

    /// Returns the same change for one row alone, with its key as the first parameter.
    ///
    /// - Returns: The query of the keys of all rows that it changes, and the statement; nil if the
    ///   statement does not update rows.
    package static func changeOfOne(
        _ statement: MigrationStatement
    ) -> (keys: String, change: String)? {
        let key = SQLText.identifier(SystemColumn.key)
        guard case .updateRows(let table, _) = statement.operation,
            let change = change(statement, ofRowsWhere: "\(key) = ?1")
        else { return nil }
        let condition = statement.rest.isEmpty ? "" : " WHERE \(statement.rest)"
        return (
            "SELECT \(key) FROM \(SQLText.identifier(table))\(condition) ORDER BY \(key)", change
        )
    }

    /// A query for the rows that made a statement fail.
    package struct Search: Sendable {
        /// The table that has them.
        package let table: String
        /// The statement that has to run before.
        package let preparation: String?
        /// A query that has the key of the first row first.
        package let query: String
        /// The columns after the key.
        package let rest: Rest
        /// The columns that are equal in two rows.
        package var columns: [String] = []
        /// The type of the value in the query, in the model's notation, if there is one.
        package var valueType: String?

        /// The other columns of a query.
        package enum Rest: Sendable {
            /// The value that is to blame, or NULL.
            case value
            /// The key of a second row that is equal to the first.
            case secondKey
            /// The columns of a new row; these are all of its columns.
            case columns([String])
        }
    }

    /// Returns the query for the rows; nil if the statement's operation has none.
    ///
    /// - Parameter column: The column with the limit that a statement adds to a table in place.
    package static func search(
        after statement: MigrationStatement, of column: String? = nil
    ) -> Search? {
        switch statement.operation {
        case .checkRows(let table, _, let type):
            Search(
                table: table, preparation: nil, query: statement.rest, rest: .value,
                valueType: type)
        case .copyRows(let copy) where copy.isOfObjects:
            search(copying: statement, copy.source, into: copy.destination, .columns(copy.columns))
        case .settleRows(let root, let table):
            search(
                copying: statement, TableCopies.workingName(of: root), into: table, .columns([]))
        case .createIndex(_, let table, let unique?): search(table, unique)
        case .alterTable(let table): search(table, statement.rest, column)
        default: nil
        }
    }

    /// Rows that do not meet a condition, or without a value in a column if there is no condition.
    private static func search(
        _ table: String, _ condition: String, _ column: String?
    ) -> Search? {
        let column = column.map { SQLText.identifier($0) }
        let test = condition.isEmpty ? column.map { "\($0) IS NOT NULL" } : condition
        guard let test else { return nil }
        return Search(
            table: table, preparation: nil,
            query: """
                SELECT "_id", \(column ?? "NULL") FROM \(SQLText.identifier(table))\n\
                WHERE NOT (\(test)) ORDER BY "_id" LIMIT 1
                """,
            rest: .value)
    }

    /// The type of values that are, or may be, in files of their own.
    package static let externalForm = "data in files"

    /// Returns the search after a failed copy. The new table takes all rows that it can, and the
    /// missing rows are the invalid ones.
    private static func search(
        copying statement: MigrationStatement, _ source: String, into table: String,
        _ rest: Search.Rest
    ) -> Search {
        Search(
            table: source,
            preparation: "INSERT OR IGNORE" + statement.sql.dropFirst("INSERT".count),
            query:
                """
                SELECT * FROM (\n\(statement.rest)\n)\nWHERE "_id" NOT IN (SELECT "_id" FROM \
                \(SQLText.identifier(table))) LIMIT 1
                """,
            rest: rest)
    }

    /// Rows that are equal in all columns of an index.
    private static func search(_ table: String, _ unique: UniqueRows) -> Search {
        Search(
            table: table, preparation: nil,
            query: """
                SELECT min("_id"), max("_id") FROM \(SQLText.identifier(table))\n\
                WHERE \(unique.conditions.joined(separator: " AND "))\n\
                GROUP BY \(unique.list) HAVING count(*) > 1 ORDER BY 1 LIMIT 1
                """,
            rest: .secondKey, columns: unique.columns)
    }
}

extension Table {
    /// Returns conditions that texts have no NUL, if a CHECK would ignore the rest of the text:
    /// SQLite's length() and GLOB stop at a NUL. Cambium writes no text with one, but another
    /// program may have.
    func textConditions(of check: Check) -> [RefusalSQL.Condition] {
        guard check.endsAtNUL else { return [] }
        return columns.filter { column in
            column.type == .text && check.columns.contains(column.name)
        }.map { column in
            let text = SQLText.identifier(column.name)
            return RefusalSQL.Condition(
                name:
                    "\(name).\(column.name) contains a NUL character, which a string cannot contain",
                condition: "instr(\(text), char(0)) = 0", columns: [column.name],
                column: column.name)
        }
    }

    /// Returns the text conditions of all CHECKs, except the CHECKs that all source tables have
    /// too.
    func textConditions(besides sources: [Table]) -> [RefusalSQL.Condition] {
        let known = sources.map { Set($0.allChecks.map { $0.condition }) }
        var conditions: [RefusalSQL.Condition] = []
        for check in allChecks where !known.allSatisfy({ $0.contains(check.condition) }) {
            conditions += textConditions(of: check).filter { !conditions.contains($0) }
        }
        return conditions
    }

    private var allChecks: [Check] { columns.flatMap { $0.checks } + checks }
}

/// The old keys of rows in tables that a migration creates.
///
/// If the objects of several old tables are combined, the objects of the first keep their keys. The
/// keys of each other table are shifted behind all keys that were ever used before it.
package struct CopiedKeys: Sendable {
    /// Rows of an old table in a new one.
    package struct Source: Sendable {
        /// The old table.
        package let table: String
        /// A query of the number that is added to its keys; nil if they stay.
        package let shift: String?

        /// Creates the source of a copy; nil if its rows have no keys.
        package init?(_ copy: RowCopy) {
            guard copy.isOfObjects else { return nil }
            table = copy.source
            shift =
                copy.precedingRoots.isEmpty
                ? nil : "SELECT \(ModelMatch.keyCount(of: copy.precedingRoots))"
        }
    }

    private var sources: [String: [Source]] = [:]

    /// Follows the operations of a migration that were carried out.
    package init(after operations: some Sequence<SchemaOperation>) {
        for operation in operations {
            switch operation {
            case .copyRows(let copy):
                sources[copy.destination, default: []] += [Source(copy)].compactMap { $0 }
            case .renameTable(let table, let name):
                sources[name] = sources.removeValue(forKey: table)
            default: break
            }
        }
    }

    /// Returns the sources of a table's rows, by the table's current name. The result is empty if
    /// it is a table of the old store, or if its rows keep their keys.
    package func sources(of table: String) -> [Source] {
        let found = sources[table] ?? []
        return found.contains { $0.shift != nil } ? found : []
    }
}

/// Builds statements that fail with a textual reason if the data of a store does not fit the new
/// version. They run before anything is changed.
struct RefusalBuilder {
    let difference: ModelDifference

    /// The step that searches for such data; nil if all data fits.
    var step: MigrationStep? {
        let refusals = conversions + abstractEntities + missingValues + movedKeys
        guard !refusals.isEmpty else { return nil }
        var reasons: [String] = []
        for refusal in refusals where !reasons.contains(refusal.reason) {
            reasons.append(refusal.reason)
        }
        return MigrationStep(
            summary: "Reject the store if " + reasons.joined(separator: ", or "),
            kind: .needsData,
            statements: refusals.flatMap { refusal in
                difference.match.dialect.refusal(
                    """
                    SELECT "_id", \(refusal.value) FROM \(SQLText.identifier(refusal.table))\n\
                    WHERE \(refusal.condition) LIMIT 1
                    """,
                    of: refusal.table, with: refusal.others.sorted(), type: refusal.type,
                    reason: refusal.reason)
            })
    }

    private struct Refusal {
        let reason: String
        let table: String
        let condition: String
        /// SQL for the invalid value.
        var value = "NULL"
        /// The type of that value: the message has no other information about the previous version.
        var type: String?
        /// The other tables that the condition reads.
        var others: Set<String> = []
    }

    private var unsettledEntities: [Entity] {
        difference.new.entities.filter { !difference.match.settled.contains($0.name) }
    }

    private var conversions: [Refusal] {
        unsettledEntities.flatMap { entity in
            entity.attributes.filter { !$0.isTransient && $0.derivation == nil }
                .flatMap { attribute in
                    difference.match.sources(of: attribute.name, in: entity).compactMap {
                        refusal(for: attribute, of: entity, from: $0)
                    }
                }
        }
    }

    private func refusal(
        for attribute: Attribute, of entity: Entity, from source: PropertySource
    ) -> Refusal? {
        guard let owner = difference.old.entity(named: source.old.entity),
            let old = owner.attribute(named: source.old.property),
            !old.isTransient,
            let conversion = AttributeConversion(
                from: old, in: difference.old, to: attribute, in: difference.new)
        else { return nil }
        let column = SQLText.identifier(difference.old.column(of: old.name, in: owner))
        let isRevised = difference.match.isRevised(attribute.name, in: entity.name)
        guard
            let isFit = difference.match.dialect.acceptance(
                of: column, conversion, isRevised: isRevised)
        else { return nil }
        var condition = "\(column) IS NOT NULL AND NOT (\(isFit))"
        if let owners = difference.match.partialOwners(of: source) {
            condition = "\"_entity\" IN (\(SQLText.literals(owners))) AND \(condition)"
        }
        let type = attribute.type.notation
        return Refusal(
            reason: old.usesExternalForm && !attribute.usesExternalForm
                ? "a value of \(owner.name).\(old.name) is stored in a file, or does not fit"
                : "a value of \(owner.name).\(old.name) does not fit its new type, \(type)",
            table: difference.old.root(of: owner).name, condition: condition, value: column,
            type: old.usesExternalForm ? RefusalSQL.externalForm : old.type.notation)
    }

    private var abstractEntities: [Refusal] {
        difference.changes.compactMap { change in
            guard case .entityBecameAbstract(let name) = change,
                let oldEntity = difference.new.entity(named: name)
                    .flatMap(difference.match.oldEntity)
            else { return nil }
            let root = difference.old.root(of: oldEntity)
            let isOfEntity = "\"_entity\" = \(SQLText.literal(oldEntity.name))"
            return Refusal(
                reason: "there are objects of \(oldEntity.name), which becomes abstract",
                table: root.name,
                condition: difference.old.hasSubentities(root)
                    ? isOfEntity : difference.match.dialect.condition(true))
        }
    }

    /// Checks of new attributes that the author declares every object to have: such objects cannot
    /// exist.
    private var missingValues: [Refusal] {
        let (old, new) = (difference.old, difference.new)
        return (new.migration?.requirements ?? []).flatMap { required -> [Refusal] in
            guard let entity = new.entity(named: required.entity), !difference.isSupplied(entity),
                let attribute = entity.attribute(named: required.property),
                attribute.defaultValue == nil, attribute.derivation == nil,
                !difference.match.hasOldValues(attribute.name, in: entity.name),
                difference.match.fill(of: attribute.name, in: entity.name) == nil
            else { return [] }
            return new.family(of: entity).compactMap(difference.match.oldEntity)
                .filter { !$0.isAbstract }
                .map { former in
                    let root = old.root(of: former)
                    let isOfEntity = "\"_entity\" = \(SQLText.literal(former.name))"
                    return Refusal(
                        reason: "an object of \(former.name) has no \(attribute.name)",
                        table: root.name,
                        condition: old.hasSubentities(root)
                            ? isOfEntity : difference.match.dialect.condition(true))
                }
        }
    }

    /// Checks of a one-to-one when its key moves to the other side, because the old store did not
    /// enforce that the other side has only one.
    private var movedKeys: [Refusal] {
        unsettledEntities.flatMap { entity in
            entity.relationships.flatMap { relationship -> [Refusal] in
                guard case .key = difference.new.storage(of: relationship, of: entity),
                    let links = CarriedLinks(of: relationship, of: entity, in: difference.match),
                    links.keeps.source == nil
                else { return [] }
                return links.sets.filter { $0.keyOfSource == nil }.map { links in
                    let table = links.isSwapped ? links.destinationTable : links.table
                    let owner = links.isSwapped ? links.destination : links.entity
                    let key = owner.map { self.key(of: $0, in: table) } ?? "\"_id\""
                    return Refusal(
                        reason: """
                            an object has several others at \
                            \(entity.name).\(relationship.name)
                            """,
                        table: table,
                        condition: """
                            (SELECT count(*) FROM \(difference.match.dialect.source(links.query())) \
                            WHERE "source" = \(key)) > 1
                            """,
                        others: links.tables.subtracting([table]))
                }
            }
        }
    }

    /// The new key of a row's object.
    private func key(of entity: Entity, in table: String) -> String {
        guard difference.match.shiftsKeys(of: entity) else { return "\"_id\"" }
        return difference.match.newKey("\(SQLText.identifier(table)).\"_id\"", of: entity)
    }
}
