import CambiumModel
import CambiumSQL
import CambiumSQLite

// One-to-ones whose two rows do not say the same.
extension AdoptionRun {
    /// Core Data keeps both sides of a one-to-one; where they do not say the same, the side counts
    /// that our store keeps.
    ///
    /// - Returns: How many links only the other side has, those of refused rows included.
    func noteOneSided(
        _ key: CoreDataLayout.KeySource, _ query: String, _ table: ObjectTable,
        _ report: inout AdoptionReport
    ) throws -> Int {
        let rows = try connection.rows(query)
        let root = model.entity(named: key.relationship.destination).map(model.root)?.name ?? ""
        let refused = rows.isEmpty ? [] : report.refusedRows.keysByRoot(in: model)[root] ?? []
        for row in rows where row[3] == .integer(1) {
            guard case .integer(let id) = row[0] else { continue }
            let target: Int64? = if case .integer(let key) = row[2] { key } else { nil }
            let reason =
                if target == nil {
                    "the value is no key"
                } else if row[4] == .integer(1) {
                    "the object that it leads to does not lead back"
                } else if target.map(refused.contains) == true {
                    "the object of that key was refused"
                } else if row[5] == .integer(1) {
                    "the object of that key is no \(key.relationship.destination)"
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

    /// Where only one of both rows has the link, the other one gets it.
    ///
    /// - Returns: How many did.
    func noteCompleted(
        _ key: CoreDataLayout.KeySource, _ table: ObjectTable, _ report: inout AdoptionReport
    ) throws(SQLiteError) -> Int {
        guard let query = table.sql.completed(key) else { return 0 }
        let rows = try connection.rows(query)
        for row in rows {
            guard case .integer(let id) = row[0], case .integer(let other) = row[2] else {
                continue
            }
            report.changedValues.append(
                .init(
                    entity: table.name(ofNumber: row[1]), id: id, property: key.relationship.name,
                    reason: "leads to \(other) now, as that leads here; the store had nothing"))
        }
        return rows.count
    }
}
