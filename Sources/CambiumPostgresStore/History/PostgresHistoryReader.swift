import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL

/// Reads a store's history, in a transaction that the caller has begun.
struct PostgresHistoryReader {
    let connection: PostgresConnection
    /// The identity of the history. A restarted history has another one.
    let epoch: UUID
    /// The number of the last transaction, and that of the last one that was removed.
    let bounds: (last: Int64, floor: Int64)
    /// Whether all transactions that the reader sees have a number.
    let isWhole: Bool
    let sql: PostgresHistorySQL
    let layout: PostgresLayout
    let store: StoreIdentifier

    /// The number of transactions that are read with one statement.
    private static let readAtOnce = 200

    /// The end of the history.
    var end: HistoryToken.Position { position(bounds.last) }

    private func position(_ number: Int64) -> HistoryToken.Position {
        .init(epoch: epoch, change: number)
    }

    /// Returns the transactions that match a request.
    ///
    /// - Parameter seen: The position up to which the caller has read; nil for the beginning.
    /// - Returns: The transactions, and the position up to which the history was searched.
    /// - Throws: ``StoreError`` if transactions after that position were removed.
    func transactions(
        _ request: HistoryRequest, after seen: HistoryToken.Position?
    ) throws -> (transactions: [HistoryTransaction], end: HistoryToken.Position) {
        if let seen {
            guard seen.epoch == epoch, seen.change >= bounds.floor, seen.change <= bounds.last
            else { throw StoreError.historyExpired(store.uuid) }
        }
        let limit = request.limit ?? .max
        var number = max(seen?.change ?? 0, bounds.floor)
        var found: [HistoryTransaction] = []
        while found.count < limit, number < bounds.last {
            let headers = try headers(after: number)
            guard let last = headers.last else { break }
            var wanted = headers.filter {
                request.wants(
                    author: $0.transaction.author, contextName: $0.transaction.contextName,
                    date: $0.transaction.date)
            }
            // If the request selects changes, it is not known yet which transactions match.
            if !request.selectsChanges { wanted = Array(wanted.prefix(limit - found.count)) }
            let changes =
                request.includesChanges ? try changes(of: wanted.map(\.id), request) : [:]
            number = last.transaction.number
            for header in wanted {
                var transaction = header.transaction
                transaction.changes = changes[header.id] ?? []
                if transaction.changes.isEmpty, request.selectsChanges { continue }
                found.append(transaction)
                if found.count == limit {
                    number = transaction.number
                    break
                }
            }
        }
        return (found, position(number))
    }

    private typealias Header = (id: Int64, transaction: HistoryTransaction)

    private func headers(after number: Int64) throws -> [Header] {
        let rows = try connection.run([sql.transactions(after: number, limit: Self.readAtOnce)])[0]
        func text(_ row: Int, _ column: Int) -> String? {
            rows.isNull(row, column) ? nil : rows.text(row, column)
        }
        return (0..<rows.count).map { row in
            let number = rows.integer(row, 0)
            return (
                rows.integer(row, 1),
                HistoryTransaction(
                    number: number,
                    date: Date(
                        timeIntervalSinceReferenceDate: PostgresTimestamp.seconds(
                            rows.integer(row, 2))),
                    author: text(row, 3), contextName: text(row, 4), processName: text(row, 5),
                    processIdentifier: rows.isNull(row, 6) ? nil : Int(rows.integer(row, 6)),
                    storeIdentifier: store.uuid,
                    token: HistoryToken([store.uuid: position(number)]), changes: [],
                    writer: text(row, 7))
            )
        }
    }

    /// The changes of transactions, by their ids.
    private func changes(
        of ids: [Int64], _ request: HistoryRequest
    ) throws -> [Int64: [HistoryChange]] {
        guard !ids.isEmpty else { return [:] }
        let model = layout.model
        let nothing = GatheredChanges(request, model, store)
        let entities = nothing.roots.map { roots in
            roots.flatMap { model.families[$0] }.map { model.entities[$0].name }
        }
        let rows = try connection.run([
            sql.changes(
                of: ids, entities: entities,
                keys: request.objectIDs.map { Array(Set($0.map(\.key))) })
        ])[0]
        var gathered: [Int64: GatheredChanges] = [:]
        for row in 0..<rows.count {
            let entity = rows.text(row, 2)
            gathered[rows.integer(row, 0), default: nothing].add(
                kind: rows.integer(row, 1), entity: entity, key: rows.integer(row, 3),
                properties: rows.text(row, 4)
            ) { values(rows, row, entity) }
        }
        return gathered.mapValues(\.changes)
    }

    private func values(
        _ rows: PostgresRows, _ row: Int, _ entity: String
    ) -> [FoldedChange.ColumnValue] {
        guard !rows.isNull(row, 5), let root = layout.model[entity]?.rootIndex else { return [] }
        let table = layout.tables[root]
        let (old, new) = (rows.array(row, 6), rows.array(row, 7))
        return rows.array(row, 5).enumerated().compactMap { index, name in
            // A column that the model does not have (any more) has no property.
            guard let column = name.map({ String(decoding: $0, as: UTF8.self) }),
                let type = table.type(of: column), index < old.count, index < new.count
            else { return nil }
            return .init(
                column: column, old: old[index].map(type.value) ?? .null,
                new: new[index].map(type.value) ?? .null)
        }
    }
}

extension PostgresRows {
    /// The elements of an array of one dimension; nil for NULL. Valid as long as the rows.
    func array(_ row: Int, _ column: Int) -> [UnsafeRawBufferPointer?] {
        let bytes = bytes(row, column)
        // The header: dimensions, flags, type, and the count and first index of the dimension.
        guard bytes.number(Int32.self) == 1 else { return [] }
        var place = 20
        return (0..<max(0, bytes.number(Int32.self, at: 12))).map { _ in
            let count = place + 4 <= bytes.count ? Int(bytes.number(Int32.self, at: place)) : -1
            place += 4
            guard count >= 0, place + count <= bytes.count else { return nil }
            defer { place += count }
            // Safety: a part of the value's bytes, which the rows keep.
            return UnsafeRawBufferPointer(rebasing: bytes[place..<place + count])
        }
    }
}
