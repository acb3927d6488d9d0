import CambiumCompiler

/// The progress of a long command, on one line of a terminal that is overwritten repeatedly.
final class ProgressLine {
    private let console: Console
    private var length = 0

    /// A line on the error output; nil if that is not a terminal.
    init?(_ console: Console) {
        guard console.isTerminal else { return nil }
        self.console = console
    }

    /// Overwrites the line.
    ///
    /// - Parameter fraction: From 0 to 1.
    func show(_ fraction: Double, _ summary: String) {
        let width = 20
        let done = Int((fraction * Double(width)).rounded(.down))
        let bar = String(repeating: "#", count: done) + String(repeating: ".", count: width - done)
        let percent = Int((fraction * 100).rounded(.down))
        let room = 80 - width - 10
        let text = "[\(bar)] \(percent) % \(summary.prefix(room))"
        let rest = String(repeating: " ", count: max(0, length - text.count))
        length = text.count
        console.writeError("\r\(text)\(rest)")
    }

    /// Clears the line for the next output.
    func end() {
        guard length > 0 else { return }
        console.writeError("\r\(String(repeating: " ", count: length))\r")
        length = 0
    }
}

/// A progress line for work that may run on another thread.
final class SharedLine: @unchecked Sendable {
    // Safety: the thread that created the line waits while the work uses it.
    private let line: ProgressLine

    /// A line on the error output; nil if that is not a terminal.
    init?(_ console: Console) {
        guard let line = ProgressLine(console) else { return nil }
        self.line = line
    }

    func show(_ fraction: Double, _ summary: String) { line.show(fraction, summary) }

    func end() { line.end() }
}
