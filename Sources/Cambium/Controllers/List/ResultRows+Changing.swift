extension ResultRows {
    /// Takes over sorted rows instead of all that there are. Their chunks have room for others.
    mutating func reset(to entries: [ResultEntry], _ directory: inout ChunkDirectory) {
        chunks = []
        ends = []
        directory = ChunkDirectory()
        directory.reserve(entries.count)
        let size = max(1, chunkSize * 3 / 4)
        for start in stride(from: 0, to: entries.count, by: size) {
            let part = entries[start..<min(start + size, entries.count)]
            let chunk = ResultChunk(number: directory.makeNumber())
            // Some room, so that the first to come do not make all of them move.
            chunk.reserve(
                part.count + part.count / 8, width: width, keepsObjects: source == nil)
            for entry in part {
                chunk.append(entry, keepsObject: source == nil)
                directory.insert(entry.key, in: chunk.number)
            }
            directory.insertChunk(chunk.number, at: chunks.count)
            chunks.append(chunk)
            ends.append(part.endIndex)
        }
        directory.locate(from: 0)
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
        moveEnds(shrunk.reversed().map { ($0.position, -$0.by) })
        uniteSmall(shrunk.map(\.position), &directory)
    }

    /// Inserts sorted rows.
    ///
    /// - Returns: The indices of the rows before which they came, as these were numbered until now.
    mutating func insert(
        _ entries: [ResultEntry], _ directory: inout ChunkDirectory
    ) -> [Int] {
        guard !entries.isEmpty else { return [] }
        if chunks.isEmpty {
            chunks.append(ResultChunk(number: directory.makeNumber()))
            ends.append(0)
            directory.insertChunk(chunks[0].number, at: 0)
            directory.locate(from: 0)
        }
        var places: [Int] = []
        places.reserveCapacity(entries.count)
        var grown: [(position: Int, by: Int)] = []
        var position = 0
        var next = 0
        while next < entries.count {
            let first = entries[next]
            position = partitionIndex(
                from: position, reach: next == 0 ? chunks.count : 1, chunks.count - 1
            ) { !endsBefore(first, $0) }
            let start = start(of: position)
            let isLast = position == chunks.count - 1
            let chunk = ownChunk(position)
            var offsets: [Int] = []
            while next + offsets.count < entries.count {
                let entry = entries[next + offsets.count]
                if !isLast, !offsets.isEmpty, endsBefore(entry, position) { break }
                // Those that come together often come close to each other.
                let reach = offsets.isEmpty ? chunk.rows.count : 1
                offsets.append(
                    partitionIndex(from: offsets.last ?? 0, reach: reach, chunk.rows.count) {
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
        moveEnds(grown)
        divideLarge(grown.map(\.position), &directory)
        return places
    }

    // MARK: Chunks

    /// A chunk to be changed: a copy, where somebody else has it too.
    private mutating func ownChunk(_ position: Int) -> ResultChunk {
        if !isKnownUniquelyReferenced(&chunks[position]) {
            chunks[position] = chunks[position].copy()
        }
        return chunks[position]
    }

    /// Whether all rows of a chunk come before an object.
    private func endsBefore(_ entry: ResultEntry, _ position: Int) -> Bool {
        let chunk = chunks[position]
        return precedes(chunk, chunk.rows.count - 1, entry.keys, entry.key)
    }

    /// Lets go of empty chunks, and puts small ones together with those before them.
    ///
    /// - Parameter positions: Those that lost rows, the last first.
    private mutating func uniteSmall(_ positions: [Int], _ directory: inout ChunkDirectory) {
        var first: Int?
        for position in positions {
            let count = self.count(ofChunk: position)
            let isSmall =
                position > 0 && count + self.count(ofChunk: position - 1) <= chunkSize / 2
            guard isSmall || count == 0 else { continue }
            if count > 0 {
                let chunk = chunks[position]
                let other = ownChunk(position - 1)
                other.append(chunk, chunk.rows.indices, width: width)
                directory.move(chunk.rows, from: chunk.number, to: other.number)
                ends[position - 1] = ends[position]
            }
            chunks.remove(at: position)
            ends.remove(at: position)
            directory.removeChunk(at: position)
            first = position
        }
        if let first { directory.locate(from: first) }
    }

    /// Divides chunks that have become too large.
    ///
    /// - Parameter positions: Those that got rows, the first first.
    private mutating func divideLarge(_ positions: [Int], _ directory: inout ChunkDirectory) {
        var first: Int?
        for position in positions.reversed() {
            let count = count(ofChunk: position)
            guard count > chunkSize else { continue }
            let start = start(of: position)
            let chunk = ownChunk(position)
            let parts = (count + chunkSize - 1) / chunkSize
            for part in (1..<parts).reversed() {
                let range = count * part / parts..<chunk.rows.count
                let new = chunk.split(range, number: directory.makeNumber(), width: width)
                directory.move(new.rows, from: chunk.number, to: new.number)
                chunks.insert(new, at: position + 1)
                ends.insert(start + range.lowerBound, at: position)
                directory.insertChunk(new.number, at: position + 1)
            }
            if parts > 2 { chunk.trim() }
            first = position
        }
        if let first { directory.locate(from: first) }
    }

    private func count(ofChunk position: Int) -> Int { ends[position] - start(of: position) }

    /// Counts on, where chunks, the first first, got or lost rows.
    private mutating func moveEnds(_ changes: [(position: Int, by: Int)]) {
        guard var position = changes.first?.position else { return }
        var distance = 0
        for (index, change) in changes.enumerated() {
            distance += change.by
            let end = index + 1 < changes.count ? changes[index + 1].position : ends.count
            // Safety: the pointer stays in the closure, and the positions are those of chunks.
            ends.withUnsafeMutableBufferPointer { ends in
                for position in position..<max(position, end) { ends[position] += distance }
            }
            position = max(position, end)
        }
    }
}
