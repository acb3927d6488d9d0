import CambiumModel
import CambiumPlan
import CambiumSQL

/// What an engine finds of the rows because of which a statement of a migration has failed. It looks in the
/// transaction that is about to be undone. What is not found is no error beside the one that there is.
package protocol RefusalSearch {
    /// What a query finds.
    func rows(_ query: String) -> [[StoredValue]]
    /// The first of the rows that a search is for.
    func row(_ search: RefusalSQL.Search, of statement: MigrationStatement) -> [StoredValue]?
    /// The key of the first row that a statement could not change.
    func keyOfChange(_ statement: MigrationStatement) -> Int64?
}

/// Says which rows a migration is refused for, and why.
package struct RefusedRows<Store: RefusalSearch> {
    private let model: Model
    private let statements: [MigrationStatement]
    private let store: Store

    /// - Parameters:
    ///   - model: The model of the program.
    ///   - statements: Those of the migration.
    package init(_ model: Model, in statements: [MigrationStatement], of store: Store) {
        (self.model, self.statements, self.store) = (model, statements, store)
    }

    /// Which rows a statement has failed for.
    ///
    /// - Parameters:
    ///   - name: The constraint of the model that they break.
    ///   - reason: What is wrong, in words.
    package func refusal(
        by statement: MigrationStatement, of step: String, _ name: ConstraintName?, reason: String
    ) -> MigrationRefusal {
        var refusal = firstRefusal(by: statement, of: step, name, reason: reason)
        let sources = sources(ofRowsIn: statement)
        guard !sources.isEmpty else { return refusal }
        // What tells where the rows were, nothing has changed yet.
        let shifts = sources.map { source -> (table: String, shift: Int64) in
            let found = source.shift.flatMap { store.rows($0).first?.first?.integer }
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

    /// The old tables of the rows that a refusal is about, where their keys are new ones.
    private func sources(ofRowsIn statement: MigrationStatement) -> [CopiedKeys.Source] {
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
        by statement: MigrationStatement, of step: String, _ name: ConstraintName?, reason: String
    ) -> MigrationRefusal {
        var refusal = MigrationRefusal(step: step, reason: reason)
        refusal.constraint = name?.text
        guard let search = RefusalSQL.search(after: statement) else {
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
            guard let property = name?.property,
                let entity = name.flatMap({ model.entity(named: $0.entity) })
            else { return nil }
            index = columns.firstIndex(of: model.column(of: property, in: entity))
        }
        guard let index, index < row.count, row[index] != .null else { return nil }
        return row[index]
    }

    /// A value as the model language writes it, as far as a person wants to read it. What has no
    /// form of its type is as SQL writes it.
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
