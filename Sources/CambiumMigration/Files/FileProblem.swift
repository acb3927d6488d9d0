import CambiumSQLite

/// A problem of the file of a store, its folder or its disk, with the remedy, for people.
package struct FileProblem: Sendable {
    /// The problem, as a part of a sentence: `the disk is full`.
    package let problem: String
    /// The remedy, as a sentence without its full stop.
    package let remedy: String

    /// Explains an error; nil if SQLite's error is not about the file.
    package init?(_ error: SQLiteError, with path: String) {
        let folder = StoreFiles.words(forFolder: StoreFiles.folder(of: path))
        switch error.primaryCode {
        case 5, 6:
            problem = "another program is writing it"
            remedy = "Close that program, or try again later"
        case 8:
            problem = "it cannot be written"
            remedy = "See that the program may write the file and \(folder)"
        case 10:
            problem = "the disk could not be read or written (\(error.message))"
            remedy = "See that the disk is available and works, and try again"
        case 11:
            problem = "the file is damaged (\(error.message))"
            remedy = Self.remedyOfDamage(to: path)
        case 13:
            problem = "the disk is full"
            remedy = "The store is unchanged. Make room, and try again"
        case 14, 23:
            problem =
                "it cannot be opened, or the files that SQLite needs beside it cannot be created"
            remedy =
                "See that the program may read the file and write \(folder), or copy the file, and "
                + "its -wal if there is one, to another folder"
        case 26:
            problem = "the file is not an SQLite database"
            remedy = "Give the path of a store, or of a file that does not exist yet"
        default:
            return nil
        }
    }

    /// The remedy for a damaged file.
    package static func remedyOfDamage(to path: String) -> String {
        "It is unchanged. Put a copy from before in its place, or save what can still be read: "
            + "sqlite3 '\(path)' .recover"
    }
}
