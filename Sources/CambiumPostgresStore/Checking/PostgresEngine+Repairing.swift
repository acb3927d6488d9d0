import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL

extension PostgresEngine {
    func repair(
        _ kinds: Set<StoreFinding.Kind>, externalNames: Set<String>
    ) throws -> [StoreRepair] {
        guard !isReadOnly else { throw StoreError.readOnly }
        return try writing { connection in
            var recorder: PostgresRecorder?
            let author = TransactionAuthor(name: HistoryTransaction.repairAuthor)
            return try transaction(
                connection, ending: { history.ending(recorder, by: author) }
            ) { noting, beginning in
                recorder = history.recorder(beginning)
                // Other schemas may contain tables of the same names. The locks prevent other
                // writes to the sources of the values meanwhile.
                let tables = Schema(of: model.model).tables.filter { $0.content != .system }
                    .map { layout.qualified($0.name) }
                _ = try connection.run([
                    noting, PostgresStatement("SET LOCAL search_path = \(layout.schema), pg_temp"),
                    PostgresStatement(
                        """
                        LOCK TABLE \(tables.joined(separator: ", ")) IN SHARE ROW EXCLUSIVE MODE
                        """),
                ])
                return try (kinds.contains(.staleValue) ? repairValues(connection, recorder) : [])
                    + (kinds.contains(.unreferencedExternalData) ? repairExternal(connection) : [])
                    + (kinds.contains(.keyCounter) ? repairKeys(connection) : [])
            }
        }
    }

    /// Recomputes all outdated derived values, each after the ones that it reads.
    ///
    /// - Parameter recorder: Records them in the history, if the store has one.
    private func repairValues(
        _ connection: PostgresConnection, _ recorder: PostgresRecorder?
    ) throws -> [StoreRepair] {
        let computed = ComputedValues(derivations: derivations, now: .now)
        return try derivations.maintained.compactMap { maintained in
            if maintained.derived.sources.usesNow { return nil }
            let root = model.entities[maintained.attribute.rootIndex]
            func write(_ statement: PostgresStatement) throws -> Int {
                let statement =
                    recorder?.updating(statement, root, in: layout.table(of: root.entity))
                    ?? statement
                return try connection.run([statement])[0].changes
            }
            var count = 0
            if let value = maintained.value(at: .now) {
                let entity = model.index(named: maintained.derived.entity.name) ?? root.index
                let rows = layout.tables[entity].ofFamily ?? "true"
                count = try write(
                    maintained.update(to: value, where: rows, in: layout).statement())
            } else {
                try computed.differing(maintained, { try $0(connection) }) { values in
                    if !values.isEmpty { count += try write(computed.update(values, maintained)) }
                }
            }
            if count == 0 { return nil }
            return StoreRepair(
                .staleValue, entityName: maintained.derived.entity.name,
                property: maintained.derived.attribute.name, count: count)
        }
    }

    private func repairExternal(_ connection: PostgresConnection) throws -> [StoreRepair] {
        let count = try connection.run("DELETE \(layout.unreferencedValues)").changes
        if count == 0 { return [] }
        return [
            StoreRepair(.unreferencedExternalData, entityName: nil, property: nil, count: count)
        ]
    }

    private func repairKeys(_ connection: PostgresConnection) throws -> [StoreRepair] {
        try model.entities.filter { $0.index == $0.rootIndex }.compactMap { root in
            let count = try connection.run(
                """
                INSERT INTO \(layout.keys) AS k ("entity", "next") \
                SELECT \(SQLText.literal(root.name)), max("_id") + 1 \
                FROM \(layout.table(of: root.entity)) HAVING max("_id") IS NOT NULL \
                ON CONFLICT ("entity") DO UPDATE SET "next" = excluded."next" \
                WHERE k."next" < excluded."next"
                """
            ).changes
            if count == 0 { return nil }
            return StoreRepair(.keyCounter, entityName: root.name, property: nil, count: 1)
        }
    }
}
