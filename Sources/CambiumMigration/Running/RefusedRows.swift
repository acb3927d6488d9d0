import CambiumModel
import CambiumPlan
import CambiumSQL

/// Finds the rows for which a statement of a migration has failed, in the transaction that will be
/// rolled back. Errors of the search are ignored, because there is an error already.
package protocol RefusalSearch {
    /// Returns the rows of a query; none if it fails.
    func rows(_ query: String) -> [[StoredValue]]
    /// Returns the first row that a search finds.
    func row(_ search: RefusalSQL.Search, of statement: MigrationStatement) -> [StoredValue]?
    /// Returns the key of the first row that a statement could not change.
    func keyOfChange(_ statement: MigrationStatement) -> Int64?
}

/// Finds the rows that violate a constraint in a migration, and describes the violation.
package struct RefusedRows<Store: RefusalSearch> {
    private let model: Model
    private let statements: [MigrationStatement]
    private let store: Store

    /// - Parameters:
    ///   - model: The model of the program.
    ///   - statements: The statements of the migration.
    package init(_ model: Model, in statements: [MigrationStatement], of store: Store) {
        (self.model, self.statements, self.store) = (model, statements, store)
    }

    /// Finds the rows for which a statement has failed.
    ///
    /// - Parameters:
    ///   - name: The violated constraint of the model.
    ///   - reason: A description of the violation.
    package func refusal(
        by statement: MigrationStatement, of step: String, _ name: ConstraintName?, reason: String
    ) -> MigrationRefusal {
        var refusal = firstRefusal(by: statement, of: step, name, reason: reason)
        let sources = sources(ofRowsIn: statement)
        guard !sources.isEmpty else { return refusal }
        // The tables from which the rows were copied are still unchanged.
        let shifts = sources.map { source -> (table: String, shift: Int64) in
            let found = source.shift.flatMap { store.rows($0).first?.first?.integer }
            return (source.table, found ?? 0)
        }
        func former(_ key: Int64) -> (table: String, shift: Int64)? {
            shifts.filter { $0.shift < key }.max { $0.shift < $1.shift }
        }
        let formers = refusal.objects.map(former)
        let tables = Set(formers.compactMap { $0?.table })
        // Two objects of different tables have only the new name in common.
        guard tables.count == 1, let table = tables.first else { return refusal }
        refusal.entity = table
        refusal.objects = zip(refusal.objects, formers).map { $0 - ($1?.shift ?? 0) }
        return refusal
    }

    /// The old tables of the rows of a violation, if the rows have new keys.
    private func sources(ofRowsIn statement: MigrationStatement) -> [CopiedKeys.Source] {
        // A copy has the name of the old table, and the new keys.
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
        by statement: MigrationStatement, of step: String, _ name: ConstraintName?, reason: String
    ) -> MigrationRefusal {
        var refusal = MigrationRefusal(step: step, reason: reason)
        refusal.constraint = name?.text
        guard let search = RefusalSQL.search(after: statement, of: column(of: name)) else {
            if case .updateRows(let table, _) = statement.operation,
                let key = store.keyOfChange(statement)
            {
                (refusal.entity, refusal.objects) = (table, [key])
            }
            return refusal
        }
        refusal.entity = TableCopies.lastingName(
            of: search.table, after: statements.map(\.operation))
        guard let row = store.row(search, of: statement) else { return refusal }
        let hasTwo = if case .secondKey = search.rest { true } else { false }
        refusal.objects = row.prefix(hasTwo ? 2 : 1).compactMap(\.integer)
        refusal.value = value(in: row, of: search, name).map { words($0, of: search, name) }
        return refusal
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
            index = column(of: name).flatMap { columns.firstIndex(of: $0) }
        }
        guard let index, index < row.count, row[index] != .null else { return nil }
        return row[index]
    }

    /// The column that a constraint limits, or nil if it limits several.
    private func column(of name: ConstraintName?) -> String? {
        guard case .property(let entityName, let property, let check)? = name, check != .presence,
            let entity = model.entity(named: entityName)
        else { return nil }
        return model.column(of: property, in: entity)
    }

    /// The value in the notation of the model language, shortened. If the value does not have the
    /// attribute's type, the notation of SQL is used.
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
}
