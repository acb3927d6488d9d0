import CambiumRecords

/// Gathers, over several saves of other contexts, the rows that a context has no objects for: one
/// entry for each row, as the last save left it.
struct UnregisteredRows {
    private var rows: [ObjectChanges.UnregisteredRow?] = []
    private var places: [RowIdentity: Int] = [:]

    /// The rows in the order in which they came.
    var all: [ObjectChanges.UnregisteredRow] { rows.compactMap(\.self) }

    /// Makes room for so many rows, if there are none yet.
    mutating func reserve(_ count: Int) {
        guard rows.isEmpty else { return }
        places.reserveCapacity(count)
        rows.reserveCapacity(count)
    }

    mutating func insert(_ row: EntityChanges.InsertedRow, _ entity: EntityDescription) {
        places[RowIdentity(root: entity.rootIndex, key: row.key)] = rows.count
        rows.append(
            .init(entity: entity.index, key: row.key, placed: row.placed, slots: nil))
    }

    mutating func update(_ row: EntityChanges.UpdatedRow, _ entity: EntityDescription) {
        let place = RowIdentity(root: entity.rootIndex, key: row.key)
        guard let index = places[place], let known = rows[index] else {
            places[place] = rows.count
            rows.append(
                .init(entity: entity.index, key: row.key, placed: row.placed, slots: row.slots))
            return
        }
        // A change that came without the row makes the one that came before too old.
        if !row.slots.isEmpty { rows[index]?.placed = row.placed }
        var slots = known.slots
        slots?.formUnion(row.slots)
        rows[index]?.slots = slots
    }

    mutating func delete(_ key: Int64, _ entity: EntityDescription) {
        guard let index = places.removeValue(forKey: RowIdentity(root: entity.rootIndex, key: key))
        else { return }
        rows[index] = nil
    }
}
