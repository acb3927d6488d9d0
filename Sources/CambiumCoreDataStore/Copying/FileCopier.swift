import CambiumMigration
import CambiumModel
import CambiumSQL
import CambiumSQLite

/// Brings the files of an attribute's large values into the new store.
struct FileCopier {
    let attribute: Attribute
    /// The new store's files; nil copies none.
    let files: ExternalFiles?
    let source: CoreDataFiles
    let connection: Connection
    let meter: ImportMeter
    private(set) var missing: [CoreDataImportReport.MissingFile] = []

    mutating func run(_ query: String, _ update: String) throws {
        for row in try connection.rows(query) {
            guard let key = row[0].integer, let entity = row[1].text,
                case .blob(let bytes) = row[2]
            else { continue }
            try meter.requireNotCancelled()
            let name = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            if let file = try source.open(name) {
                _ = try connection.rows(update, [.integer(key), .blob(try take(file))])
                continue
            }
            missing.append(
                .init(
                    entity: entity, id: key, property: attribute.name,
                    file: source.path(of: name) ?? "no name of a file"))
            // The value is required, but the rest of the object is worth more than nothing.
            let rest = attribute.isOptional ? StoredValue.null : .blob(Data([ExternalForm.inline]))
            _ = try connection.rows(update, [.integer(key), rest])
        }
    }

    /// Copies a file.
    ///
    /// - Returns: The value for the row.
    private func take(_ file: SystemFile) throws(CoreDataImportError) -> Data {
        do {
            if file.size ?? 0 <= ExternalForm.largestInline {
                return try Data([ExternalForm.inline]) + file.contents()
            }
            let name = try files?.add(file) ?? ExternalFiles.makeName()
            return Data([ExternalForm.file]) + Data(name.utf8)
        } catch let error as FileError {
            if let files, error.path.hasPrefix(files.folder) {
                throw .cannotWrite(path: error.path, reason: error.reason)
            }
            throw .cannotRead(path: error.path, reason: error.reason)
        } catch {
            throw .cannotWrite(path: files?.folder ?? "A temporary file", reason: "\(error)")
        }
    }
}
