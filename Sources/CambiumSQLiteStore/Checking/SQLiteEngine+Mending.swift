import CambiumEngine
import CambiumMigration
import CambiumModel
import CambiumRecords
import CambiumSQL
import CambiumSQLite

extension SQLiteEngine {
    func settledExternalNames() throws -> Set<String>? { externalFiles?.settledNames }

    func mend(
        _ kinds: Set<StoreFinding.Kind>, externalNames: Set<String>
    ) throws -> [StoreMend] {
        guard !isReadOnly else { throw StoreError.readOnly }
        return try writer.withLock { connection in
            try connection.requireOwnFile()
            var mends: [StoreMend] = []
            try connection.transaction {
                try recording(TransactionAuthor(), on: connection) {
                    if kinds.contains(.staleValue) { mends += try mendValues(connection) }
                }
                if kinds.contains(.keyCounter) { mends += try mendKeys(connection) }
            }
            if kinds.contains(.unreferencedExternalData), let externalFiles {
                mends += try mend(externalFiles, externalNames, connection)
            }
            checkpointIfNeeded(connection)
            return mends
        }
    }

    /// Computes all derived values that are out of date, in the order of their dependencies.
    private func mendValues(_ connection: Connection) throws -> [StoreMend] {
        try model.model.derivations.compactMap { derivation in
            guard !derivation.sources.usesNow, let update = derivation.updateOfAll else {
                return nil
            }
            try connection.execute(update.sql)
            let count = connection.changes
            if count == 0 { return nil }
            return StoreMend(
                .staleValue, entityName: derivation.entity.name,
                property: derivation.attribute.name, count: count)
        }
    }

    private func mendKeys(_ connection: Connection) throws -> [StoreMend] {
        try model.entities.filter { $0.index == $0.rootIndex }.compactMap { root in
            let rows = try connection.rows(prepared.selects[root.index].greatestKey)
            guard case .integer(let last)? = rows.first?.first, last < .max else { return nil }
            let next = try connection.rows(KeySQL.query, [.text(root.name)]).first?.first
            if case .integer(let next)? = next, next > last { return nil }
            _ = try connection.rows(
                next == nil ? KeySQL.insert : KeySQL.raise,
                [.text(root.name), .integer(last + 1)])
            return StoreMend(.keyCounter, entityName: root.name, property: nil, count: 1)
        }
    }

    /// Deletes files in the same way as those of an interrupted save: a journal names them, and
    /// files that a row references are kept.
    private func mend(
        _ files: ExternalFiles, _ names: Set<String>, _ connection: Connection
    ) throws -> [StoreMend] {
        let before = files.names
        let found = names.intersection(before).sorted()
        guard !found.isEmpty else { return [] }
        try reportingFiles {
            _ = try files.announce(found)
            try ExternalSweep(files, model: model.model).run(connection)
        }
        let count = Set(found).subtracting(files.names).count
        if count == 0 { return [] }
        return [
            StoreMend(.unreferencedExternalData, entityName: nil, property: nil, count: count)
        ]
    }
}
