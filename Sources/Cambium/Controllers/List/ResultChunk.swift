/// Some neighbouring rows of a list.
///
/// A chunk is written by whoever alone has it; see ``ResultRows``.
final class ResultChunk {
    /// What the table of keys calls the chunk.
    let number: Int
    var rows: [ResultRow]
    /// The objects of the rows; none where the list keeps none.
    var objects: [ManagedObject]
    /// The values that decide the rows' places, row by row.
    var values: [Value]

    init(number: Int, rows: [ResultRow] = [], objects: [ManagedObject] = [], values: [Value] = []) {
        self.number = number
        self.rows = rows
        self.objects = objects
        self.values = values
    }

    func copy() -> ResultChunk {
        ResultChunk(number: number, rows: rows, objects: objects, values: values)
    }

    /// The place of a row in the chunk.
    func offset(of key: Int64) -> Int? {
        for offset in rows.indices where rows[offset].key == key { return offset }
        return nil
    }
}

/// A row of a controller's results.
struct ResultRow {
    let key: Int64
    /// How the object looked when its last change was told.
    var seen: SeenState
}
