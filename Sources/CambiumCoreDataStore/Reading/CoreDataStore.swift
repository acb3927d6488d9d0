import CambiumMigration
import CambiumModel
import CambiumSQL
import CambiumSQLite

/// An SQLite store that Core Data wrote. It is read, and never changed.
package final class CoreDataStore {
    /// The path of the file.
    package let path: String
    let metadata: CoreDataMetadata
    let catalogue: CoreDataCatalogue
    let files: CoreDataFiles
    let file: SourceFile

    /// Opens a store.
    ///
    /// - Parameter place: The new store that is to be made from it. If reading needs a copy, it is
    ///   made beside the new store; nil means among the temporary files.
    /// - Throws: ``CoreDataImportError`` if there is no such store.
    package init(at path: String, for place: NewStore? = nil) throws(CoreDataImportError) {
        files = CoreDataFiles(ofStore: path)
        let path = files.path
        self.path = path
        file = try SourceFile(files, for: place)
        let contents: Contents
        do {
            let connection = try Connection(
                path: file.uri, mode: .readWrite, settings: SourceFile.settings)
            // The file may hold anything.
            contents = try connection.withBudget { try Self.contents(connection) }
        } catch let error as SQLiteError {
            throw Self.meaning(of: error, path)
        } catch {
            throw .notCoreData(
                path: path, reason: "the description of its tables has no end")
        }
        (metadata, catalogue) = (contents.metadata, contents.catalogue)
        // Databases that are read together have one encoding.
        if case .text(let encoding)? = contents.encoding, encoding != "UTF-8" {
            throw .cannotRead(
                path: path,
                reason: "its texts are \(encoding), and only UTF-8 can be imported. "
                    + "'sqlite3 \(path) .dump | sqlite3 COPY' makes a copy in UTF-8")
        }
        guard !catalogue.entities.isEmpty else {
            throw .notCoreData(path: path, reason: "it has no entities")
        }
    }

    /// The metadata of a database.
    private struct Contents {
        let metadata: CoreDataMetadata
        let encoding: StoredValue?
        let catalogue: CoreDataCatalogue
    }

    private static func contents(_ connection: Connection) throws(SQLiteError) -> Contents {
        let objects = try connection.rows(StoreObject.query).compactMap(StoreObject.init)
        // Only ordinary tables are read. A view or virtual table with the same name could run SQL
        // that another person wrote into the file.
        let tables = Set(objects.filter(\.isOrdinaryTable).map { StoredValue.text($0.name) })
        // Computed columns are not among them.
        let columns = try connection.rows(CoreDataCatalogue.columnsQuery)
            .filter { $0.first.map(tables.contains) ?? false }
        guard CoreDataCatalogue.hasRequiredColumns(columns) else {
            throw SQLiteError(code: notADatabase, message: hasNoTables)
        }
        let encoding = try connection.rows(CoreDataCatalogue.encodingQuery).first?.first
        let metadata = CoreDataMetadata(try connection.rows(CoreDataCatalogue.metadataQuery))
        let catalogue = CoreDataCatalogue(
            columns: columns, entities: try connection.rows(CoreDataCatalogue.entitiesQuery),
            virtualTables: try connection.rows(CoreDataCatalogue.virtualTablesQuery),
            writtenEntities: Set(metadata.hashes.keys))
        return Contents(metadata: metadata, encoding: encoding, catalogue: catalogue)
    }

    private static let notADatabase: Int32 = 26
    private static let hasNoTables =
        "it has no tables \(CoreDataCatalogue.requiredTables.joined(separator: " and "))"

    /// Converts an error of SQLite for a file with unknown content.
    static func meaning(of error: SQLiteError, _ path: String) -> CoreDataImportError {
        guard error.primaryCode == notADatabase else { return .damaged(path: path, error) }
        return .notCoreData(path: path, reason: error.message)
    }
}
