/// The last lines of a terminal, which are written over: a table and below it a line that says how
/// far something has come. The cursor stands at the end of the last of them.
struct LiveRegion {
    private var table: [String] = []
    private var progress: String?

    private var lines: [String] { table + (progress.map { [$0] } ?? []) }

    /// What lets the terminal show a line above the region. The progress is over with it.
    mutating func text(ofEvent event: String) -> String {
        let clearing = Self.clearing(lines.count)
        progress = nil
        return clearing + event + "\n" + lines.joined(separator: "\n")
    }

    /// What lets the terminal show other progress.
    mutating func text(ofProgress progress: String) -> String {
        let old = lines
        self.progress = progress
        return Self.redrawing(old, as: lines)
    }

    /// What lets the terminal show another table: only the lines that changed are written.
    mutating func text(ofTable table: [String]) -> String {
        let old = lines
        self.table = table
        return Self.redrawing(old, as: lines)
    }

    /// What leaves the region as it is and goes to the next line.
    mutating func textAtEnd() -> String {
        defer { self = LiveRegion() }
        return lines.isEmpty ? "" : "\n"
    }

    private static func clearing(_ count: Int) -> String {
        switch count {
        case 0: ""
        case 1: "\r\u{1B}[K"
        default: "\r\u{1B}[\(count - 1)A\u{1B}[J"
        }
    }

    private static func redrawing(_ old: [String], as new: [String]) -> String {
        // A line that came last is written over what is there; anything else below begins anew.
        guard old.count == new.count else {
            return clearing(old.count) + (old.isEmpty && new.count == 1 ? "\r\u{1B}[K" : "")
                + new.joined(separator: "\n")
        }
        var text = ""
        var row = old.count - 1
        for (index, line) in new.enumerated() where line != old[index] {
            text += moving(from: row, to: index) + "\r\u{1B}[K" + line
            row = index
        }
        guard row != old.count - 1 else { return text }
        // The cursor goes back to where the last line ends.
        return text + moving(from: row, to: old.count - 1)
            + "\r\u{1B}[\(max(1, new[old.count - 1].count))C"
    }

    private static func moving(from row: Int, to other: Int) -> String {
        if row == other { return "" }
        return other < row ? "\u{1B}[\(row - other)A" : "\u{1B}[\(other - row)B"
    }
}
