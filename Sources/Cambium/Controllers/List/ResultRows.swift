/// The rows of a controller's results in their order, in chunks of some hundreds.
///
/// A copy shares the chunks, so that it costs a reference for each of them; a change copies those
/// that it touches, where somebody else has them too. So nobody who still looks at an earlier state
/// makes a change cost what the length of the list is.
struct ResultRows {
    let order: ObjectOrder
    /// The greatest number of rows in a chunk.
    let chunkSize: Int
    /// What gives the rows' objects, where the rows do not keep them.
    let source: ResultSource?
    var chunks: [ResultChunk] = []
    /// The number of rows up to the end of each chunk.
    var ends: [Int] = []

    /// How many values decide a row's place.
    var width: Int { order.terms.count }
    var count: Int { ends.last ?? 0 }

    func start(of chunk: Int) -> Int {
        chunk == 0 ? 0 : ends[chunk - 1]
    }

    /// The chunk of a row, and where it is in it.
    ///
    /// - Complexity: O(log chunks)
    func place(of index: Int) -> (chunk: Int, offset: Int) {
        let chunk = partitionIndex(ends.count) { ends[$0] > index }
        return (chunk, index - start(of: chunk))
    }

    func key(at index: Int) -> Int64 {
        let (chunk, offset) = place(of: index)
        return chunks[chunk].rows[offset].key
    }

    /// The object of a row.
    func object(at index: Int) -> ManagedObject? {
        guard let source else {
            let (chunk, offset) = place(of: index)
            return chunks[chunk].objects[offset]
        }
        return source.object(key(at: index))
    }

    /// The object of a row that somebody looks at, who will look at its neighbours too.
    func shownObject(at index: Int) -> ManagedObject? {
        guard let source else { return object(at: index) }
        let start = index / source.windowSize * source.windowSize
        return source.shownObject(key(at: index)) {
            keys(in: start..<min(start + source.windowSize, count))
        }
    }

    /// Whether a row is that of an object, which has its key.
    func has(_ object: ManagedObject, at index: Int) -> Bool {
        guard source == nil else { return true }
        let (chunk, offset) = place(of: index)
        return chunks[chunk].objects[offset] === object
    }

    func keys(at index: Int) -> [Value] {
        let (chunk, offset) = place(of: index)
        return Array(chunks[chunk].values[offset * width..<(offset + 1) * width])
    }

    /// How the object of a row looked when it was last reported.
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
        return objects(in: range).map(\.objectID)
    }

    func keys(in range: Range<Int>) -> [Int64] {
        var keys: [Int64] = []
        keys.reserveCapacity(range.count)
        forEachPart(of: range) { keys.append(contentsOf: chunks[$0].rows[$1].map(\.key)) }
        return keys
    }

    /// Goes through the chunks that have rows of a range.
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
