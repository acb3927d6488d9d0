import CambiumModel
import CambiumSQL
import CambiumSQLite

// The last steps of an import, after all objects and links were copied.
extension CoreDataImportRun {
    func copyFiles(_ report: inout CoreDataImportReport, _ tables: [ObjectTable]) throws {
        let source = store.files
        for table in tables {
            for external in table.sql.external {
                var copier = FileCopier(
                    attribute: external.attribute, files: place?.files, source: source,
                    connection: connection, meter: meter)
                try copier.run(external.query, external.update)
                report.missingFiles += copier.missing
            }
            for unreadable in table.sql.unreadable {
                guard case .codable(let type) = unreadable.attribute.type else { continue }
                for row in try connection.rows(unreadable.query) {
                    guard let key = row.first?.integer else { continue }
                    report.changedValues.append(
                        .init(
                            entity: try name(ofRow: key, table), id: key,
                            property: unreadable.attribute.name,
                            reason: row[1] == .integer(1)
                                ? "nil, as the value does not fit the type \(type)"
                                : "nil, as only the program can read what its class archived"))
                }
            }
        }
    }

    /// The entity of a row of the new store.
    func name(ofRow key: Int64, _ table: ObjectTable) throws(SQLiteError) -> String {
        table.name(
            ofNumber: try connection.rows(table.sql.entityNumber, [.integer(key)]).first?.first)
    }

    func derive(_ report: inout CoreDataImportReport) throws {
        for derivation in model.derivations where !derivation.sources.usesNow {
            guard let stale = derivation.stale, let update = derivation.updateOfAll?.sql else {
                continue
            }
            for row in try connection.rows(stale) {
                guard let key = row.first?.integer else { continue }
                report.changedValues.append(
                    .init(
                        entity: derivation.entity.name, id: key,
                        property: derivation.attribute.name,
                        reason: "computed again; the store had another value"))
            }
            try connection.execute(update)
        }
    }

    /// Records objects with an invalid number of destinations in a to-many relationship. They are
    /// imported all the same, because more data would be lost without them.
    func noteInvalidCounts(_ report: inout CoreDataImportReport) throws(SQLiteError) {
        for sql in LinkCountSQL.all(in: model) {
            for row in try connection.rows(sql.query) {
                guard let key = row[0].integer, let entity = row[1].text,
                    let count = row[2].integer
                else { continue }
                report.invalidObjects.append(
                    .init(
                        entity: entity, id: key, property: sql.relationship.name,
                        reason: sql.words(count)))
            }
        }
    }

    func finishCounts(_ report: inout CoreDataImportReport, _ tables: [ObjectTable]) throws {
        var written: [String: Int] = [:]
        for table in tables {
            for row in try connection.rows(
                CoreDataImportSQL.counts(of: table.object.root, in: model))
            {
                guard let name = row[0].text, let count = row[1].integer else { continue }
                written[name] = Int(count)
            }
        }
        var refused: [String: Int] = [:]
        for row in report.refusedRows { refused[row.entity, default: 0] += 1 }
        for table in tables {
            for (index, pair) in table.object.entities.enumerated() {
                let name = pair.entity.name
                let count = written[name] ?? 0
                let read = table.counts?.entities[index].count ?? count + refused[name, default: 0]
                report.entities.append(
                    .init(entity: name, read: read, written: count, refused: read - count))
            }
        }
        report.relationships = links.counts
        let parts = OmittedParts(layout: layout, store: store, connection: connection)
        report.omittedParts += try parts.all()
        for table in tables {
            let last = Int64(try connection.number(table.sql.lastKey))
            // A key that was given once is not given again; a number beyond all reason is damage.
            let given = table.object.lastKey < 1 << 60 ? table.object.lastKey : 0
            _ = try connection.rows(table.sql.setNextKey, [.integer(max(last, given) + 1)])
        }
    }

    func keepMetadata(_ report: inout CoreDataImportReport) throws {
        if let uuid = store.metadata.uuid {
            _ = try connection.rows(MetadataSQL.addIdentifier, [.text(uuid.uuidString)])
        }
        for (name, value) in store.metadata.notes.sorted(by: { $0.key < $1.key }) {
            _ = try connection.rows(
                MetadataSQL.insertNote, [MetadataSQL.noteName(name), .text(value)])
        }
    }
}
