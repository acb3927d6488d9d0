import CambiumSQLite

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
