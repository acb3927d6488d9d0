extension ResultRows {
    /// Takes over sorted rows instead of all that there are.
    mutating func reset(to entries: [ResultEntry<Entity>], _ directory: inout ChunkDirectory) {
        chunks = []
        ends = []
        directory = ChunkDirectory()
        directory.reserve(entries.count)
        for start in stride(from: 0, to: entries.count, by: chunkSize) {
            let chunk = ResultChunk<Entity>(number: directory.makeNumber())
            let part = entries[start..<min(start + chunkSize, entries.count)]
            chunk.rows.reserveCapacity(part.count)
            if source == nil { chunk.objects.reserveCapacity(part.count) }
            chunk.values.reserveCapacity(part.count * width)
            for entry in part {
                chunk.append(entry, keepsObject: source == nil)
                directory.insert(entry.key, in: chunk.number)
            }
            chunks.append(chunk)
        }
        noteStructure(&directory)
    }

    /// Lets a row have other values, which do not change its place.
    mutating func setKeys(_ keys: [Value], at index: Int) {
        let (position, offset) = place(of: index)
        ownChunk(position).values.replaceSubrange(offset * width..<(offset + 1) * width, with: keys)
    }

    mutating func setSeen(_ seen: SeenState, at index: Int) {
        let (position, offset) = place(of: index)
        ownChunk(position).rows[offset].seen = seen
    }

    /// Removes the rows at ascending indices.
    mutating func remove(at indices: [Int], _ directory: inout ChunkDirectory) {
        // From the back, so that the places before stay what they are.
        var shrunk: [(position: Int, by: Int)] = []
        var end = indices.count
        while end > 0 {
            let position = place(of: indices[end - 1]).chunk
            let start = start(of: position)
            let first = partitionIndex(end) { indices[$0] >= start }
            let offsets = indices[first..<end].map { $0 - start }
            let chunk = ownChunk(position)
            for offset in offsets { directory.remove(chunk.rows[offset].key, from: chunk.number) }
            chunk.remove(at: offsets, width: width)
            shrunk.append((position, offsets.count))
            end = first
        }
        if !uniteSmall(shrunk.map(\.position), &directory) {
            moveEnds(shrunk.reversed().map { ($0.position, -$0.by) })
        }
    }

    /// Inserts sorted rows.
    ///
    /// - Returns: The indices of the rows before which they came, as these were numbered until now.
    mutating func insert(
        _ entries: [ResultEntry<Entity>], _ directory: inout ChunkDirectory
    ) -> [Int] {
        guard !entries.isEmpty else { return [] }
        if chunks.isEmpty {
            chunks.append(ResultChunk(number: directory.makeNumber()))
            noteStructure(&directory)
        }
        var places: [Int] = []
        places.reserveCapacity(entries.count)
        var grown: [(position: Int, by: Int)] = []
        var position = 0
        var next = 0
        while next < entries.count {
            position = partitionIndex(from: position, chunks.count - 1) {
                !endsBefore(entries[next], $0)
            }
            let start = start(of: position)
            let isLast = position == chunks.count - 1
            let chunk = ownChunk(position)
            var offsets: [Int] = []
            while next + offsets.count < entries.count {
                let entry = entries[next + offsets.count]
                if !isLast, endsBefore(entry, position) { break }
                offsets.append(
                    partitionIndex(from: offsets.last ?? 0, chunk.rows.count) {
                        !precedes(chunk, $0, entry.keys, entry.key)
                    })
            }
            let arriving = entries[next..<next + offsets.count]
            places += offsets.map { start + $0 }
            for entry in arriving { directory.insert(entry.key, in: chunk.number) }
            chunk.insert(arriving, before: offsets, width: width, keepsObjects: source == nil)
            grown.append((position, offsets.count))
            next += offsets.count
        }
        if !divideLarge(grown.map(\.position), &directory) {
            moveEnds(grown.map { ($0.position, $0.by) })
        }
        return places
    }

    // MARK: Chunks

    /// A chunk to be changed: a copy, where somebody else has it too.
    private mutating func ownChunk(_ position: Int) -> ResultChunk<Entity> {
        if !isKnownUniquelyReferenced(&chunks[position]) {
            chunks[position] = chunks[position].copy()
        }
        return chunks[position]
    }

    /// Whether all rows of a chunk come before an object.
    private func endsBefore(_ entry: ResultEntry<Entity>, _ position: Int) -> Bool {
        let chunk = chunks[position]
        return precedes(chunk, chunk.rows.count - 1, entry.keys, entry.key)
    }

    /// Lets go of empty chunks, and puts small ones together with those before them.
    ///
    /// - Parameter positions: Those that lost rows, the last first.
    /// - Returns: Whether any came or went.
    private mutating func uniteSmall(
        _ positions: [Int], _ directory: inout ChunkDirectory
    ) -> Bool {
        var hasChanged = false
        for position in positions {
            let chunk = chunks[position]
            let isSmall =
                position > 0
                && chunk.rows.count + chunks[position - 1].rows.count <= chunkSize / 2
            guard isSmall || chunk.rows.isEmpty else { continue }
            if !chunk.rows.isEmpty {
                let other = ownChunk(position - 1)
                other.append(chunk, chunk.rows.indices, width: width)
                directory.move(chunk.rows, from: chunk.number, to: other.number)
            }
            directory.release(chunk.number)
            chunks.remove(at: position)
            hasChanged = true
        }
        if hasChanged { noteStructure(&directory) }
        return hasChanged
    }

    /// Divides chunks that have become too large.
    ///
    /// - Parameter positions: Those that got rows, the first first.
    /// - Returns: Whether any came.
    private mutating func divideLarge(
        _ positions: [Int], _ directory: inout ChunkDirectory
    ) -> Bool {
        guard positions.contains(where: { chunks[$0].rows.count > chunkSize }) else { return false }
        var divided: [ResultChunk<Entity>] = []
        for chunk in chunks {
            let count = chunk.rows.count
            let parts = (count + chunkSize - 1) / chunkSize
            guard parts > 1 else {
                divided.append(chunk)
                continue
            }
            for part in 0..<parts {
                let range = count * part / parts..<count * (part + 1) / parts
                let number = part == 0 ? chunk.number : directory.makeNumber()
                let new = chunk.part(range, number: number, width: width)
                if part > 0 { directory.move(new.rows, from: chunk.number, to: number) }
                divided.append(new)
            }
        }
        chunks = divided
        noteStructure(&directory)
        return true
    }

    private mutating func noteStructure(_ directory: inout ChunkDirectory) {
        var end = 0
        ends = chunks.map { chunk in
            end += chunk.rows.count
            return end
        }
        directory.locate(chunks)
    }

    /// Counts on, where chunks, the first first, got or lost rows.
    private mutating func moveEnds(_ changes: [(position: Int, by: Int)]) {
        guard var position = changes.first?.position else { return }
        var distance = 0
        for (index, change) in changes.enumerated() {
            distance += change.by
            let end = index + 1 < changes.count ? changes[index + 1].position : ends.count
            while position < end {
                ends[position] += distance
                position += 1
            }
        }
    }
}

extension ResultChunk {
    fileprivate func append(_ entry: ResultEntry<Entity>, keepsObject: Bool) {
        rows.append(ResultRow(key: entry.key, seen: entry.seen))
        if keepsObject, let object = entry.object { objects.append(object) }
        values.append(contentsOf: entry.keys)
    }

    /// Removes the rows at ascending offsets.
    fileprivate func remove(at offsets: [Int], width: Int) {
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
    fileprivate func insert(
        _ entries: ArraySlice<ResultEntry<Entity>>, before offsets: [Int], width: Int,
        keepsObjects: Bool
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
        merged.rows.reserveCapacity(rows.count + entries.count)
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
