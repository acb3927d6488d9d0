#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The program's own output and error output.
enum StandardStream: Int32 {
    case output = 1
    case error = 2

    /// Writes a text. What cannot be written, because nobody reads it any more, is left out.
    func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            // Safety: the buffer is read before the closure returns.
            let count = rest.withUnsafeBytes { buffer in
                #if canImport(Glibc)
                    Glibc.write(rawValue, buffer.baseAddress, buffer.count)
                #elseif canImport(Musl)
                    Musl.write(rawValue, buffer.baseAddress, buffer.count)
                #else
                    Darwin.write(rawValue, buffer.baseAddress, buffer.count)
                #endif
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
