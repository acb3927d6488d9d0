import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Standard output, for people and for pipes.
///
/// On a terminal, progress is one line that is overwritten, and a live table may be above it. In a
/// pipe there are no escape codes and no tables, and every event, including progress, is a line of
/// its own.
package final class Terminal: Sendable {
    /// Shows nothing.
    package static let silent = Terminal(descriptor: -1, isInteractive: false)
    /// Whether a person reads the output.
    let isInteractive: Bool
    private let descriptor: Int32
    private let region = Mutex(LiveRegion())

    /// Writes to a descriptor. By default, `isatty` determines whether it is a terminal.
    package init(descriptor: Int32 = STDOUT_FILENO, isInteractive: Bool? = nil) {
        self.descriptor = descriptor
        self.isInteractive = isInteractive ?? (isatty(descriptor) == 1)
    }

    /// Writes something that happened.
    package func event(_ text: String) {
        region.withLock { put($0.text(ofEvent: Self.printable(text))) }
    }

    /// Writes the progress of something.
    func progress(_ text: String) {
        guard isInteractive else { return event(text) }
        region.withLock { put($0.text(ofProgress: Self.printable(text))) }
    }

    /// Shows a table instead of the previous one, and writes only the changed lines. In a pipe, it
    /// writes nothing.
    func table(_ lines: [String]) {
        guard isInteractive else { return }
        region.withLock { put($0.text(ofTable: lines.map(Self.printable))) }
    }

    /// Keeps the shown lines; the next output begins on a new line.
    func end() {
        region.withLock { put($0.textAtEnd()) }
    }

    /// The text with control characters made visible, so that the content of a file cannot control
    /// a terminal or look like a second line.
    static func printable(_ text: String) -> String {
        let isControl = { (scalar: Unicode.Scalar) in
            scalar.value < 0x20 || (scalar.value >= 0x7F && scalar.value < 0xA0)
                || scalar.value == 0x2028 || scalar.value == 0x2029
        }
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { result.append(isControl(scalar) ? "\u{FFFD}" : scalar) }
        return String(result)
    }

    private func put(_ text: String) {
        let bytes = Array(text.utf8)
        var written = 0
        while written < bytes.count {
            let result = write(descriptor, Array(bytes[written...]), bytes.count - written)
            if result < 0 && errno != EINTR { return }  // nobody reads any more
            written += max(0, result)
        }
    }
}
