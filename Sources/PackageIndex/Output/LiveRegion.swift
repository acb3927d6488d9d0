/// The last lines of a terminal, which are overwritten: a table, and below it a line with the
/// progress. The cursor is at the end of the last line.
struct LiveRegion {
    private var table: [String] = []
    private var progress: String?

    private var lines: [String] { table + (progress.map { [$0] } ?? []) }

    /// The output that shows a line above the region. It also removes the progress.
    mutating func text(ofEvent event: String) -> String {
        let clearing = Self.clearing(lines.count)
        progress = nil
        return clearing + event + "\n" + lines.joined(separator: "\n")
    }

    /// The output that shows a new progress.
    mutating func text(ofProgress progress: String) -> String {
        let old = lines
        self.progress = progress
        return Self.redrawing(old, as: lines)
    }

    /// The output that shows another table. Only changed lines are written.
    mutating func text(ofTable table: [String]) -> String {
        let old = lines
        self.table = table
        return Self.redrawing(old, as: lines)
    }

    /// The output that keeps the region and starts the next line.
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
        // A single new line overwrites the current one; other changes redraw the region.
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
        // Move the cursor back to the end of the last line.
        return text + moving(from: row, to: old.count - 1)
            + "\r\u{1B}[\(max(1, new[old.count - 1].count))C"
    }

    private static func moving(from row: Int, to other: Int) -> String {
        if row == other { return "" }
        return other < row ? "\u{1B}[\(row - other)A" : "\u{1B}[\(other - row)B"
    }
}
