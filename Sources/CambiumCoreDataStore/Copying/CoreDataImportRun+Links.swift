import CambiumModel
import CambiumSQL
import CambiumSQLite

// The links between objects, and the checks that need them.
extension CoreDataImportRun {
    func countKeys(_ tables: [ObjectTable]) throws {
        try meter.begin(
            .checking, "Check links", at: Self.copyingShare + Self.indexingShare,
            share: Self.checkingShare, rows: tables.reduce(0) { $0 + $1.extent.rows })
        for table in tables {
            for (index, key) in table.object.keys.enumerated() {
                let count = try table.counts?.keys[index] ?? number(of: key, in: table)
                links.read(count, of: key.relationship, key.entity)
            }
        }
    }

    func checkKeys(_ report: inout CoreDataImportReport, _ tables: [ObjectTable]) throws {
        var repair = KeyRepair(model, connection, refused: report.refusedRows)
        try repair.run(over: tables.map(\.object))
        report.refusedRows += repair.refused
        report.lostLinks += repair.lost
    }

    /// The number of rows with a key, if all rows were copied.
    func number(
        of key: CoreDataLayout.KeySource, in table: ObjectTable
    ) throws(SQLiteError) -> Int {
        guard let column = key.column else { return 0 }
        if let check = KeyCheckSQL(key.relationship, of: key.entity, in: model) {
            return try connection.number(check.count)
        }
        return try connection.number(
            CoreDataImportSQL.count(ofValuesIn: column, ofSourceTable: table.object.table))
    }

    /// Links that are stored as pairs, and the statements that copy them.
    struct Pairs {
        let link: CoreDataLayout.LinkSource
        let sql: LinkCopySQL
    }

    func copyLinks(_ report: inout CoreDataImportReport) throws -> [Pairs] {
        let start = Self.copyingShare + Self.indexingShare + Self.checkingShare
        try meter.begin(
            .copying, "Copy links", at: start, share: Self.checkingShare,
            rows: layout.links.count * 1_000)
        let pairs = layout.links.compactMap { link in
            LinkCopySQL(link, in: model).map { Pairs(link: link, sql: $0) }
        }
        for pair in pairs where try !copyByIndex(pair) {
            try copy(pair, &report)
        }
        for table in schema.tables {
            guard case .links = table.content else { continue }
            for index in table.indexes { try connection.execute(index.createStatement) }
        }
        for pair in pairs where try connection.number(pair.sql.hasDangling) != 0 {
            try connection.execute(pair.sql.removeDangling)
        }
        return pairs
    }

    /// Copies pairs with their positions in an order, if these are numbers.
    private func copy(_ pair: Pairs, _ report: inout CoreDataImportReport) throws(SQLiteError) {
        do throws(SQLiteError) {
            for copy in pair.sql.copies() { try connection.execute(copy) }
        } catch {
            let otherType: Int32 = 3091
            guard error.code == otherType, pair.sql.hasPositions else { throw error }
            for copy in pair.sql.copies(hasInvalidPositions: true) { try connection.execute(copy) }
            for positions in pair.sql.invalidPositions {
                try note(positions, of: pair.link, &report)
            }
        }
    }

    /// Records the links without a position in a list.
    private func note(
        _ positions: LinkCopySQL.InvalidPositions, of link: CoreDataLayout.LinkSource,
        _ report: inout CoreDataImportReport
    ) throws(SQLiteError) {
        let inverse = positions.isOfInverse ? model.inverse(of: link.relationship) : nil
        for row in try connection.rows(positions.query) {
            guard let owner = row[0].integer, let member = row[1].integer else { continue }
            report.changedValues.append(
                .init(
                    entity: inverse?.entity.name ?? link.entity.name, id: owner,
                    property: inverse?.relationship.name ?? link.relationship.name,
                    reason:
                        "the link to \(member) has no position in the order, as the store has no "
                        + "number for it"))
        }
    }

    /// Copies pairs in the order of the source's index.
    ///
    /// - Returns: Whether that was all; if not, none were copied.
    private func copyByIndex(_ pair: Pairs) throws(SQLiteError) -> Bool {
        guard let sql = pair.sql.byIndex else { return false }
        do throws(SQLiteError) {
            try connection.execute(sql.copy)
            if try connection.rows(sql.oldSums) == connection.rows(sql.newSums) { return true }
        } catch {
            // The table may be intact although its index is damaged.
            let corrupt: Int32 = 11
            guard error.primaryCode == corrupt else { throw error }
        }
        try connection.execute(sql.undo)
        return false
    }

    /// Removes rows that break rules about more than one row, and rows that require them.
    func refuseBrokenRules(
        _ report: inout CoreDataImportReport, _ tables: [ObjectTable], _ pairs: [Pairs]
    ) throws {
        let before = report.refusedRows.count
        for rule in BrokenRuleSQL.all(in: model) {
            for row in try connection.rows(rule.query) {
                guard let key = row[0].integer, let entity = row[1].text else { continue }
                _ = try connection.rows(rule.remove, [.integer(key)])
                report.refusedRows.append(
                    .init(entity: entity, id: key, property: rule.property, reason: rule.reason))
            }
        }
        guard report.refusedRows.count > before else { return }
        try checkKeys(&report, tables)
        for pair in pairs { try connection.execute(pair.sql.removeDangling) }
    }

