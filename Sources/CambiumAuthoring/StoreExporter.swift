import CambiumMigration
import CambiumModel
import CambiumSQL
import CambiumSQLite
import Foundation

/// Writes the content of a store as JSON: a line for each object, with its key, its attributes and
/// the keys of the objects that its relationships reference.
///
/// Equal stores result in equal text. Hierarchies are in the order of their names, objects in the
/// order of their keys, and members in the order of the model. Links are in their stored order, or
/// else in the order of their keys. The store is read as a snapshot and never changed. At most one
/// row is in memory.
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
    /// - Parameter versions: The versions of the model, one of which must be the store's.
    /// - Throws: ``ExportError`` if it is none of them; ``MigrationError`` if the file is not a
    ///   store, or is of another model; `SQLiteError` if it cannot be opened.
    package init(fileAt path: String, versions: [Model]) throws {
        connection = try Connection.reading(path: path)
        // The files of large values are beside the store itself, not beside a link to it.
        files = ExternalFiles(ofStore: StoreFiles.resolved(path))
        try connection.beginReading()
        guard let metadata = try MigrationRunner.readMetadata(connection) else {
            throw MigrationError.notAStore
        }
        self.metadata = metadata
        let model = try metadata.version(among: versions)
        self.model = model
        try OrdinaryTables(in: connection).require(Schema(of: model).tables.map(\.name))
    }

    /// Writes the complete store.
    ///
    /// - Parameter deliver: Receives one part of the text after the other, in UTF-8.
    /// - Throws: ``ExportError`` if a row cannot be written; `SQLiteError`; the errors of
    ///   `deliver`.
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
    /// - Returns: Whether there are no objects.
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

    /// Writes members of an object or of a composite value.
    func write(
        _ members: [ExportedEntity.Member], isFirst: Bool, of row: ExportedRow,
        to json: inout JSONWriter, _ deliver: ([UInt8]) throws -> Void
    ) throws {
        for (index, member) in members.enumerated() {
            if json.text.count > Self.chunkSize {
                try deliver(json.text)
                json = JSONWriter()
            }
            json.writeName(member.name, isFirst: isFirst && index == 0)
            switch member.content {
            case .attribute(let attribute, let column):
                try write(attribute, in: column, of: row, to: &json)
            case .composite(let parts):
                // A composite value is nil when all of it is.
                guard parts.contains(where: row.hasValue) else {
                    json.write(raw: "null")
                    continue
                }
                json.write(raw: "{")
                try write(parts, isFirst: true, of: row, to: &json, deliver)
                json.write(raw: "}")
            case .key(let column):
                json.write(
                    raw: row.values.isNull(at: column)
                        ? "null" : "\(row.values.integer(at: column))")
            case .members(let statement, let isToMany):
                try write(statement, isToMany: isToMany, of: row, to: &json, deliver)
            }
        }
    }

    private func write(
        _ statement: Statement, isToMany: Bool, of row: ExportedRow, to json: inout JSONWriter,
        _ deliver: ([UInt8]) throws -> Void
    ) throws {
        defer { statement.reset() }
        try statement.bind(row.key, at: 1)
        guard isToMany else {
            return json.write(raw: try statement.step() ? "\(statement.integer(at: 0))" : "null")
        }
        json.write(raw: "[")
        var isFirst = true
        while try statement.step() {
            if !isFirst { json.write(raw: ",") }
            isFirst = false
            json.write(raw: "\(statement.integer(at: 0))")
            if json.text.count > Self.chunkSize {
                try deliver(json.text)
                json = JSONWriter()
            }
        }
        json.write(raw: "]")
    }

    private func write(
        _ attribute: Attribute, in column: Int, of row: ExportedRow, to json: inout JSONWriter
    ) throws {
        switch (row.values.value(at: column), attribute.type) {
        case (.text(let text), .codable): json.write(raw: text)
        // The string is written verbatim, because some strings that Core Data accepted as URIs are
        // invalid here.
        case (.text(let text), .uri): json.write(text)
        case (.blob(let form), .data) where attribute.usesExternalForm:
            let value = try external(form, attribute, of: row)
            json.write(.data(value), as: attribute.type)
        case (let stored, _):
            guard let value = model.value(stored, as: attribute.type) else {
                throw ExportError.unreadable(
                    entity: row.entity.name, key: row.key, attribute: attribute.name)
            }
            json.write(value, as: attribute.type)
        }
    }

    /// A value that may be in a file beside the store.
    private func external(_ form: Data, _ attribute: Attribute, of row: ExportedRow) throws -> Data
    {
        let rest = form.dropFirst()
        switch form.first {
        case ExternalForm.inline: return Data(rest)
        case ExternalForm.file:
            let name = String(decoding: rest, as: UTF8.self)
            // A name that refers to another folder is not one of ours.
            guard ExternalFiles.isName(name) else { break }
            do {
                return try files.read(name)
            } catch {
                throw ExportError.missingFile(
                    entity: row.entity.name, key: row.key, attribute: attribute.name,
                    path: "\(files.folder)/\(name)", reason: error.reason)
            }
        default: break
        }
        throw ExportError.unreadable(
            entity: row.entity.name, key: row.key, attribute: attribute.name)
    }
}

