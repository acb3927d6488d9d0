import CambiumRecords

/// The sorted rows of a controller's results, in chunks of some hundreds.
///
/// A copy shares the chunks, so it costs one reference for each of them. A change copies only the
/// chunks that it changes, and only if they are shared. An earlier state that is still in use
/// therefore does not make a change cost as much as the length of the list.
struct ResultRows {
    let order: ObjectOrder
    /// The maximum number of rows in a chunk.
    let chunkSize: Int
    /// The source of the rows' objects, if the rows do not keep them.
    let source: ResultSource?
    var chunks: [ResultChunk] = []
    /// The number of rows up to the end of each chunk.
    var ends: [Int] = []

    /// The number of values that a row is sorted by.
    var width: Int { order.terms.count }
    var count: Int { ends.last ?? 0 }

    func start(of chunk: Int) -> Int {
        chunk == 0 ? 0 : ends[chunk - 1]
    }

    /// Returns the chunk of a row, and its offset in the chunk.
    ///
    /// - Complexity: O(log chunks)
    @inline(never)
    func place(of index: Int) -> (chunk: Int, offset: Int) {
        let chunk = partitionIndex(ends.count) { ends[$0] > index }
        return (chunk, index - start(of: chunk))
    }

    func key(at index: Int) -> Int64 {
        let (chunk, offset) = place(of: index)
        return chunks[chunk].rows[offset].key
    }

    /// The object of a row.
    @inline(never)
    func object(at index: Int) -> ManagedObject? {
        guard let source else {
            let (chunk, offset) = place(of: index)
            return chunks[chunk].objects[offset]
        }
        return source.object(key(at: index))
    }

    /// Returns the object of a row that the program accesses. Its neighbours are read with it.
    func shownObject(at index: Int) -> ManagedObject? {
        guard let source else { return object(at: index) }
        let start = index / source.windowSize * source.windowSize
        return source.shownObject(key(at: index)) {
            keys(in: start..<min(start + source.windowSize, count))
        }
    }

    /// Returns whether a row with the object's key has this object.
    func has(_ object: ManagedObject, at index: Int) -> Bool {
        guard source == nil else { return true }
        let (chunk, offset) = place(of: index)
        return chunks[chunk].objects[offset] === object
    }

    func keys(at index: Int) -> [Value] {
        let (chunk, offset) = place(of: index)
        return Array(chunks[chunk].values[offset * width..<(offset + 1) * width])
    }

    /// Returns the last reported state of a row's object.
    func seen(at index: Int) -> SeenState {
        let (chunk, offset) = place(of: index)
        return chunks[chunk].rows[offset].seen
    }

    func objects(in range: Range<Int>) -> [ManagedObject] {
        if let source { return source.objects(keys(in: range)) }
        var objects: [ManagedObject] = []
        objects.reserveCapacity(range.count)
        forEachPart(of: range) { objects.append(contentsOf: chunks[$0].objects[$1]) }
        return objects
    }

    func objectIDs(in range: Range<Int>) -> [ObjectID] {
        if let source { return keys(in: range).map(source.objectID) }
        return objects(in: range).map { $0.objectID }
    }

    func keys(in range: Range<Int>) -> [Int64] {
        var keys: [Int64] = []
        keys.reserveCapacity(range.count)
        forEachPart(of: range) { keys.append(contentsOf: chunks[$0].rows[$1].map { $0.key }) }
        return keys
    }

    /// Calls a closure for each chunk with rows of a range.
    @inline(never)
    func forEachPart(of range: Range<Int>, _ body: (_ chunk: Int, _ offsets: Range<Int>) -> Void) {
        var next = range.lowerBound
        while next < range.upperBound {
            let (chunk, offset) = place(of: next)
            let end = min(range.upperBound, ends[chunk])
            body(chunk, offset..<offset + end - next)
            next = end
        }
    }

    /// Whether a range has a row with such a key.
    func contains(in range: Range<Int>, where isWanted: (Int64) -> Bool) -> Bool {
        var isFound = false
        forEachPart(of: range) { chunk, offsets in
            isFound = isFound || chunks[chunk].rows[offsets].contains { isWanted($0.key) }
        }
        return isFound
    }

    /// Whether a row comes before an object.
    func precedes(
        _ chunk: ResultChunk, _ offset: Int, _ keys: [Value], _ key: Int64
    ) -> Bool {
        let result = order.order(chunk.values, offset * width, keys)
        return result == 0 ? chunk.rows[offset].key < key : result < 0
    }

    /// Whether the row at an index comes before an object.
    func precedes(_ index: Int, _ keys: [Value], _ key: Int64) -> Bool {
        let (chunk, offset) = place(of: index)
        return precedes(chunks[chunk], offset, keys, key)
    }
}