    func countLinks(
        _ report: inout CoreDataImportReport, _ tables: [ObjectTable], _ pairs: [Pairs]
    ) throws {
        for table in tables {
            for key in table.object.keys {
                let completed = try noteCompleted(key, table, &report)
                if let check = KeyCheckSQL(key.relationship, of: key.entity, in: model) {
                    links.wrote(
                        try connection.number(check.count) - completed, of: key.relationship,
                        key.entity)
                } else if let query = table.sql.oneSided(key) {
                    let lost = try noteOneSided(key, query, table, &report)
                    links.lost(lost, of: key.relationship, key.entity)
                }
            }
        }
        for pair in pairs {
            let (link, sql) = (pair.link, pair.sql)
            let count = try connection.number(sql.count)
            let isComplete = try sql.rowCount.map { try connection.number($0) == count } ?? false
            let copied = try isComplete ? count : connection.number(sql.copiedCount)
            links.read(count, of: link.relationship, link.entity)
            links.wrote(copied, of: link.relationship, link.entity)
            guard copied < count else { continue }
            let refused = report.refusedRows.keysByRoot(in: model)
            for row in try connection.rows(sql.lost) { note(row, link, refused, &report) }
        }
    }

    /// Records a link that is not in the new store.
    private func note(
        _ row: [StoredValue], _ link: CoreDataLayout.LinkSource, _ refused: [String: Set<Int64>],
        _ report: inout CoreDataImportReport
    ) {
        let (name, vague) = (link.relationship.name, "one of its two ends is missing in the store")
        switch (row[0], row[1]) {
        case (.integer(let owner), .integer(let member)):
            let isRefused = [
                (link.entity.name, owner), (link.relationship.destination, member),
            ].contains { name, key in
                model.entity(named: name).map(model.root).map {
                    refused[$0.name]?.contains(key) == true
                } ?? false
            }
            report.lostLinks.append(
                .init(
                    entity: link.entity.name, id: owner, relationship: name, target: member,
                    reason: isRefused
                        ? "one of the two objects was refused"
                        : "one of the two objects does not exist"))
        case (.integer(let owner), _):
            report.lostLinks.append(
                .init(
                    entity: link.entity.name, id: owner, relationship: name, target: nil,
                    reason: vague))
        case (_, .integer(let member)):
            let inverse = model.inverse(of: link.relationship)?.relationship.name
            report.lostLinks.append(
                .init(
                    entity: link.relationship.destination, id: member,
                    relationship: inverse ?? "\(link.entity.name).\(name)", target: nil,
                    reason: vague))
        default:
            report.omittedParts.append(
                .init(
                    name: link.table, rows: 1,
                    reason: "a link of \(link.entity.name).\(name): \(vague)",
                    isBookkeeping: false))
        }
    }

    // MARK: One-to-one relationships with two different rows

    /// Records the links that only the other side of a one-to-one relationship has. Core Data
    /// stores both sides; if they differ, the side that our store keeps counts.
    ///
    /// - Returns: The number of links that only the other side has, including links of rejected
    ///   rows.
    func noteOneSided(
        _ key: CoreDataLayout.KeySource, _ query: String, _ table: ObjectTable,
        _ report: inout CoreDataImportReport
    ) throws -> Int {
        let rows = try connection.rows(query)
        let root = model.entity(named: key.relationship.destination).map(model.root)?.name ?? ""
        let refused = rows.isEmpty ? [] : report.refusedRows.keysByRoot(in: model)[root] ?? []
        for row in rows where row[3] == .integer(1) {
            guard let id = row[0].integer else { continue }
            let target = row[2].integer
            let reason =
                if target == nil {
                    "the value is no key"
                } else if row[4] == .integer(1) {
                    "the object that it references does not reference it"
                } else if target.map(refused.contains) == true {
                    "the object of that key was refused"
                } else if row[5] == .integer(1) {
                    "the object of that key is not a \(key.relationship.destination)"
                } else {
                    "there is no object of that key in the store"
                }
            report.lostLinks.append(
                .init(
                    entity: table.name(ofNumber: row[1]), id: id,
                    relationship: key.relationship.name, target: target, reason: reason))
        }
        return rows.count
    }

    /// Records the completed links: if only one of the two rows has the link, the other one gets
    /// it.
    ///
    /// - Returns: The number of completed links.
    func noteCompleted(
        _ key: CoreDataLayout.KeySource, _ table: ObjectTable, _ report: inout CoreDataImportReport
    ) throws(SQLiteError) -> Int {
        guard let query = table.sql.completed(key) else { return 0 }
        let rows = try connection.rows(query)
        for row in rows {
            guard let id = row[0].integer, let other = row[2].integer else { continue }
            report.changedValues.append(
                .init(
                    entity: table.name(ofNumber: row[1]), id: id, property: key.relationship.name,
                    reason: "references \(other) now, which references it; the store had nothing"))
        }
        return rows.count
    }
}