extension StoreMetadata {
    /// The version of a model that matches the store.
    ///
    /// - Throws: ``ExportError`` if no version matches; ``MigrationError`` if the store is of
    ///   another model, or has a newer format.
    package func version(among versions: [Model]) throws -> Model {
        let name = versions.last?.name ?? model
        guard model == name else {
            throw MigrationError.otherModel(store: model, program: name)
        }
        guard format == String(Schema.formatVersion) else {
            throw MigrationError.newerFormat(
                store: format, program: String(Schema.formatVersion))
        }
        // Two versions may differ in nothing that the hash has.
        let found = versions.filter { $0.versionHash == versionHash }
        guard let version = found.first(where: { $0.version == version }) ?? found.last else {
            throw ExportError.unknownVersion(
                model: name, store: version, hash: versionHash, known: versions.map(\.version))
        }
        return version
    }
}

/// The reason why a store cannot be exported. The store was not changed.
package enum ExportError: Error, Sendable, Equatable, CustomStringConvertible {
    /// No version of the model is the store's.
    case unknownVersion(model: String, store: String, hash: String, known: [String])
    /// A row contains a value that is invalid for its attribute; another program must have written
    /// it.
    case unreadable(entity: String, key: Int64, attribute: String)
    /// A row is of an entity that the model does not have.
    case unknownEntity(root: String, key: Int64, name: String)
    /// The file of a large value cannot be read.
    case missingFile(
        entity: String, key: Int64, attribute: String, path: String, reason: String)

    /// The problem and how to fix it.
    package var description: String {
        switch self {
        case .unknownVersion(let model, let store, let hash, let known):
            "The store is of version \(store.excerpt()) (\(hash.excerpt())), which is not a version of the model \(model): it "
                + "has \(known.joined(separator: ", ")). Name the model that the store is of, with "
                + "that version in it"
        case .unreadable(let entity, let key, let attribute):
            "\(entity) \(key) has an invalid value of \(attribute): another program has written "
                + "it. Set it to one, or to NULL"
        case .unknownEntity(let root, let key, let name):
            "The row \(key) of the table \(root) is of the entity '\(name.excerpt())', which the model "
                + "does not have: another program has written it. Correct its _entity"
        case .missingFile(let entity, let key, let attribute, let path, let reason):
            "The file of \(attribute) of \(entity) \(key) cannot be read: \(path), \(reason). Put "
                + "it there from a backup, or set the value to NULL"
        }
    }
}

/// The row that is being written.
struct ExportedRow {
    let entity: ExportedEntity
    let key: Int64
    let values: Statement

    /// Whether an attribute, or any part of a composite value, is not nil.
    func hasValue(_ member: ExportedEntity.Member) -> Bool {
        switch member.content {
        case .attribute(_, let column): !values.isNull(at: column)
        case .composite(let parts): parts.contains(where: hasValue)
        case .key, .members: false
        }
    }
}

/// The form of the objects of one entity in an export: each member of a line with its column of the
/// row, or with its statement.
struct ExportedEntity {
    /// A member of a line.
    struct Member {
        let name: String
        let content: Content
    }

    /// The source of a member.
    indirect enum Content {
        /// An attribute, in a column of the row.
        case attribute(Attribute, column: Int)
        /// The members of a composite value.
        case composite([Member])
        /// The key of a to-one, in a column of the row.
        case key(column: Int)
        /// The rows of a statement: a to-one has one at most.
        case members(Statement, isToMany: Bool)
    }

    let name: String
    let members: [Member]

    /// Finds the columns, and compiles the statements.
    init(
        _ entity: Entity, in model: Model, _ sql: ExportSQL, _ connection: Connection
    ) throws(SQLiteError) {
        name = entity.name
        var members: [Member] = []
        for ancestor in model.lineage(of: entity) {
            let attributes = ancestor.attributes.compactMap { attribute in
                sql.column(named: model.column(of: attribute.name, in: ancestor))
                    .map { (attribute, column: $0) }
            }
            members += Self.members(of: attributes[...], depth: 0)
            for relationship in ancestor.relationships {
                let content: Content
                if let text = ExportSQL.members(of: relationship, of: ancestor, in: model) {
                    content = .members(
                        try connection.statement(text), isToMany: relationship.isToMany)
                } else if case .key(let name, _) = model.storage(of: relationship, of: ancestor),
                    let column = sql.column(named: name)
                {
                    content = .key(column: column)
                } else {
                    continue
                }
                members.append(Member(name: relationship.name, content: content))
            }
        }
        self.members = members
    }

    /// Groups the members of attributes by the first part of their names at a depth. The parts of a
    /// composite value follow each other, and form one member.
    private static func members(
        of attributes: ArraySlice<(Attribute, column: Int)>, depth: Int
    ) -> [Member] {
        var members: [Member] = []
        var rest = attributes
        while let (attribute, column) = rest.first {
            let path = attribute.name.split(separator: ".")
            let name = String(path[depth])
            guard path.count > depth + 1 else {
                members.append(Member(name: name, content: .attribute(attribute, column: column)))
                rest.removeFirst()
                continue
            }
            let parts = rest.prefix {
                let other = $0.0.name.split(separator: ".")
                return other.count > depth + 1 && other[depth] == path[depth]
            }
            members.append(
                Member(name: name, content: .composite(Self.members(of: parts, depth: depth + 1))))
            rest = rest.dropFirst(parts.count)
        }
        return members
    }
}
