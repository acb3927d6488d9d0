import CambiumMigration

/// The stream for what is no result.
package enum StandardError {
    /// Tells the people who look after a program something, in a line.
    package static func note(_ sentence: String) {
        write("Cambium: \(sentence).\n")
    }

    /// Writes a text at once, so that lines of several threads do not mix.
    package static func write(_ text: String) {
        // A log that cannot be written is no reason to stop.
        try? SystemFile.standardError.append(Array(text.utf8))
    }
}
