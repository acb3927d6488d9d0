#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The stream for what is no result.
enum StandardError {
    /// Writes a text at once, so that lines of several threads do not mix.
    static func write(_ text: String) {
        var text = text
        // Safety: the bytes are read within the closure only, and no more than there are.
        text.withUTF8 { bytes in
            // A log that cannot be written is no reason to stop.
            _ = systemWrite(2, bytes.baseAddress, bytes.count)
        }
    }

    // Safety: the caller says how many bytes there are from the start.
    private static func systemWrite(
        _ file: Int32, _ start: UnsafePointer<UInt8>?, _ count: Int
    ) -> Int {
        #if canImport(Glibc)
            Glibc.write(file, start, count)
        #elseif canImport(Musl)
            Musl.write(file, start, count)
        #else
            Darwin.write(file, start, count)
        #endif
    }
}
