import CambiumEngine
import CambiumMigration
import CambiumModel
import CambiumRecords
import CambiumSQL
import CambiumSQLite

extension SQLiteEngine {
    func settledExternalNames() throws -> Set<String>? { externalFiles?.settledNames }

    func repair(
        _ kinds: Set<StoreFinding.Kind>, externalNames: Set<String>
    ) throws -> [StoreRepair] {
        guard !isReadOnly else { throw StoreError.readOnly }
        return try writer.withLock { connection in
            try connection.requireOwnFile()
            var repairs: [StoreRepair] = []
            let author = TransactionAuthor(name: HistoryTransaction.repairAuthor)
            try connection.transaction {
                try recording(author, on: connection) {
                    if kinds.contains(.staleValue) { repairs += try repairValues(connection) }
                }
                if kinds.contains(.keyCounter) { repairs += try repairKeys(connection) }
            }
            if kinds.contains(.unreferencedExternalData), let externalFiles {
                repairs += try repair(externalFiles, externalNames, connection)
            }
            checkpointIfNeeded(connection)
            return repairs
        }
    }

    /// Computes all derived values that are out of date, in the order of their dependencies.
    private func repairValues(_ connection: Connection) throws -> [StoreRepair] {
        try model.model.derivations.compactMap { derivation in
            guard !derivation.sources.usesNow, let update = derivation.updateOfAll else {
                return nil
            }
            try connection.execute(update.sql)
            let count = connection.changes
            if count == 0 { return nil }
            return StoreRepair(
                .staleValue, entityName: derivation.entity.name,
                property: derivation.attribute.name, count: count)
        }
    }

    private func repairKeys(_ connection: Connection) throws -> [StoreRepair] {
        try model.entities.filter { $0.index == $0.rootIndex }.compactMap { root in
            let rows = try connection.rows(prepared.selects[root.index].greatestKey)
            guard case .integer(let last)? = rows.first?.first, last < .max else { return nil }
            let next = try connection.rows(KeySQL.query, [.text(root.name)]).first?.first
            if case .integer(let next)? = next, next > last { return nil }
            _ = try connection.rows(
                next == nil ? KeySQL.insert : KeySQL.raise,
                [.text(root.name), .integer(last + 1)])
            return StoreRepair(.keyCounter, entityName: root.name, property: nil, count: 1)
        }
    }

    /// Deletes files in the same way as after an interrupted save. A journal names the files, and
    /// files that a row references are kept.
    private func repair(
        _ files: ExternalFiles, _ names: Set<String>, _ connection: Connection
    ) throws -> [StoreRepair] {
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
            StoreRepair(.unreferencedExternalData, entityName: nil, property: nil, count: count)
        ]
    }
}
