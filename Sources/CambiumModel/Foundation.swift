// The only place that chooses between the variants of Foundation. If FoundationEssentials exists
// (Linux), it has all that is needed for dates, decimals, UUIDs, URLs and data, and saves a process
// 4 ms at start.
#if canImport(FoundationEssentials)
    @_exported import FoundationEssentials
#else
    @_exported import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension UUID {
    /// Returns a new UUID of version 4, made of random numbers from the system.
    ///
    /// Foundation's `UUID()` opens `/dev/urandom` on Linux. If that fails, because the process has
    /// too many open files for a moment, it returns the same UUID again and again. This function
    /// asks the kernel, which needs no file.
    ///
    /// - Throws: ``RandomNumbersError`` if the system gives no random numbers.
    package static func random() throws(RandomNumbersError) -> UUID {
        var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        // Safety: the system writes exactly as many bytes as the buffer has.
        let isFilled = withUnsafeMutableBytes(of: &bytes) { bytes in
            guard let start = bytes.baseAddress else { return false }
            #if canImport(Darwin)
                // It needs no file either, and cannot fail.
                arc4random_buf(start, bytes.count)
                return true
            #else
                return getentropy(start, bytes.count) == 0
            #endif
        }
        guard isFilled else { throw RandomNumbersError() }
        bytes.6 = bytes.6 & 0x0F | 0x40
        bytes.8 = bytes.8 & 0x3F | 0x80
        return UUID(uuid: bytes)
    }

    /// Returns whether a text is a UUID in its usual form: 32 hexadecimal digits in five groups.
    /// `UUID(uuidString:)` also reads other forms.
    package static func isSpelled(_ text: some StringProtocol) -> Bool {
        let bytes = text.utf8
        guard bytes.count == 36 else { return false }
        return zip(0..., bytes).allSatisfy { index, byte in
            switch index {
            case 8, 13, 18, 23: byte == UInt8(ascii: "-")
            default: Character(UnicodeScalar(byte)).isHexDigit
            }
        }
    }
}

/// The system gave no random numbers for a new UUID. The operation that needed the UUID was not
/// done: objects with the same UUID could exchange their values.
public struct RandomNumbersError: Error, Sendable, Hashable, CustomStringConvertible {
    init() {}

    /// The problem and a remedy.
    public var description: String { "\(problem) \(remedy)" }

    package var problem: String {
        "The system has no random numbers for a new UUID."
    }

    package var remedy: String { "See that the program may call getrandom, and try again." }
}
