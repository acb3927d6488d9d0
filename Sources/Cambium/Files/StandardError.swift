import CambiumMigration

/// The stream for what is no result.
enum StandardError {
    /// Writes a text at once, so that lines of several threads do not mix.
    static func write(_ text: String) {
        // A log that cannot be written is no reason to stop.
        try? SystemFile.standardError.append(Array(text.utf8))
    }
}
