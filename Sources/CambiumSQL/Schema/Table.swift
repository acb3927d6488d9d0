import CambiumModel
import CambiumPlan

/// A table of a store, as values; its SQL is written out here alone.
package struct Table: Sendable, Equatable {
    /// The table's name.
    package let name: String
    /// The columns in order.
    package internal(set) var columns: [Column]
    /// The columns of its primary key; empty where a column says that it is the key.
    var primaryKey: [String] = []
    /// Conditions over several columns.
    var checks: [Check] = []
    /// The words after the closing parenthesis.
    package let options: String
    /// The indexes in order.
    package internal(set) var indexes: [TableIndex] = []
    /// What its rows are.
    package let content: Content

    /// What the rows of a table are.
    package enum Content: Sendable, Equatable {
        /// Objects of a root entity and its sub-entities.
        case objects(root: String)
        /// The links of a relationship; `_source` is the side of that entity.
        case links(entity: String, relationship: String)
        /// What the runtime keeps for itself.
        case system
    }

    /// A column of a table.
    package struct Column: Sendable, Equatable {
        /// The column's name.
        package let name: String
        /// The form of its values.
        let type: StorageClass
        /// Whether NULL is no value.
        var isRequired = false
        /// Whether it is the primary key.
        var isPrimaryKey = false
        /// What new rows get.
        var defaultValue: StoredValue?
        /// The table that it has keys of.
        var destination: String?
        /// SQL for the values, if SQLite computes them; nothing can be written to it then.
        var generation: String?
        /// What its values have to meet.
        var checks: [Check] = []
        /// What its values are.
        package let content: Content

        /// Whether SQLite computes the values.
        package var isGenerated: Bool { generation != nil }

        /// What the table says of it, one or more lines.
        var definition: String {
            checks.reduce(bareDefinition) { "\($0)\n        \($1.definition)" }
        }

        /// The same without its checks.
        var bareDefinition: String {
            var text = "\(SQLText.identifier(name)) \(type.rawValue)"
            if isRequired { text += " NOT NULL" }
            if isPrimaryKey { text += " PRIMARY KEY" }
            if let defaultValue { text += " DEFAULT \(SQLText.literal(defaultValue))" }
            if let destination {
                text +=
                    """
                    \n        REFERENCES \(SQLText.identifier(destination)) ("_id") \
                    ON DELETE NO ACTION DEFERRABLE INITIALLY DEFERRED
                    """
            }
            if let generation { text += "\n        GENERATED ALWAYS AS (\(generation)) VIRTUAL" }
            return text
        }

        /// What the values of a column are.
        package enum Content: Sendable, Equatable {
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

    /// A condition that rows have to meet.
    struct Check: Sendable, Equatable {
        /// What it is about.
        let name: ConstraintName
        /// SQL over the row.
        let condition: String
        /// The columns that it looks at.
        let columns: Set<String>
        /// Whether it sees no more of a text than what stands before a NUL.
        var endsAtNUL = false
        /// What its one column may hold, where it says nothing else.
        var bounds: ColumnBounds?

        /// What the table says of it.
        var definition: String {
            "CONSTRAINT \(SQLText.identifier(name.text)) CHECK (\(condition))"
        }

        /// Whether each row that meets it meets another one, as far as the two tell.
        func implies(_ other: Check) -> Bool {
            if condition == other.condition { return true }
            guard columns == other.columns, let bounds, let wanted = other.bounds else {
                return false
            }
            return bounds.areWithin(wanted)
        }
    }

    /// What the table says beside its columns, each a line.
    var constraints: [String] {
        [primaryKeyConstraint].compactMap(\.self) + checks.map(\.definition)
    }

    /// What it says of a primary key of several columns.
    var primaryKeyConstraint: String? {
        primaryKey.isEmpty
            ? nil : "PRIMARY KEY (\(primaryKey.map(SQLText.identifier).joined(separator: ", ")))"
    }

    /// The columns that hold keys of another table.
    package func columns(leadingTo table: String) -> [Column] {
        columns.filter { $0.destination == table }
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
package struct TableIndex: Sendable, Equatable {
    /// The index's name.
    package let name: String
    /// Its table.
    let table: String
    /// The columns, or SQL for values, in order.
    let elements: [String]
    /// SQL for which rows are in it; nil if all are.
    var condition: String?
    /// Which rows may not be alike; nil where that is allowed.
    package var uniqueRows: UniqueRows?

    /// The statement that makes it.
    package var createStatement: String {
        """
        CREATE \(uniqueRows == nil ? "" : "UNIQUE ")INDEX \(SQLText.identifier(name)) \
        ON \(SQLText.identifier(table)) (\(elements.joined(separator: ", ")))
        """
            + (condition.map { "\n    WHERE \($0)" } ?? "")
    }

    /// Whether an index of that name may be a model's: of this version or of another one.
    package static func mayBeOurs(_ name: String) -> Bool {
        [".key.", ".order.", ".unique.", ".index."].contains { name.contains($0) }
    }
}

extension UniqueRows {
    /// The columns in a statement.
    package var list: String { columns.map(SQLText.identifier).joined(separator: ", ") }

    /// SQL for which rows are meant; nil where all are.
    var condition: String? { entities.isEmpty ? nil : SQLText.isOfEntity(entities) }

    /// The conditions of the rows that may not be equal to others.
    package var conditions: [String] {
        columns.map { "\(SQLText.identifier($0)) IS NOT NULL" } + [condition].compactMap(\.self)
    }
}
