import CambiumAdoption
import Foundation

/// The line of a terminal that says how far a long command is.
enum ProgressLine {
    /// Whether anybody sees it.
    static let isShown = isatty(FileHandle.standardError.fileDescriptor) == 1

    /// Shows how far it is.
    static func show(_ progress: AdoptionProgress) {
        write("\r\u{1B}[K\(Int(progress.fraction * 100)) % \(progress.summary)")
    }

    /// Takes it away.
    static func clear() { write("\r\u{1B}[K") }

    private static func write(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }
}
