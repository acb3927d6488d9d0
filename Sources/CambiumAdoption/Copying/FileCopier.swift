import CambiumMigration
import CambiumModel
import CambiumSQL
import CambiumSQLite

/// Brings the files of an attribute's large values into the new store.
struct FileCopier {
    let attribute: Attribute
    /// The folder of the new store's files; nil copies none.
    let folder: String?
    let source: CoreDataFiles
    let connection: Connection
    let meter: AdoptionMeter
    private(set) var missing: [AdoptionReport.MissingFile] = []

    init(
        attribute: Attribute, folder: String?, source: CoreDataFiles, connection: Connection,
        meter: AdoptionMeter
    ) {
        self.meter = meter
        self.attribute = attribute
        self.folder = folder
        self.source = source
        self.connection = connection
    }

    mutating func run(_ query: String, _ update: String) throws {
        for row in try connection.rows(query) {
            guard case .integer(let key) = row[0], case .text(let entity) = row[1],
                case .blob(let bytes) = row[2]
            else { continue }
            try meter.requireGoingOn()
            let name = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            // A link would lead elsewhere from the new store's folder.
            let path = source.path(of: name).map {
                URL(filePath: $0).resolvingSymlinksInPath().path
            }
            if let path, let size = Self.size(ofFile: path) {
                _ = try connection.rows(update, [.integer(key), .blob(try take(path, size))])
                continue
            }
            try source.requireReadableFolders()
            missing.append(
                .init(
                    entity: entity, id: key, property: attribute.name,
                    file: source.path(of: name) ?? "no name of a file"))
            // The value is required, but the rest of the object is worth more than nothing.
            let rest = attribute.isOptional ? StoredValue.null : .blob(Data([ExternalForm.inline]))
            _ = try connection.rows(update, [.integer(key), rest])
        }
    }

    /// Takes a file over.
    ///
    /// - Returns: What the row holds.
    private func take(_ path: String, _ size: Int) throws(AdoptionError) -> Data {
        let files = FileManager.default
        guard files.isReadableFile(atPath: path) else {
            throw .cannotRead(path: path, reason: "its permissions forbid it")
        }
        if size <= ExternalForm.largestInline {
            do {
                return try Data([ExternalForm.inline]) + Data(contentsOf: URL(filePath: path))
            } catch {
                throw .cannotRead(path: path, reason: StoreFiles.reason(for: error))
            }
        }
        let name = UUID().uuidString
        if let folder {
            do {
                try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
                try files.copyItem(atPath: path, toPath: "\(folder)/\(name)")
            } catch {
                throw .cannotWrite(
                    path: "\(folder)/\(name)", reason: StoreFiles.reason(for: error))
            }
        }
        return Data([ExternalForm.file]) + Data(name.utf8)
    }

    /// The size of a file; nil where there is none, or something else.
    private static func size(ofFile path: String) -> Int? {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            attributes[.type] as? FileAttributeType == .typeRegular
        else { return nil }
        return attributes[.size] as? Int
    }
}
