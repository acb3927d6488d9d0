import CambiumEngine
import CambiumMigration
import CambiumModel
import CambiumRecords
import CambiumSQL
import CambiumSQLite

extension SQLiteReading {
    func keys(
        ofRoot root: EntityDescription, after key: Int64?, atMost limit: Int
    ) throws -> [Int64] {
        let rows = try withReader { connection in
            try connection.rows(
                KeySQL.keys(of: root.name, atMost: limit),
                [.integer(key ?? .min), key.map { .integer($0) } ?? .null])
        }
        return rows.compactMap { if case .integer(let key)? = $0.first { key } else { nil } }
    }

    func findFaults(
        atMost limit: Int, _ receive: ([StoreFinding], Int) throws -> Void
    ) throws {
        let model = engine.model.model
        for question in model.structureQuestions(.plain) {
            try find(question.rows(atMost: limit), question.count, limit, receive) { row in
                guard row.count == 3, case .integer(let key) = row[0],
                    case .integer(let other) = row[1], case .text(let entity) = row[2]
                else { return nil }
                return StoreFinding(question, key: key, other: other, entity: entity)
            }
        }
        for derivation in model.derivations where !derivation.sources.usesNow {
            guard let sql = derivation.differing else { continue }
            try find(
                StructureQuestion.rows(of: sql, atMost: limit), StructureQuestion.count(of: sql),
                limit, receive
            ) { row in
                guard case .integer(let key)? = row.first else { return nil }
                return StoreFinding(
                    .staleValue, entityName: derivation.entity.name, key: key,
                    property: derivation.attribute.name,
                    "it differs from the computed value")
            }
        }
        let integrity = try withReader { try IntegrityCheck(of: model).findings($0, atMost: limit) }
        try receive(integrity, integrity.count)
    }

    /// - Parameters:
    ///   - sql: The query of the first findings.
    ///   - count: The query of their number.
    private func find(
        _ sql: String, _ count: String, _ limit: Int,
        _ receive: ([StoreFinding], Int) throws -> Void,
        _ finding: ([StoredValue]) -> StoreFinding?
    ) throws {
        let (rows, number) = try withReader { connection in
            let rows = try connection.rows(sql)
            guard rows.count == limit else { return (rows, rows.count) }
            guard case .integer(let number)? = try connection.rows(count).first?.first else {
                return (rows, rows.count)
            }
            return (rows, Int(number))
        }
        if !rows.isEmpty { try receive(rows.compactMap(finding), number) }
    }
}

/// The integrity check of SQLite itself.
private struct IntegrityCheck {
    /// The entity of each table and index.
    private let owners: [String: String]

    init(of model: Model) {
        var owners: [String: String] = [:]
        for table in Schema(of: model).tables {
            let owner: String
            switch table.content {
            case .objects(let root): owner = root
            case .links(let entity, _):
                owner = model.entity(named: entity).map { model.root(of: $0).name } ?? entity
            case .system: continue
            }
            for name in [table.name] + table.indexes.map(\.name) { owners[name] = owner }
        }
        self.owners = owners
    }

    /// Returns the findings. If SQLite reports rows, a finding names their entity: another check
    /// may have found the same rows already.
    func findings(_ connection: Connection, atMost limit: Int) throws -> [StoreFinding] {
        let check = try connection.rows(PragmaSQL.integrityCheck(atMost: limit))
        let lines = check.compactMap { row in
            if case .text(let line)? = row.first { line } else { nil }
        }
        var findings = lines.filter { $0 != "ok" }.map { line in
            StoreFinding(.integrity, entityName: owner(of: line), "SQLite: \(line.excerpt())")
        }
        for row in try connection.rows(CheckSQL.tablesWithDanglingKeys) {
            guard case .text(let table)? = row.first else { continue }
            findings.append(
                StoreFinding(
                    .integrity, entityName: owners[table],
                    "SQLite: rows of \(table.excerpt()) reference rows that do not exist"))
        }
        return findings
    }

    /// Returns the entity of the rows in a line, such as `CHECK constraint failed in Book`.
    private func owner(of line: String) -> String? {
        let starts = [
            "CHECK constraint failed in ", "NULL value in ", "non-unique entry in index ",
        ]
        for start in starts where line.hasPrefix(start) {
            let name = line.dropFirst(start.count)
            if let owner = owners[String(name)] { return owner }
            // The name of a column follows that of its table.
            return name.split(separator: ".").first.flatMap { owners[String($0)] }
        }
        return nil
    }
}
