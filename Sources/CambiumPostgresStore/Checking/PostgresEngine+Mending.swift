import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL

extension PostgresEngine {
    func mend(
        _ kinds: Set<StoreFinding.Kind>, externalNames: Set<String>
    ) throws -> [StoreMend] {
        guard !isReadOnly else { throw StoreError.readOnly }
        return try writing { connection in
            try transaction(connection) { noting, _ in
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
                return try (kinds.contains(.staleValue) ? mendValues(connection) : [])
                    + (kinds.contains(.unreferencedExternalData) ? mendExternal(connection) : [])
                    + (kinds.contains(.keyCounter) ? mendKeys(connection) : [])
            }
        }
    }

    /// Recomputes all outdated derived values, each after the ones that it reads.
    private func mendValues(_ connection: PostgresConnection) throws -> [StoreMend] {
        let computed = ComputedValues(derivations: derivations, now: .now)
        return try derivations.maintained.compactMap { maintained in
            if maintained.derived.sources.usesNow { return nil }
            var count = 0
            if let statement = maintained.updateOfAll(layout) {
                count = try connection.run(PostgresName.shortened(statement.sql)).changes
            } else {
                try computed.differing(maintained, { try $0(connection) }) { values in
                    guard !values.isEmpty else { return }
                    _ = try connection.run([computed.update(values, maintained)])
                    count += values.count
                }
            }
            if count == 0 { return nil }
            return StoreMend(
                .staleValue, entityName: maintained.derived.entity.name,
                property: maintained.derived.attribute.name, count: count)
        }
    }

    private func mendExternal(_ connection: PostgresConnection) throws -> [StoreMend] {
        let count = try connection.run("DELETE \(layout.unreferencedValues)").changes
        if count == 0 { return [] }
        return [
            StoreMend(.unreferencedExternalData, entityName: nil, property: nil, count: count)
        ]
    }

    private func mendKeys(_ connection: PostgresConnection) throws -> [StoreMend] {
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
            return StoreMend(.keyCounter, entityName: root.name, property: nil, count: 1)
        }
    }
}
