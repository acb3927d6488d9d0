import CambiumModel
import CambiumPlan
import CambiumSQL
import CambiumSQLite

/// Explains SQLite's constraint failures.
extension MigrationRunner {
    /// Finds the rows that made a statement fail, and the reason. Searches for them again, in the
    /// transaction that is about to be rolled back.
    ///
    /// - Parameter statements: The statements of the migration.
    func refusal(
        by statement: MigrationStatement, of step: String, in statements: [MigrationStatement],
        _ error: SQLiteError, on connection: Connection
    ) -> MigrationRefusal {
        var refusal = firstRefusal(by: statement, of: step, in: statements, error, on: connection)
        let sources = sources(ofRowsIn: statement, among: statements)
        guard !sources.isEmpty else { return refusal }
        // The data about the rows' former tables is still unchanged.
        let shifts = sources.map { source -> (table: String, shift: Int64) in
            let found = source.shift.flatMap { try? connection.rows($0).first?.first?.integer }
            return (source.table, found ?? 0)
        }
        func former(_ key: Int64) -> (table: String, shift: Int64)? {
            shifts.filter { $0.shift < key }.max { $0.shift < $1.shift }
        }
        let formers = refusal.objects.map(former)
        let tables = Set(formers.compactMap { $0?.table })
        // Two objects of different tables have no name in common but the new one.
        guard tables.count == 1, let table = tables.first else { return refusal }
        refusal.entity = table
        refusal.objects = zip(refusal.objects, formers).map { $0 - ($1?.shift ?? 0) }
        return refusal
    }

    /// The old tables of the rows of a refusal, if their keys are new ones.
    private func sources(
        ofRowsIn statement: MigrationStatement, among statements: [MigrationStatement]
    ) -> [CopiedKeys.Source] {
        // A copy has the old table's name, and the new keys.
        if case .copyRows(let copy) = statement.operation, let source = CopiedKeys.Source(copy) {
            return source.shift == nil ? [] : [source]
        }
        let done = statements.prefix { $0 != statement }
        guard done.count < statements.count,
            let place = RefusalSQL.search(after: statement)?.table
        else { return [] }
        return CopiedKeys(after: done.map(\.operation)).sources(of: place)
    }

    private func firstRefusal(
        by statement: MigrationStatement, of step: String, in statements: [MigrationStatement],
        _ error: SQLiteError, on connection: Connection
    ) -> MigrationRefusal {
        let name = constraint(of: error)
        var refusal = MigrationRefusal(step: step, reason: Self.reason(of: error, name))
        refusal.constraint = name?.text
        guard let search = RefusalSQL.search(after: statement) else {
            if let (table, key) = changedRow(by: statement, on: connection) {
                (refusal.entity, refusal.objects) = (table, [key])
            }
            return refusal
        }
        refusal.entity = TableCopies.lastingName(
            of: search.table, after: statements.map(\.operation))
        // That they are not found is no error beside the one that there is.
        if let preparation = search.preparation { try? connection.execute(preparation) }
        guard let row = try? connection.rows(search.query).first else { return refusal }
        let hasTwo = if case .secondKey = search.rest { true } else { false }
        refusal.objects = row.prefix(hasTwo ? 2 : 1).compactMap(\.integer)
        refusal.value = value(in: row, of: search, name).map { words($0, of: search, name) }
        return refusal
    }

    /// The row that a statement could not change: changes one after the other.
    private func changedRow(
        by statement: MigrationStatement, on connection: Connection
    ) -> (table: String, key: Int64)? {
        guard let (table, keys, change) = RefusalSQL.changeOfOne(statement),
            let rows = try? connection.rows(keys)
        else { return nil }
        for row in rows {
            guard let key = row.first?.integer else { return nil }
            do throws(SQLiteError) {
                _ = try connection.rows(change, [.integer(key)])
            } catch {
                return (table, key)
            }
        }
        return nil
    }

    private func value(
        in row: [StoredValue], of search: RefusalSQL.Search, _ name: ConstraintName?
    ) -> StoredValue? {
        var index: Int?
        switch search.rest {
        case .value:
            index = 1
        case .secondKey:
            break
        case .columns(let columns):
            guard let property = name?.property,
                let entity = name.flatMap({ model.entity(named: $0.entity) })
            else { return nil }
            index = columns.firstIndex(of: model.column(of: property, in: entity))
        }
        guard let index, index < row.count, row[index] != .null else { return nil }
        return row[index]
    }

    /// A value as the model language writes it, shortened for a person. A value that is not of its
    /// type is written as in SQL.
    private func words(
        _ stored: StoredValue, of search: RefusalSQL.Search, _ name: ConstraintName?
    ) -> String {
        let attribute = name?.property.flatMap { property in
            name.flatMap { model.entity(named: $0.entity) }
                .flatMap { model.attribute(property, of: $0) }
        }
        let isExternal =
            search.valueType == RefusalSQL.externalForm || attribute?.usesExternalForm == true
        if isExternal, case .blob(let form) = stored {
            return form.first == ExternalForm.file
                ? "in a file" : Value.data(form.dropFirst()).notation
        }
        let type = search.valueType.map(AttributeType.init(notation:)) ?? attribute?.type
        let text =
            type.flatMap { model.value(stored, as: $0) }?.notation ?? SQLText.literal(stored)
        let limit = 80
        return text.count <= limit ? text : text.prefix(limit) + "…"
    }

    // MARK: Names

    func constraint(of error: SQLiteError) -> ConstraintName? {
        model.constraint(failedWith: Self.withoutTemporaryNames(error.message))
    }

    /// The reason. If the statement contains a message of this package for its failure, that
    /// message is used.
    static func reason(of error: SQLiteError, _ name: ConstraintName?) -> String {
        if let name { return name.violation }
        let message = withoutTemporaryNames(error.message)
        let check = "CHECK constraint failed: "
        let required = "NOT NULL constraint failed: "
        let unique = "UNIQUE constraint failed: "
        if message.hasPrefix(check) { return String(message.dropFirst(check.count)) }
        if message.hasPrefix(required) {
            return "\(message.dropFirst(required.count)) has no value, and is required"
        }
        if message.hasPrefix(unique) {
            return "two objects have the same \(message.dropFirst(unique.count))"
        }
        return message
    }

    /// Tables that are rebuilt have another name meanwhile.
    private static func withoutTemporaryNames(_ message: String) -> String {
        message.replacing(": _new_", with: ": ").replacing(", _new_", with: ", ")
    }
}
