import CambiumEngine
import CambiumRecords
import CambiumSQL
import CambiumSQLite

/// The values, before a save, of derived attributes that are computed from other derived ones.
/// SQLite computes such a value with each statement that writes one of its sources, so a save may
/// change it twice and restore its former value. A history with values shows that. In a history
/// without values, the names of such attributes are removed.
struct ComposedValues {
    private let slots: [SlotSet]
    private let model: ModelDescription
    /// The last change of the history before the save.
    private let lastChange: Int64
    private var former: [RowIdentity: DerivedRow] = [:]

    /// - Parameter slots: The slots of the attributes, for each entity.
    init(_ slots: [SlotSet], _ model: ModelDescription, after lastChange: Int64) {
        self.slots = slots
        self.model = model
        self.lastChange = lastChange
    }

    /// Returns the keys of rows with unknown values, or nil if there are none.
    func unknown(_ keys: some Sequence<Int64>, root: Int) -> Set<Int64>? {
        guard model.families[root].contains(where: { !slots[$0].isEmpty }) else { return nil }
        let keys = Set(keys.filter { former[RowIdentity(root: root, key: $0)] == nil })
        return keys.isEmpty ? nil : keys
    }

    mutating func keep(_ rows: [DerivedRow]) {
        for row in rows { former[identity(of: row)] = row }
    }

    private func identity(of row: DerivedRow) -> RowIdentity {
        RowIdentity(root: model.entities[row.entity].rootIndex, key: row.key)
    }

    /// Removes the names of unchanged values from the history.
    func settle(_ rows: [DerivedRow], _ connection: Connection) throws {
        var settled: [Int: [Int: [Int64]]] = [:]
        for row in rows where !slots[row.entity].isEmpty {
            guard let before = former[identity(of: row)], before.entity == row.entity else {
                continue
            }
            for (old, new) in zip(before.values, row.values)
            where slots[row.entity].contains(new.slot) && old.value == new.value {
                settled[row.entity, default: [:]][new.slot, default: []].append(row.key)
            }
        }
        for (number, keys) in settled {
            let entity = model.entities[number]
            for (slot, keys) in keys {
                try connection.query(
                    HistorySQL.forgetProperty, over: keys.sorted(),
                    [
                        .text(" \(entity.layout.slots[slot].property)"), .integer(lastChange),
                        .text(entity.name),
                    ]
                ) { _ in }
            }
        }
    }
}
