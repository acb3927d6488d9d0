import CambiumModel

/// What a store says about itself, in its table `_metadata`.
package struct StoreMetadata: Sendable, Hashable {
    /// The model's name.
    package let model: String
    /// The name of the model's version.
    package let version: String
    /// The model's version hash.
    package let versionHash: String
    /// The hash of the text of tables and indexes.
    package let schemaHash: String
    /// The version of the file format.
    package let format: String

    /// What a fresh store of a model says.
    package init(of model: Model, schemaHash: String) {
        self.model = model.name
        version = model.version
        versionHash = model.versionHash
        self.schemaHash = schemaHash
        format = String(Schema.formatVersion)
    }

    /// Reads the rows of the table, or nil where one is missing or none of ours.
    package init?(rows: [[StoredValue]]) {
        let values = Self.values(in: rows)
        guard let model = values["model"], let version = values["version"],
            let versionHash = values["versionHash"], let schemaHash = values["schemaHash"],
            let format = values["format"],
            // What Cambium writes is short, and comes into messages.
            [model, version, versionHash, schemaHash, format].allSatisfy({
                $0.utf8.count <= Self.maximumLength
            })
        else { return nil }
        self.model = model
        self.version = version
        self.versionHash = versionHash
        self.schemaHash = schemaHash
        self.format = format
    }

    /// The values by their names.
    static func values(in rows: [[StoredValue]]) -> [String: String] {
        var values: [String: String] = [:]
        for case let row in rows where row.count == 2 {
            if case .text(let name) = row[0], case .text(let value) = row[1] {
                values[name] = value
            }
        }
        return values
    }

    private static let maximumLength = 4_096

    /// The query whose rows ``init(rows:)`` reads.
    package static let query = "SELECT \"name\", \"value\" FROM \"_metadata\""

    private var values: [(name: String, value: String)] {
        [
            ("model", model), ("version", version), ("versionHash", versionHash),
            ("schemaHash", schemaHash), ("format", format),
        ]
    }

    /// The rows of a fresh store.
    package var insertStatements: [String] {
        values.map { name, value in
            "INSERT INTO \"_metadata\" (\"name\", \"value\") VALUES "
                + "('\(name)', \(SQLText.literal(value)))"
        }
    }

    /// What makes the rows of an existing store say this. What else the table holds stays.
    package var updateStatements: [String] {
        let names = values.map { "'\($0.name)'" }.joined(separator: ", ")
        return ["DELETE FROM \"_metadata\" WHERE \"name\" IN (\(names))"] + insertStatements
    }
}
