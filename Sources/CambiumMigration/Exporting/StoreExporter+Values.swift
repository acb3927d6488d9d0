import CambiumModel
import CambiumSQLite

extension StoreExporter {
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
        // As it stands there: not every text that Core Data took for a URI is one here.
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

    /// A value that may lie in a file beside the store.
    private func external(_ form: Data, _ attribute: Attribute, of row: ExportedRow) throws -> Data
    {
        let rest = form.dropFirst()
        switch form.first {
        case ExternalForm.inline: return Data(rest)
        case ExternalForm.file:
            let name = String(decoding: rest, as: UTF8.self)
            // A name that leads elsewhere is none of ours.
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
