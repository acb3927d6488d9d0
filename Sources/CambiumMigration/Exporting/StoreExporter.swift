import CambiumModel
import CambiumSQL
import CambiumSQLite

/// Writes all that a store holds as JSON: a line for each object, with its key, its attributes and
/// the keys of the objects that its relationships lead to.
///
/// Equal stores give equal texts: hierarchies come by name, objects by key, members as the model
/// declares them, links in their kept order, else by key. The store is read as it is at one moment
/// and never changed, and no more of it is in memory than a row.
package struct StoreExporter {
    /// The version of the model that the store is of.
    package let model: Model

    let files: ExternalFiles
    private let connection: Connection
    private let metadata: StoreMetadata

    /// The version of the text's form.
    private static let formatVersion = 1
    static let chunkSize = 64 * 1024

    /// Opens a store for reading.
    ///
    /// - Parameter versions: The versions of the model among which the store's is to be found; of
    ///   none it is nil.
    /// - Throws: ``ExportError``; ``MigrationError`` where the file is no store, or of another
    ///   model; `SQLiteError` where it cannot be opened.
    package init(fileAt path: String, versions: [Model]) throws {
        connection = try Connection.reading(path: path)
        // The files of large values lie beside the store itself, and not beside a link to it.
        files = ExternalFiles(ofStore: StoreFiles.resolved(path))
        try connection.beginReading()
        guard let metadata = try MigrationRunner.readMetadata(connection) else {
            throw MigrationError.notAStore
        }
        self.metadata = metadata
        let name = versions.last?.name ?? metadata.model
        guard metadata.model == name else {
            throw MigrationError.otherModel(store: metadata.model, program: name)
        }
        guard metadata.format == String(Schema.formatVersion) else {
            throw MigrationError.newerFormat(
                store: metadata.format, program: String(Schema.formatVersion))
        }
        // Two versions may differ in nothing that the hash has.
        let found = versions.filter { $0.versionHash == metadata.versionHash }
        guard let model = found.first(where: { $0.version == metadata.version }) ?? found.last
        else {
            throw ExportError.unknownVersion(
                model: name, store: metadata.version, hash: metadata.versionHash,
                known: versions.map(\.version))
        }
        self.model = model
        try OrdinaryTables(in: connection).require(Schema(of: model).tables.map(\.name))
    }

    /// Writes everything.
    ///
    /// - Parameter deliver: Is given one part of the text after the other, in UTF-8.
    /// - Throws: ``ExportError`` where a row cannot be written; `SQLiteError`; what `deliver`
    ///   throws.
    package func export(to deliver: ([UInt8]) throws -> Void) throws {
        var json = JSONWriter()
        json.write(raw: "{\"format\":\(Self.formatVersion),\n\"model\":")
        json.write(metadata.model)
        json.write(raw: ",\n\"version\":")
        json.write(metadata.version)
        json.write(raw: ",\n\"versionHash\":")
        json.write(metadata.versionHash)
        json.write(raw: ",\n\"entities\":{")
        for (index, root) in model.roots.sorted(by: { $0.name < $1.name }).enumerated() {
            json.write(raw: index == 0 ? "\n" : ",\n")
            json.write(root.name)
            json.write(raw: ":[")
            let isEmpty = try write(objectsOf: root, to: &json, deliver)
            json.write(raw: isEmpty ? "]" : "\n]")
        }
        json.write(raw: "}}\n")
        try deliver(json.text)
    }

    /// Writes the objects of a hierarchy.
    ///
    /// - Returns: Whether there are none.
    private func write(
        objectsOf root: Entity, to json: inout JSONWriter, _ deliver: ([UInt8]) throws -> Void
    ) throws -> Bool {
        let sql = ExportSQL(ofRoot: root, in: model)
        var entities: [String: ExportedEntity] = [:]
        for entity in model.family(of: root) {
            entities[entity.name] = try ExportedEntity(entity, in: model, sql, connection)
        }
        let rows = try connection.statement(sql.rows)
        defer { rows.reset() }
        var isEmpty = true
        while try rows.step() {
            let key = rows.integer(at: 0)
            let name = sql.hasEntityColumn ? rows.text(at: 1) : root.name
            guard let entity = entities[name] else {
                throw ExportError.unknownEntity(root: root.name, key: key, name: name)
            }
            json.write(raw: isEmpty ? "\n{" : ",\n{")
            isEmpty = false
            json.writeName(SystemColumn.key, isFirst: true)
            json.write(raw: "\(key)")
            if sql.hasEntityColumn {
                json.writeName(SystemColumn.entity, isFirst: false)
                json.write(name)
            }
            let row = ExportedRow(entity: entity, key: key, values: rows)
            try write(entity.members, isFirst: false, of: row, to: &json, deliver)
            json.write(raw: "}")
        }
        return isEmpty
    }
}