extension ResultRows {
    /// Replaces all rows by sorted ones. The chunks are not full, so that rows can be inserted.
    mutating func reset(to entries: [ResultEntry], _ directory: inout ChunkDirectory) {
        chunks = []
        ends = []
        directory = ChunkDirectory()
        directory.reserve(entries.count)
        let size = max(1, chunkSize * 3 / 4)
        for start in stride(from: 0, to: entries.count, by: size) {
            let part = entries[start..<min(start + size, entries.count)]
            let chunk = ResultChunk(number: directory.makeNumber())
            // Some spare capacity, so that the first insertions do not reallocate all chunks.
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

    /// Sets the values of a row without changing its position.
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
        // From the end, so that earlier positions stay valid.
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
        uniteSmall(shrunk.map { $0.position }, &directory)
    }

    /// Inserts sorted rows.
    ///
    /// - Returns: The old indices of the rows before which they were inserted.
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
                // Rows that are inserted together are often close to each other.
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
        divideLarge(grown.map { $0.position }, &directory)
        return places
    }

    // MARK: Chunks

    /// Returns a chunk that can be changed: a copy if it is shared.
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

    /// Removes empty chunks, and merges small ones with their predecessors.
    ///
    /// - Parameter positions: The positions of the chunks that lost rows, last first.
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
    /// - Parameter positions: The positions of the chunks that got rows, first first.
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

    /// Updates the end indices after chunks, in ascending order, got or lost rows.
    private mutating func moveEnds(_ changes: [(position: Int, by: Int)]) {
        guard var position = changes.first?.position else { return }
        var distance = 0
        for (index, change) in changes.enumerated() {
            distance += change.by
            let end = index + 1 < changes.count ? changes[index + 1].position : ends.count
            // Safety: the pointer does not leave the closure, and all positions are indices of
            // `ends`, below its count.
            ends.withUnsafeMutableBufferPointer { ends in
                for position in position..<max(position, end) { ends[position] += distance }
            }
            position = max(position, end)
        }
    }
}

/// Provides the objects of rows for a list that keeps only keys. It reads the objects of a window
/// together, with one statement.
final class ResultSource {
    /// The number of adjacent rows that are read together.
    let windowSize: Int
    private let context: ManagedObjectContext
    private let entity: EntityDescription
    /// The relationships that are read with the objects.
    private let prefetched: [String]
    /// The windows that were accessed last. They retain their objects.
    private var windows: [[ManagedObject]] = []
    /// The objects of deleted rows, while the program retains them: they are not registered any
    /// more.
    private var lost = [Int64: WeakObject]()
    /// The objects that the latest change removed, until it is reported.
    private var latestLost: [ManagedObject] = []

    private final class WeakObject {
        weak var object: ManagedObject?

        init(_ object: ManagedObject) {
            self.object = object
        }
    }

    init(_ scope: ResultScope, in context: ManagedObjectContext) {
        entity = scope.request.entity
        prefetched = scope.options.prefetched
        windowSize = scope.batchSize
        self.context = context
    }

    /// Returns the objects with these keys. They are registered afterwards.
    func objects(_ keys: [Int64]) -> [ManagedObject] {
        let map = context.registry.roots[entity.rootIndex]
        let missing = keys.filter { map.map[$0]?.record == nil }
        var read: [ManagedObject] = []
        var isRead = true
        if !missing.isEmpty {
            do {
                // The objects are fetched, not created from their keys: only a row tells the class
                // of its object.
                read = try context.fetching.objects(
                    RowRequest(entity: entity, selection: .keys(missing)), prefetching: prefetched,
                    context.fetching.rows)
            } catch {
                for key in missing {
                    let object = context.registry.object(entity: entity.index, key: key)
                    context.faulting.noteFailedRead(.row(RowIdentity(object)), of: object, error)
                }
                isRead = false
            }
        }
        return withExtendedLifetime(read) {
            keys.map { key in
                let object = context.registry.object(entity: entity.index, key: key)
                // The row was deleted; this is not an error of the caller.
                if isRead, object.record == nil, object.lifecycle == .clean {
                    context.rowMerging.invalidate(object)
                }
                return object
            }
        }
    }

    func object(_ key: Int64) -> ManagedObject? {
        if let object = lost[key]?.object { return object }
        return context.registry.roots[entity.rootIndex].map[key] ?? objects([key]).first
    }

    /// Returns an object that the program accesses. Its window is read with it.
    ///
    /// - Parameter window: The keys of the window.
    func shownObject(_ key: Int64, window: () -> [Int64]) -> ManagedObject? {
        if let known = context.registry.roots[entity.rootIndex].map[key], known.record != nil {
            return known
        }
        windows.append(objects(window()))
        if windows.count > 3 { windows.removeFirst() }
        return object(key)
    }

    // MARK: Objects that go

    func beginChange() {
        latestLost = []
        if lost.count > 1000 { lost = lost.filter { $0.value.object != nil } }
    }

    /// Remembers an object of a deleted row.
    func lose(_ object: ManagedObject) {
        latestLost.append(object)
        lost[object.key] = WeakObject(object)
    }

    /// Forgets the deleted object of a row that was inserted, perhaps again.
    func find(_ object: ManagedObject) {
        lost[object.key] = nil
    }

    /// Returns the identity of a row, without its object.
    func objectID(_ key: Int64) -> ObjectID {
        context.registry.roots[entity.rootIndex].map[key]?.objectID
            ?? ObjectID(
                entity, key: key,
                store: context.coordinator.storeIdentifier(ofRoot: entity.rootIndex))
    }
}
