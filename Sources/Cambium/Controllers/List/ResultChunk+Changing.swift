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

    /// Removes the rows at ascending offsets.
    func remove(at offsets: [Int], width: Int) {
        // A few are faster moved one by one, which is a copy of memory each.
        if offsets.count <= 8 {
            for offset in offsets.reversed() {
                rows.remove(at: offset)
                if !objects.isEmpty { objects.remove(at: offset) }
                values.removeSubrange(offset * width..<(offset + 1) * width)
            }
            return
        }
        let kept = ResultChunk(number: number)
        var next = 0
        for offset in offsets + [rows.count] {
            kept.append(self, next..<offset, width: width)
            next = offset + 1
        }
        take(kept)
    }

    /// Inserts rows before those that are at ascending offsets now.
    func insert(
        _ entries: ArraySlice<ResultEntry>, before offsets: [Int], width: Int, keepsObjects: Bool
    ) {
        if entries.count <= 8 {
            for (entry, offset) in zip(entries, offsets).reversed() {
                rows.insert(ResultRow(key: entry.key, seen: entry.seen), at: offset)
                if keepsObjects, let object = entry.object { objects.insert(object, at: offset) }
                values.insert(contentsOf: entry.keys, at: offset * width)
            }
            return
        }
        let merged = ResultChunk(number: number)
        merged.reserve(rows.count + entries.count, width: width, keepsObjects: keepsObjects)
        var next = 0
        for (entry, offset) in zip(entries, offsets) {
            if next < offset { merged.append(self, next..<offset, width: width) }
            next = offset
            merged.append(entry, keepsObject: keepsObjects)
        }
        merged.append(self, next..<rows.count, width: width)
        take(merged)
    }

    private func take(_ other: ResultChunk) {
        rows = other.rows
        objects = other.objects
        values = other.values
    }
}
