import CambiumModel

/// Checks that all committed data in a log can be read. SQLite reads as much as it can, and does
/// not report the rest.
struct LogCheck {
    /// The data that is lost from a write-ahead log; nil if it is complete.
    static func fault(ofLog path: String) -> String? {
        guard let bytes = try? Data(contentsOf: URL(filePath: path), options: .mappedIfSafe),
            !bytes.isEmpty
        else { return nil }
        // Safety: the bytes are read while they are held, and within their bounds.
        return bytes.withUnsafeBytes { bytes in
            guard let check = LogCheck(bytes) else {
                return "its beginning is damaged: none of its changes were read"
            }
            return check.lostFrame.map { frame in
                frame < check.count
                    ? "it is damaged from byte \(check.start(ofFrame: frame)) on: the changes behind "
                        + "that were not read"
                    : "it is cut off in what begins at byte \(check.start(ofFrame: frame)): the "
                        + "change that ends there was not read"
            }
        }
    }

    /// The data that is lost from a journal, which undoes an unfinished change; nil if it is
    /// complete.
    static func fault(ofJournal path: String) -> String? {
        guard let bytes = try? Data(contentsOf: URL(filePath: path), options: .mappedIfSafe),
            let first = bytes.first, first != 0
        else { return nil }
        return bytes.starts(with: [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7])
            ? nil : "its beginning is damaged: an unfinished change was not undone"
    }

    private static let headerSize = 32
    private static let frameHeaderSize = 24

    private let bytes: UnsafeRawBufferPointer
    private let isBigEndian: Bool
    private let pageSize: Int
    private let headerSum: Sum

    /// The two sums that go through all of a log.
    private struct Sum: Equatable {
        var first: UInt32 = 0
        var second: UInt32 = 0
    }

    /// Reads the header; nil if it is invalid.
    private init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.headerSize else { return nil }
        self.bytes = bytes
        let mark = Self.number(in: bytes, at: 0)
        guard mark & ~1 == 0x377f_0682 else { return nil }
        isBigEndian = mark & 1 == 1
        pageSize = Int(Self.number(in: bytes, at: 8))
        let written = Sum(
            first: Self.number(in: bytes, at: 24), second: Self.number(in: bytes, at: 28))
        guard (512...65_536).contains(pageSize), pageSize & (pageSize - 1) == 0,
            Self.sum(of: bytes, 0..<24, isBigEndian, after: Sum()) == written
        else { return nil }
        headerSum = written
    }

    private var frameSize: Int { Self.frameHeaderSize + pageSize }

    private func start(ofFrame index: Int) -> Int { Self.headerSize + index * frameSize }

    /// The number of complete frames.
    private var count: Int { (bytes.count - Self.headerSize) / frameSize }

    /// The first unreadable frame, if a change was committed in it or behind it; nil if there is
    /// none. Frames of earlier rounds stay behind the last one of this round.
    private var lostFrame: Int? {
        var sum = headerSum
        for index in 0..<count {
            let start = start(ofFrame: index)
            var next = Self.sum(of: bytes, start..<start + 8, isBigEndian, after: sum)
            next = Self.sum(
                of: bytes, start + Self.frameHeaderSize..<start + frameSize, isBigEndian,
                after: next)
            let written = Sum(
                first: Self.number(in: bytes, at: start + 16),
                second: Self.number(in: bytes, at: start + 20))
            guard isOfThisRound(start), next == written else {
                // If the sums continue from the frame before, the frame is of this round,
                // regardless of its content.
                if next == written { return index }
                let isLost =
                    endsInCommit
                    || (index..<count).contains { isCommitOfThisRound(self.start(ofFrame: $0)) }
                return isLost ? index : nil
            }
            sum = next
        }
        return endsInCommit ? count : nil
    }

    /// Whether the log ends within a frame that commits a change. SQLite writes the complete header
    /// of a frame first and its page after that, so after a crash the header is complete. If it is
    /// not, the frame counts as a commit.
    private var endsInCommit: Bool {
        let start = start(ofFrame: count)
        switch bytes.count - start {
        case 0, Self.frameHeaderSize: return false
        case ..<Self.frameHeaderSize: return true
        default: return isCommitOfThisRound(start)
        }
    }

    private func isOfThisRound(_ start: Int) -> Bool {
        [8, 12].allSatisfy { offset in
            Self.number(in: bytes, at: start + offset)
                == Self.number(in: bytes, at: 8 + offset)
        }
    }

    private func isCommitOfThisRound(_ start: Int) -> Bool {
        isOfThisRound(start) && Self.number(in: bytes, at: start + 4) != 0
    }

    private static func number(in bytes: UnsafeRawBufferPointer, at place: Int) -> UInt32 {
        UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self))
    }

    private static func sum(
        of bytes: UnsafeRawBufferPointer, _ range: Range<Int>, _ isBigEndian: Bool, after sum: Sum
    ) -> Sum {
        var sum = sum
        for place in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
            let one = bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)
            let two = bytes.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self)
            sum.first &+= (isBigEndian ? one.bigEndian : one.littleEndian) &+ sum.second
            sum.second &+= (isBigEndian ? two.bigEndian : two.littleEndian) &+ sum.first
        }
        return sum
    }
}
