import CambiumModel
import CambiumSQL
import CambiumSQLite

/// How the objects of one entity become lines of an export: which member of the line is which
/// column of the row, or which statement's rows.
struct ExportedEntity {
    /// A member of a line.
    struct Member {
        let name: String
        let content: Content
    }

    /// Where a member comes from.
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

    /// The members of attributes whose names begin alike up to a depth: the parts of a composite
    /// value, which follow each other, are one member.
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
