import Foundation
import Testing

@testable import PackageIndex

@Suite struct TerminalTests {
    @Test func `a pipe gets one line per event and no escape codes`() throws {
        let text = try written(isInteractive: nil) { terminal in
            terminal.progress("1 of 2")
            terminal.event("saved")
            terminal.progress("2 of 2")
        }
        #expect(text == "1 of 2\nsaved\n2 of 2\n")
    }

    @Test func `on a terminal, progress is written over`() throws {
        let text = try written(isInteractive: true) { terminal in
            terminal.progress("1 of 2")
            terminal.progress("2 of 2")
            terminal.event("saved")
            terminal.event("done")
        }
        #expect(text == "\r\u{1B}[K1 of 2\r\u{1B}[K2 of 2\r\u{1B}[Ksaved\ndone\n")
    }

    @Test func `a table is shown below what happens, and only lines that change are written`()
        throws
    {
        let text = try written(isInteractive: true) { terminal in
            terminal.table(["a 1", "b 2", "c 3"])
            terminal.table(["a 1", "b 5", "c 3"])
            terminal.event("saved")
            terminal.progress("1 of 2")
            terminal.table(["a 1", "b 5", "c 4"])
            terminal.end()
            terminal.event("done")
        }
        let up = "\u{1B}[1A"
        #expect(
            text == "a 1\nb 2\nc 3"
                + "\(up)\r\u{1B}[Kb 5\u{1B}[1B\r\u{1B}[3C"
                + "\r\u{1B}[2A\u{1B}[Jsaved\na 1\nb 5\nc 3"
                + "\r\u{1B}[2A\u{1B}[Ja 1\nb 5\nc 3\n1 of 2"
                + "\(up)\r\u{1B}[Kc 4\u{1B}[1B\r\u{1B}[6C"
                + "\ndone\n")
    }

    @Test func `a pipe gets no table`() throws {
        let text = try written(isInteractive: nil) { terminal in
            terminal.table(["a 1"])
            terminal.event("saved")
            terminal.end()
        }
        #expect(text == "saved\n")
    }

    @Test func `what a file contains cannot command the terminal or break the line`() {
        #expect(Terminal.printable("a\u{1B}[2Jb\nc\u{9B}d\u{2028}é") == "a�[2Jb�c�d�é")
    }

    @Test func `numbers, times and sizes are made for people`() {
        #expect(
            [0, 999, 1000, 63_666, -1_234_567].map(grouped) == [
                "0", "999", "1,000", "63,666", "-1,234,567",
            ])
        #expect(counted(1, "edge") == "1 edge")
        #expect(counted(0, "entry", "entries") == "0 entries")
        #expect(formatted(.milliseconds(999)) == "999 ms")
        #expect(formatted(.milliseconds(12_345)) == "12.3 s")
        #expect(formatted(bytes: 1) == "1 byte")
        #expect(formatted(bytes: 61_440_000) == "61.4 MB")
    }

    /// What the closure writes through a pipe.
    private func written(
        isInteractive: Bool?, _ body: (Terminal) -> Void
    ) throws -> String {
        let pipe = Pipe()
        body(
            Terminal(
                descriptor: pipe.fileHandleForWriting.fileDescriptor, isInteractive: isInteractive))
        try pipe.fileHandleForWriting.close()
        let data = try #require(try pipe.fileHandleForReading.readToEnd())
        return String(decoding: data, as: UTF8.self)
    }
}
