import CambiumModel
import CambiumSQL

/// The statements that read all of a hierarchy's objects for an export, in the order of their keys.
package struct ExportSQL: Sendable {
    /// Reads the rows: the key, the entity's name if the hierarchy has several, then the columns;
    /// see ``column(named:)``.
    package let rows: String
    /// Whether the second column of ``rows`` is the entity's name.
    package let hasEntityColumn: Bool

    private let numbers: [String: Int]

    /// Builds the statements for a root entity and all entities below it.
    package init(ofRoot root: Entity, in model: Model) {
        hasEntityColumn = model.hasSubentities(root)
        var columns = [SQLText.identifier(SystemColumn.key)]
        if hasEntityColumn { columns.append(SQLText.identifier(SystemColumn.entity)) }
        var numbers: [String: Int] = [:]
        for entity in model.family(of: root) {
            for attribute in entity.attributes where !attribute.isTransient {
                let column = model.column(of: attribute.name, in: entity)
                numbers[column] = columns.count
                columns.append(Self.value(of: attribute, in: column))
            }
            for relationship in entity.relationships {
                guard case .key(let column, _) = model.storage(of: relationship, of: entity) else {
                    continue
                }
                numbers[column] = columns.count
                columns.append(SQLText.identifier(column))
            }
        }
        self.numbers = numbers
        rows =
            """
            SELECT \(columns.joined(separator: ", ")) FROM \(SQLText.identifier(root.name)) \
            ORDER BY \(SQLText.identifier(SystemColumn.key))
            """
    }

    /// The index of a table's column among the columns of ``rows``; nil if it is not read.
    package func column(named name: String) -> Int? { numbers[name] }

    /// A codable value becomes JSON, even if another program wrote a value that is not JSON.
    private static func value(of attribute: Attribute, in column: String) -> String {
        let column = SQLText.identifier(column)
        guard case .codable = attribute.type else { return column }
        return """
            CASE WHEN json_valid(\(column)) THEN json(\(column)) \
            WHEN \(column) IS NOT NULL THEN json_quote(\(column)) END
            """
    }

    /// The statement for the keys of the objects in a relationship of one object (its key is
    /// parameter 1). They are in the stored order, or else sorted by key. Nil if the links are a
    /// column of the object's own row, or are not stored.
    package static func members(
        of relationship: Relationship, of entity: Entity, in model: Model
    ) -> String? {
        let table: String
        let (owner, member): (String, String)
        switch model.storage(of: relationship, of: entity) {
        case .inverseKey(let column):
            guard let destination = model.entity(named: relationship.destination) else {
                return nil
            }
            (table, owner, member) = (model.root(of: destination).name, column, SystemColumn.key)
        case .joinTable(let name, let source, let destination):
            (table, owner, member) = (name, source, destination)
        case .key, .transient:
            return nil
        }
        let position = model.positionColumn(of: relationship, of: entity)
            .map { "\(SQLText.identifier($0)) NULLS LAST, " }
        return """
            SELECT \(SQLText.identifier(member)) FROM \(SQLText.identifier(table)) \
            WHERE \(SQLText.identifier(owner)) = ? \
            ORDER BY \(position ?? "")\(SQLText.identifier(member))
            """
    }
}
