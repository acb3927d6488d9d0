/// The function that tells whether a text of another program's is one that can be read as it is.
package enum TextCheck {
    /// (text): 1 where it has a NUL or is not UTF-8, else 0; 0 for all that is no text.
    package static let name = "cambium_is_no_text"

    /// Whether bytes are UTF-8 without a NUL.
    package static func isSound(_ bytes: UnsafeRawBufferPointer) -> Bool {
        // Safety: all places lie within the bytes, which the caller holds.
        let ones: UInt64 = 0x0101_0101_0101_0101
        var place = 0
        while place + 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            // Eight of ASCII's, none of them 0.
            guard (word | (word &- ones)) & (ones << 7) == 0 else { break }
            place += 8
        }
        let rest = bytes[place...]
        if rest.allSatisfy({ $0 != 0 && $0 < 0x80 }) { return true }
        return !rest.contains(0) && String(validating: rest, as: UTF8.self) != nil
    }
}
