import CambiumEngine
import CambiumModel
import CambiumRecords
import CambiumSQLite

/// Writes the order of the lists of one ordered relationship, after the members were written and in
/// the same transaction. It applies the changes of a list to the list in the store, and writes the
/// changed positions with one statement.
struct ListWriter {
    let sql: OrderSQL
    let connection: Connection

    func write(_ lists: [SaveRequest.Order.List]) throws {
        var places: [Place] = []
        // A list with only appended members is not read.
        var others = lists.filter(\.order.changesPlaces)
        let grown = lists.filter { !$0.order.changesPlaces }
        let ends = try ends(of: grown)
        for list in grown {
            let end = ends[list.owner]
            // The only members without a position are the appended ones.
            if let end, end.placeless == list.order.appended.count,
                let appended = ListPlaces.appended(list.order.appended, after: end.last)
            {
                places += appended.map { Place(owner: list.owner, member: $0, place: $1) }
            } else {
                others.append(list)
            }
        }
        let members = try members(of: others)
        for list in others {
            places += self.places(of: list, among: members[list.owner] ?? [])
        }
        try write(places)
    }

    /// Writes the positions of the members of new lists, without any positions yet. If a member
    /// does not belong to its list's owner, it gets none.
    func writeNew(_ lists: [(owner: Int64, members: [Int64])]) throws {
        try write(
            lists.flatMap { list in
                ListPlaces.changes(for: list.members, from: [:])
                    .map { Place(owner: list.owner, member: $0, place: $1) }
            })
    }

    private struct Place {
        let owner: Int64
        let member: Int64
        let place: Int64
    }

    private struct End {
        let last: Int64?
        let placeless: Int
    }

    private struct Member {
        let key: Int64
        let place: Int64?
    }

    private func places(
        of list: SaveRequest.Order.List, among members: [Member]
    ) -> [Place] {
        let newcomers = Set(list.order.appended)
        let present = Set(members.map(\.key))
        let stored = members.filter { $0.place != nil || !newcomers.contains($0.key) }
        let order = list.order.applied(to: stored.map(\.key)).filter(present.contains)
        let places = Dictionary(
            members.compactMap { member in member.place.map { (member.key, $0) } },
            uniquingKeysWith: { one, _ in one })
        return ListPlaces.changes(for: order, from: places)
            .map { Place(owner: list.owner, member: $0, place: $1) }
    }

    private func ends(of lists: [SaveRequest.Order.List]) throws -> [Int64: End] {
        var ends: [Int64: End] = [:]
        try connection.query(sql.ends, over: lists.map(\.owner).sorted()) { statement in
            ends[statement.integer(at: 0)] = End(
                last: Self.place(statement.value(at: 1)),
                placeless: Int(statement.integer(at: 2)))
        }
        return ends
    }

    private func members(of lists: [SaveRequest.Order.List]) throws -> [Int64: [Member]] {
        var members: [Int64: [Member]] = [:]
        try connection.query(sql.members, over: lists.map(\.owner).sorted()) { statement in
            members[statement.integer(at: 0), default: []].append(
                Member(
                    key: statement.integer(at: 1),
                    place: Self.place(statement.value(at: 2))))
        }
        return members
    }

    private static func place(_ value: StoredValue) -> Int64? {
        if case .integer(let place) = value { place } else { nil }
    }

    private func write(_ places: [Place]) throws {
        guard !places.isEmpty else { return }
        let shape = RecordShape(kinds: [.integer, .integer])
        let writer = RecordWriter()
        let records = places.sorted { $0.member < $1.member }.map { place in
            let placed = writer.makeRecord(shape)
            placed.record.key = place.member
            placed.record.setInteger(0, place.owner)
            placed.record.setInteger(1, place.place)
            return placed
        }
        try withExtendedLifetime(records) {
            _ = try connection.runPending(sql.place, over: records.map(\.record), shape: shape)
        }
    }
}

extension [Record] {
    /// Returns the records in the order of their keys, the fastest order for insertions into a
    /// B-tree.
    func sortedByKey() -> [Record] {
        for index in indices.dropFirst() where self[index].key < self[index - 1].key {
            return sorted { $0.key < $1.key }
        }
        return self
    }

    /// Returns the ranges of records with consecutive keys.
    func runsOfKeys() -> [Range<Int>] {
        var runs: [Range<Int>] = []
        var start = 0
        for index in indices where index == count - 1 || self[index].key &+ 1 != self[index + 1].key
        {
            runs.append(start..<index + 1)
            start = index + 1
        }
        return runs
    }

    /// Returns the records of each version, in their order.
    func groupedByVersion() -> [(version: Int64, records: [Record])] {
        guard let first else { return [] }
        if allSatisfy({ $0.version == first.version }) { return [(first.version, self)] }
        return Dictionary(grouping: self, by: \.version).ordered { $0.key < $1.key }
            .map { ($0.key, $0.value) }
    }
}
