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
    /// How the object looked when its last change was reported.
    var seen: SeenState
}

extension ResultChunk {
    /// Makes room for so many rows.
    func reserve(_ count: Int, width: Int, keepsObjects: Bool) {
        rows.reserveCapacity(count)
        if keepsObjects { objects.reserveCapacity(count) }
        values.reserveCapacity(count * width)
    }

    func append(_ entry: ResultEntry, keepsObject: Bool) {
        rows.append(ResultRow(key: entry.key, seen: entry.seen))
        if keepsObject, let object = entry.object { objects.append(object) }
        values.append(contentsOf: entry.keys)
    }

    /// Appends rows of another chunk.
    func append(_ other: ResultChunk, _ range: Range<Int>, width: Int) {
        rows.append(contentsOf: other.rows[range])
        if !other.objects.isEmpty { objects.append(contentsOf: other.objects[range]) }
        values.append(contentsOf: other.values[range.lowerBound * width..<range.upperBound * width])
    }

    /// Takes the last rows out, as a chunk of their own.
    func split(_ range: Range<Int>, number: Int, width: Int) -> ResultChunk {
        let part = ResultChunk(number: number)
        part.append(self, range, width: width)
        rows.removeLast(range.count)
        if !objects.isEmpty { objects.removeLast(range.count) }
        values.removeLast(range.count * width)
        return part
    }

    /// Gives back the room of rows that have left: an array that shrinks keeps it.
    func trim() {
        func copy<Element>(_ elements: [Element]) -> [Element] {
            var copy: [Element] = []
            copy.reserveCapacity(elements.count)
            copy.append(contentsOf: elements)
            return copy
        }
        (rows, objects, values) = (copy(rows), copy(objects), copy(values))
    }

    /// Removes the rows at ascending offsets.
    func remove(at offsets: [Int], width: Int) {
        rows.remove(at: offsets, width: 1)
        if !objects.isEmpty { objects.remove(at: offsets, width: 1) }
        values.remove(at: offsets, width: width)
    }

    /// Inserts rows before those that are at ascending offsets now.
    func insert(
        _ entries: ArraySlice<ResultEntry>, before offsets: [Int], width: Int, keepsObjects: Bool
    ) {
        let first = entries.startIndex
        rows.insert(before: offsets, width: 1) { row, _ in
            ResultRow(key: entries[first + row].key, seen: entries[first + row].seen)
        }
        if keepsObjects {
            let arriving = entries.compactMap(\.object)
            objects.insert(before: offsets, width: 1) { row, _ in arriving[row] }
        }
        values.insert(before: offsets, width: width) { row, part in
            entries[first + row].keys[part]
        }
    }
}

extension Array {
    /// How many rows are faster put in or taken out one by one, which moves the memory behind each:
    /// to exchange two elements counts their references up and down.
    private static var few: Int { 64 }

    /// Removes rows, which are so many elements each, at ascending offsets. What stays is moved
    /// once.
    fileprivate mutating func remove(at offsets: [Int], width: Int) {
        if offsets.count <= Self.few {
            for offset in offsets.reversed() {
                removeSubrange(offset * width..<(offset + 1) * width)
            }
            return
        }
        var target = offsets[0] * width
        for (number, offset) in offsets.enumerated() {
            let end = number + 1 < offsets.count ? offsets[number + 1] * width : count
            for source in (offset + 1) * width..<end {
                swapAt(source, target)
                target += 1
            }
        }
        removeLast(offsets.count * width)
    }

    /// Inserts rows, which are so many elements each, before those at ascending offsets. What is
    /// there is moved once.
    ///
    /// - Parameter element: An element by the number of its row and its place in that.
    fileprivate mutating func insert(
        before offsets: [Int], width: Int, _ element: (_ row: Int, _ part: Int) -> Element
    ) {
        if offsets.count <= Self.few {
            for row in offsets.indices.reversed() {
                for part in 0..<width {
                    insert(element(row, part), at: offsets[row] * width + part)
                }
            }
            return
        }
        guard width > 0 else { return }
        // From the back, so that nothing is overwritten before it has moved.
        var source = count
        append(contentsOf: repeatElement(element(0, 0), count: offsets.count * width))
        var target = count
        for row in offsets.indices.reversed() {
            while source > offsets[row] * width {
                source -= 1
                target -= 1
                swapAt(source, target)
            }
            for part in (0..<width).reversed() {
                target -= 1
                self[target] = element(row, part)
            }
        }
    }
}
