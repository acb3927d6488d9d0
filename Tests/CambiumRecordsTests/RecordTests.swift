import CambiumModel
import Testing

@testable import CambiumRecords

struct RecordTests {
    private let shape = RecordShape(kinds: [.integer, .real, .text, .blob, .text])

    @Test func `a new record has no value anywhere`() {
        let placed = RecordWriter().makeRecord(shape)
        for slot in shape.kinds.indices {
            #expect(!placed.record.hasValue(slot))
            #expect(placed.record.storedValue(slot, shape.kinds[slot]) == .null)
        }
    }

    @Test func `each kind of slot keeps its value`() {
        let writer = RecordWriter()
        var placed = writer.makeRecord(shape)
        let values: [StoredValue] = [
            .integer(.min), .real(-0.0), .text("Ä🌲"), .blob(Data([0, 255])), .text(""),
        ]
        for (slot, value) in values.enumerated() { writer.set(value, slot, of: &placed, shape) }
        for (slot, value) in values.enumerated() {
            #expect(placed.record.storedValue(slot, shape.kinds[slot]) == value)
            #expect(placed.record.hasValue(slot))
        }
    }

    @Test func `a slot beyond the first word of presence bits is told apart`() {
        let wide = RecordShape(kinds: Array(repeating: .integer, count: 200))
        let placed = RecordWriter().makeRecord(wide)
        placed.record.setInteger(63, 1)
        placed.record.setInteger(64, 2)
        placed.record.setInteger(199, 3)
        let present = wide.kinds.indices.filter { placed.record.hasValue($0) }
        #expect(present == [63, 64, 199])
        placed.record.setNull(64)
        #expect(!placed.record.hasValue(64) && placed.record.hasValue(63))
    }

    @Test func `a copy shares no bytes with its source`() {
        let writer = RecordWriter()
        var source = writer.makeRecord(shape)
        source.record.key = 7
        writer.set(.text("before"), 2, of: &source, shape)
        let copy = writer.copy(source.record, shape)
        writer.set(.text("after!"), 2, of: &source, shape)
        #expect(copy.record.key == 7)
        #expect(copy.record.storedValue(2, .text) == .text("before"))
        #expect(source.record.storedValue(2, .text) == .text("after!"))
    }

    @Test func `text that outgrows its page moves the record with all its values`() {
        let writer = RecordWriter()
        var placed = writer.makeRecord(shape)
        placed.record.key = 1
        writer.set(.integer(42), 0, of: &placed, shape)
        writer.set(.text("kept"), 4, of: &placed, shape)
        let long = String(repeating: "long ", count: 40_000)
        writer.set(.text(long), 2, of: &placed, shape)
        #expect(placed.record.storedValue(2, .text) == .text(long))
        #expect(placed.record.storedValue(4, .text) == .text("kept"))
        #expect(placed.record.integer(0) == 42)
        #expect(placed.record.key == 1)
    }

    @Test func `values are compared by what the store would see`() {
        let writer = RecordWriter()
        var one = writer.makeRecord(shape)
        var other = writer.makeRecord(shape)
        #expect(one.record.isEqual(1, .real, to: other.record))
        writer.set(.real(0.0), 1, of: &one, shape)
        #expect(!one.record.isEqual(1, .real, to: other.record), "zero is not nil")
        writer.set(.real(-0.0), 1, of: &other, shape)
        #expect(!one.record.isEqual(1, .real, to: other.record), "the sign of zero is kept")
        writer.set(.text("é"), 2, of: &one, shape)
        writer.set(.text("e\u{301}"), 2, of: &other, shape)
        #expect(!one.record.isEqual(2, .text, to: other.record), "text is compared by bytes")
    }

    @Test func `random writes read back whatever came before`() {
        let seed = UInt64.random(in: 0..<1_000_000)
        var generator = SplitMix(state: seed)
        let writer = RecordWriter()
        var placed = (0..<20).map { _ in writer.makeRecord(shape) }
        var expected = Array(
            repeating: Array(repeating: StoredValue.null, count: shape.kinds.count), count: 20)
        for _ in 0..<5_000 {
            let row = Int.random(in: 0..<20, using: &generator)
            let slot = shape.kinds.indices.randomElement(using: &generator) ?? 0
            let length = Int.random(in: 0...300, using: &generator)
            let value: StoredValue =
                switch shape.kinds[slot] {
                case _ where length % 7 == 0: .null
                case .integer: .integer(Int64(length))
                case .real: .real(Double(length))
                case .text: .text(String(repeating: "x", count: length))
                case .blob: .blob(Data(repeating: UInt8(length & 255), count: length))
                }
            writer.set(value, slot, of: &placed[row], shape)
            expected[row][slot] = value
        }
        for row in placed.indices {
            let found = shape.kinds.indices.map {
                placed[row].record.storedValue($0, shape.kinds[$0])
            }
            #expect(found == expected[row], "seed \(seed)")
        }
    }

    private struct SplitMix: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }
}
