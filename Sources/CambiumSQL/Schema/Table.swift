import CambiumModel
import CambiumPlan

/// A table of a store, with everything that its SQL says.
package struct Table: Sendable, Hashable {
    /// The table's name.
    package let name: String
    /// The columns in order.
    package let columns: [Column]
    /// Constraints over several columns, each a line.
    package let constraints: [String]
    /// The words after the closing parenthesis.
    package let options: String
    /// The indexes in order.
    package let indexes: [TableIndex]
    /// What its rows are.
    package let content: Content

    /// What the rows of a table are.
    package enum Content: Sendable, Hashable {
        /// Objects of a root entity and its sub-entities.
        case objects(root: String)
        /// The links of a relationship; `_source` is the side of that entity.
        case links(entity: String, relationship: String)
        /// What the runtime keeps for itself.
        case system
    }

    /// A column of a table.
    package struct Column: Sendable, Hashable {
        /// The column's name.
        package let name: String
        /// The whole definition, one or more lines.
        package let definition: String
        /// What its values are.
        package let content: Content
        /// Whether SQLite computes the values; nothing can be written to it then.
        package var isGenerated = false

        /// What the values of a column are.
        package enum Content: Sendable, Hashable {
            /// The object's key, version or entity, a side of a link, or the runtime's own.
            case system
            /// The object's entity.
            case entity
            /// Values of an attribute that the entity declares.
            case attribute(entity: String, name: String)
            /// Keys of a to-one that the entity declares.
            case key(entity: String, relationship: String)
            /// Entities of the keys of a polymorphic to-one.
            case entityOfKey(entity: String, relationship: String)
            /// Places in the ordered to-many that the entity declares.
            case position(entity: String, relationship: String)
        }
    }

    /// The statement that makes the table, under its own or another name.
    package func createStatement(named other: String? = nil) -> String {
        var statement = "CREATE TABLE \(SQLText.identifier(other ?? name)) ("
        var separator = "\n    "
        for line in columns.lazy.map(\.definition) + constraints {
            statement += separator
            statement += line
            separator = ",\n    "
        }
        statement += "\n) "
        statement += options
        return statement
    }
}

/// An index of a table.
package struct TableIndex: Sendable, Hashable {
    /// The index's name.
    package let name: String
    /// The statement that makes it.
    package let createStatement: String
    /// Which rows may not be alike; nil where that is allowed.
    package var uniqueRows: UniqueRows?

    /// Whether an index of that name may be a model's: of this version or of another one.
    package static func mayBeOurs(_ name: String) -> Bool {
        [".key.", ".order.", ".unique.", ".index."].contains { name.contains($0) }
    }
}

extension UniqueRows {
    /// The columns in a statement.
    package var list: String { columns.map(SQLText.identifier).joined(separator: ", ") }

    /// SQL for which rows are meant; nil where all are.
    var condition: String? {
        let names = entities.map { SQLText.literal(.text($0)) }
        return switch names.count {
        case 0: nil
        case 1: "\"_entity\" = \(names[0])"
        default: "\"_entity\" IN (\(names.joined(separator: ", ")))"
        }
    }

    /// The conditions of the rows that may not be equal to others.
    package var conditions: [String] {
        columns.map { "\(SQLText.identifier($0)) IS NOT NULL" } + [condition].compactMap(\.self)
    }
}
