import CambiumModel

/// Values one after the other, in the binary form of the wire.
struct WireWriter: ~Copyable {
    // Safety: `start` is the memory of this value alone. It has `capacity` bytes, and the first
    // `count` of them are written.
    private var start: UnsafeMutableRawPointer
    private var capacity: Int
    private(set) var count = 0

    /// - Parameter capacity: The initial capacity in bytes.
    init(capacity: Int = 64) {
        self.capacity = capacity
        // Safety: no other code has a reference to the memory, and `deinit` or `grow` frees it.
        start = .allocate(byteCount: capacity, alignment: 8)
    }

    deinit {
        // Safety: a value that cannot be copied ends once.
        start.deallocate()
    }

    /// Calls the body with the written bytes, which are valid during the call.
    borrowing func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Safety: so many bytes are written. The value is borrowed, so nothing grows during the
        // call.
        try body(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// Discards the written bytes, and keeps the memory.
    mutating func removeAll() {
        count = 0
    }

    /// Appends a number in the order of the network.
    @inline(__always)
    mutating func append<Number: FixedWidthInteger>(bigEndian number: Number) {
        let place = makeRoom(MemoryLayout<Number>.size)
        // Safety: there is room for the number. A place need not be aligned for storing bytes.
        place.storeBytes(of: number.bigEndian, as: Number.self)
    }

    /// Appends bytes.
    @inline(__always)
    mutating func append(contentsOf bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        // Safety: there is room for this number of bytes. They are not in this value's memory: only
        // `withBytes` gives access to it, and nothing can be appended meanwhile.
        makeRoom(bytes.count).copyMemory(from: source, byteCount: bytes.count)
    }

    /// Appends a text.
    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(contentsOf: UnsafeRawBufferPointer($0)) }
    }

    /// Appends data.
    mutating func append(_ data: Data) {
        data.withUnsafeBytes { append(contentsOf: $0) }
    }

    /// Appends a value with its size before it.
    ///
    /// - Parameter write: Appends the value; returns false for NULL.
    /// - Returns: The result of `write`.
    @discardableResult @inline(__always)
    mutating func appendSized(_ write: (inout WireWriter) -> Bool) -> Bool {
        let size = count
        append(bigEndian: Int32(-1))
        guard write(&self) else { return false }
        set(bigEndian: Int32(count - size - 4), at: size)
        return true
    }

    /// Overwrites a number.
    @inline(__always)
    mutating func set(bigEndian number: Int32, at place: Int) {
        guard place >= 0, place + MemoryLayout<Int32>.size <= count else { return }
        // Safety: these bytes are written ones.
        (start + place).storeBytes(of: number.bigEndian, as: Int32.self)
    }

    /// The address at which this number of further bytes is to be written.
    @inline(__always)
    private mutating func makeRoom(_ more: Int) -> UnsafeMutableRawPointer {
        if capacity - count < more { grow(more) }
        defer { count += more }
        // Safety: from there on so many bytes belong to this value. The caller writes all of them.
        return start + count
    }

    @inline(never)
    private mutating func grow(_ more: Int) {
        capacity = max(2 * capacity, count + more)
        // Safety: the new memory is larger than the copied bytes, and no address of the old memory
        // is kept.
        let new = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
        new.copyMemory(from: start, byteCount: count)
        start.deallocate()
        start = new
    }
}
