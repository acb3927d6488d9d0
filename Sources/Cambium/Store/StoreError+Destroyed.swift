import CambiumSQL
import CambiumSQLite

extension StoreError {
    /// What it means that something in the file of an open store is refused, where the store is there
    /// no longer: somebody destroyed it, or removed or replaced its file.
    ///
    /// - Parameter connection: The one that was used; nil where none could be opened.
    /// - Returns: nil where the store is there, and SQLite complains of something else.
    init?(using connection: Connection?, path: String?, _ error: SQLiteError) {
        guard let path else { return nil }
        if error.isOfMovedFile {
            self.init(destroyed: path, error.message, error)
        } else if Self.removalCodes.contains(error.primaryCode),
            !FileManager.default.fileExists(atPath: path)
        {
            self.init(destroyed: path, "The file was removed", error)
        } else if let connection, error.primaryCode == Self.statementCode,
            let names = try? connection.rows(Catalogue.namesQuery),
            !names.contains([.text(MetadataSQL.table)])
        {
            self.init(destroyed: path, "Its tables are gone", error)
        } else {
            return nil
        }
    }

    private init(destroyed path: String, _ found: String, _ error: SQLiteError) {
        self.init(
            code: .noStore,
            message: "The store \(path) was destroyed while it was open. \(found). Unsaved changes "
                + "stay in their contexts. Put the files back, or remove the store from its "
                + "coordinator and add it again: what is at the path is opened then.",
            underlying: error)
    }

    /// A statement does not fit the tables.
    private static let statementCode: Int32 = 1
    /// Read-only, which a file is that was moved; input or output; cannot open.
    private static let removalCodes: Set<Int32> = [8, 10, 14]
}
