import CambiumModel
import CambiumRecords
import CambiumSQLite

/// A row that was taken out of its table, and the values that it is put back with.
struct SwappedRow {
    private let sql: RowCopySQL
    private let values: [StoredValue]
    private let entity: EntityDescription
    private let key: Int64
    private let history: StoreHistory
    /// The slots that get other values.
    private let changedSlots: SlotSet

    /// Takes the row out.
    ///
    /// - Parameter history: What is to say that the row was changed, and not deleted and inserted.
    /// - Returns: Nil where there is no such row.
    init?(
        _ record: Record, _ slots: SlotSet, of entity: EntityDescription, _ sql: RowCopySQL,
        _ connection: Connection, history: StoreHistory
    ) throws {
        self.sql = sql
        self.entity = entity
        self.history = history
        self.key = record.key
        let key = StoredValue.integer(record.key)
        guard var values = try connection.rows(sql.select, [key]).first else { return nil }
        let places = Dictionary(
            sql.columns.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        if let place = places[SystemColumn.version] { values[place] = .integer(record.version + 1) }
        var changedSlots = SlotSet()
        slots.forEach { slot in
            guard let column = entity.layout.slots[slot].column, let place = places[column] else {
                return
            }
            let value = record.storedValue(slot, entity.shape.kinds[slot])
            if value != values[place] { changedSlots.insert(slot) }
            // A place in a list belongs to the owner that it is with.
            if value != values[place], let position = sql.positions[column].flatMap({ places[$0] })
            {
                values[position] = .null
            }
            values[place] = value
        }
        self.values = values
        self.changedSlots = changedSlots
        let statement = try connection.statement(sql.delete)
        try statement.bind([key])
        try statement.run()
    }

    /// Puts it back.
    func putBack(_ connection: Connection) throws {
        let statement = try connection.statement(sql.insert)
        try statement.bind(values)
        try statement.run()
        let names = changedSlots.slots.map { entity.layout.slots[$0].property }
        try history.noteMove(of: key, entity.name, names, connection)
    }
}
