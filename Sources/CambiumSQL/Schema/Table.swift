import CambiumModel
import CambiumPlan

/// A table of a store, as values; its SQL is written out here alone.
package final class Table: Sendable, Equatable {
    /// The table's name.
    package let name: String
    /// The columns in order.
    package let columns: [Column]
    /// The columns of its primary key; empty if a column itself is declared as the key.
    package let primaryKey: [String]
    /// Conditions over several columns.
    package let checks: [Check]
    /// The words after the closing parenthesis.
    package let options: String
    /// The indexes in order.
    package let indexes: [TableIndex]
    /// The meaning of its rows.
    package let content: Content

    package init(
        name: String, columns: [Column], primaryKey: [String] = [], checks: [Check] = [],
        options: String, indexes: [TableIndex] = [], content: Content
    ) {
        self.name = name
        self.columns = columns
        self.primaryKey = primaryKey
        self.checks = checks
        self.options = options
        self.indexes = indexes
        self.content = content
    }

    package static func == (left: Table, right: Table) -> Bool {
        if left === right { return true }
        return left.name == right.name && left.columns == right.columns
            && left.primaryKey == right.primaryKey && left.checks == right.checks
            && left.options == right.options && left.indexes == right.indexes
            && left.content == right.content
    }

    /// The meaning of a table's rows.
    package enum Content: Sendable, Equatable {
        /// Objects of a root entity and its sub-entities.
        case objects(root: String)
        /// The links of a relationship; `_source` is the side of that entity.
        case links(entity: String, relationship: String)
        /// The runtime's own data.
        case system
    }

    /// A column of a table.
    package final class Column: Sendable, Equatable {
        /// The column's name.
        package let name: String
        /// The form of its values.
        package let type: StorageClass
        /// The name of their type.
        package var typeName: String { form?.type ?? type.rawValue }
        /// Whether NULL is not a value.
        package let isRequired: Bool
        /// Whether the column is the primary key.
        package let isPrimaryKey: Bool
        /// The default value of new rows.
        let defaultValue: StoredValue?
        /// The table that it has keys of.
        package let destination: String?
        /// SQL for the values, if the engine computes them. Such a column cannot be written.
        let generation: String?
        /// The conditions on its values.
        let checks: [Check]
        /// The meaning of its values.
        package let content: Content
        /// The definition for another engine than SQLite; nil for SQLite.
        package let form: Form?

        /// The definition of a column for another engine than SQLite.
        package struct Form: Sendable {
            /// The type of its values.
            let type: String
            /// The text of its definition in the table.
            let definition: String
            /// The default value of new rows, as SQL; nil if it is NULL.
            package let defaultValue: String?

            package init(type: String, definition: String, defaultValue: String?) {
                self.type = type
                self.definition = definition
                self.defaultValue = defaultValue
            }
        }

        package init(
            name: String, type: StorageClass, isRequired: Bool = false, isPrimaryKey: Bool = false,
            defaultValue: StoredValue? = nil, destination: String? = nil,
            generation: String? = nil, checks: [Check] = [], content: Content, form: Form? = nil
        ) {
            self.form = form
            self.name = name
            self.type = type
            self.isRequired = isRequired
            self.isPrimaryKey = isPrimaryKey
            self.defaultValue = defaultValue
            self.destination = destination
            self.generation = generation
            self.checks = checks
            self.content = content
        }

        @inline(never)
        package static func == (left: Column, right: Column) -> Bool {
            if left === right { return true }
            return left.content == right.content && left.bareDefinition == right.bareDefinition
                && left.checks == right.checks
        }

        /// Whether the engine computes the values.
        package var isGenerated: Bool { generation != nil }

        /// The definition of the column in the table, one or more lines.
        package var definition: String {
            checks.reduce(bareDefinition) { "\($0)\n        \($1.definition)" }
        }

        /// The definition of the column without its checks.
        var bareDefinition: String {
            if let form { return form.definition }
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

        /// The meaning of a column's values.
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
    package final class Check: Sendable, Equatable {
        /// The subject of the condition.
        package let name: ConstraintName
        /// SQL over the row.
        package let condition: String
        /// The columns that it uses.
        package let columns: Set<String>
        /// Whether the check ignores the part of a text after a NUL.
        let endsAtNUL: Bool
        /// The bounds of its single column, if it has no other condition.
        let bounds: ColumnBounds?

        package init(
            name: ConstraintName, condition: String, columns: Set<String>, endsAtNUL: Bool = false,
            bounds: ColumnBounds? = nil
        ) {
            self.name = name
            self.condition = condition
            self.columns = columns
            self.endsAtNUL = endsAtNUL
            self.bounds = bounds
        }

        package static func == (left: Check, right: Check) -> Bool {
            left.name == right.name && left.condition == right.condition
                && left.columns == right.columns && left.endsAtNUL == right.endsAtNUL
                && left.bounds == right.bounds
        }

        /// The text of the constraint in the table.
        package var definition: String {
            "CONSTRAINT \(SQLText.identifier(name.text)) CHECK (\(condition))"
        }

        /// Whether each row that meets it meets another check, as far as the two can be compared.
        func implies(_ other: Check) -> Bool {
            if condition == other.condition { return true }
            guard columns == other.columns, let bounds, let wanted = other.bounds else {
                return false
            }
            return bounds.areWithin(wanted)
        }
    }

    /// The parts of the table's definition besides its columns, each a line.
    var constraints: [String] {
        [primaryKeyConstraint].compactMap { $0 } + checks.map { $0.definition }
    }

    /// The constraint for a primary key of several columns.
    var primaryKeyConstraint: String? {
        primaryKey.isEmpty
            ? nil : "PRIMARY KEY (\(SQLText.identifiers(primaryKey)))"
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

extension [Table] {
    /// The names of the tables.
    @inline(never)
    package var names: [String] { map { $0.name } }
}

extension [Table.Column] {
    /// The names of the columns.
    @inline(never)
    package var names: [String] { map { $0.name } }
}

extension [Entity] {
    /// The names of the entities.
    @inline(never)
    var names: [String] { map { $0.name } }
}

/// An index of a table.
package struct TableIndex: Sendable, Equatable {
    /// The index's name.
    package let name: String
    /// The table of the index.
    package let table: String
    /// The sort elements, in order.
    package let elements: [Element]
    /// SQL for the rows in the index; nil if all are.
    package var condition: String?
    /// The rows that must be unique; nil if the index is not unique.
    package var uniqueRows: UniqueRows?

    package init(
        name: String, table: String, elements: [Element], condition: String? = nil,
        uniqueRows: UniqueRows? = nil
    ) {
        self.name = name
        self.table = table
        self.elements = elements
        self.condition = condition
        self.uniqueRows = uniqueRows
    }

    /// The statement that creates it.
    package var createStatement: String {
        """
        CREATE \(uniqueRows == nil ? "" : "UNIQUE ")INDEX \(SQLText.identifier(name)) \
        ON \(SQLText.identifier(table)) (\(elements.map { $0.text(SQLText.identifier) }.joined(separator: ", ")))
        """
            + (condition.map { "\n    WHERE \($0)" } ?? "")
    }

    /// Whether other engines than SQLite can create it with the same text. Such an index has only
    /// columns. It covers all rows, or the rows that must be unique.
    package var isOfEveryEngine: Bool {
        elements.allSatisfy { if case .column = $0 { true } else { false } }
            && (condition == nil || uniqueRows != nil)
    }

    /// A sort element of an index.
    package enum Element: Sendable, Equatable {
        case column(String, isDescending: Bool = false)
        /// An expression that SQLite computes.
        case value(String, isDescending: Bool)

        /// - Parameter identifier: Writes the name of a column.
        package func text(_ identifier: (String) -> String) -> String {
            switch self {
            case .column(let name, let isDescending):
                identifier(name) + (isDescending ? " DESC" : "")
            case .value(let sql, let isDescending): "(\(sql))" + (isDescending ? " DESC" : "")
            }
        }
    }

    /// Whether a name may be the name of a model's index, of this version or of another one.
    package static func mayBeOurs(_ name: String) -> Bool {
        [".key.", ".order.", ".unique.", ".index."].contains { name.contains($0) }
    }
}

extension UniqueRows {
    /// The columns in a statement.
    package var list: String { SQLText.identifiers(columns) }

    /// SQL for the affected rows; nil for all rows.
    var condition: String? { entities.isEmpty ? nil : SQLText.isOfEntity(entities) }

    /// The conditions of the rows that must be unique.
    package var conditions: [String] {
        columns.map { "\(SQLText.identifier($0)) IS NOT NULL" } + [condition].compactMap { $0 }
    }
}

/// The name of a constraint in a store. It resolves a failure to the model.
///
/// | text | failed constraint |
/// |---|---|
/// | `Product.price.min` | a limit of an attribute |
/// | `Product.address.city.max` | a limit of a part of a composite value |
/// | `Product.address.presence` | a composite value without a part that it requires |
/// | `Product.rule.saleBelowPrice` | a rule |
/// | `Product.unique.sku+tenant` | a unique constraint |
package enum ConstraintName: Sendable, Equatable {
    /// The kind of check on an attribute or relationship.
    package enum Check: String, Sendable, CaseIterable {
        /// The value is at least the minimum.
        case minimum = "min"
        /// The value is at most the maximum.
        case maximum = "max"
        /// The length is at least the least length.
        case minimumLength = "minLength"
        /// The length is at most the greatest length.
        case maximumLength = "maxLength"
        /// Matches the pattern.
        case pattern
        /// Within the range of its type.
        case range
        /// The value is not nil.
        case required
        /// A composite value that is nil or has all the parts that it requires.
        case presence
    }

    /// A check of one property.
    case property(entity: String, property: String, Check)
    /// A rule of an entity.
    case rule(entity: String, name: String)
    /// A unique constraint of an entity.
    case unique(entity: String, properties: [String])

    /// The name in SQL.
    package var text: String {
        switch self {
        case .property(let entity, let property, let check):
            Self.words.contains(Self.firstWord(of: property))
                ? "\(entity).property.\(property).\(check.rawValue)"
                : "\(entity).\(property).\(check.rawValue)"
        case .rule(let entity, let name):
            "\(entity).rule.\(name)"
        case .unique(let entity, let properties):
            "\(entity).unique.\(properties.joined(separator: "+"))"
        }
    }

    /// Reads a name, or returns nil if it is not one of Cambium's.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count >= 3 else { return nil }
        switch parts[1] {
        case "rule" where parts.count == 3:
            self = .rule(entity: parts[0], name: parts[2])
        case "unique":
            let properties = parts[2...].joined(separator: ".")
            self = .unique(
                entity: parts[0], properties: properties.split(separator: "+").map(String.init))
        case let word:
            let names = parts[(word == "property" ? 2 : 1)...].dropLast()
            guard !names.isEmpty, let check = parts.last.flatMap(Check.init(rawValue:)) else {
                return nil
            }
            self = .property(entity: parts[0], property: names.joined(separator: "."), check)
        }
    }

    private static func firstWord(of property: String) -> String {
        String(property.prefix { $0 != "." })
    }

    /// Words at the second place of a name; a property that is called so gets a longer name.
    private static let words: Set = ["rule", "unique", "property"]

    /// The violation of a row that does not meet it, as part of a sentence.
    package var violation: String {
        switch self {
        case .property(let entity, let property, let check):
            switch check {
            case .minimum: "\(entity).\(property) is below its minimum"
            case .maximum: "\(entity).\(property) is above its maximum"
            case .minimumLength: "\(entity).\(property) is shorter than it may be"
            case .maximumLength: "\(entity).\(property) is longer than it may be"
            case .pattern: "\(entity).\(property) does not match its pattern"
            case .range: "\(entity).\(property) is beyond the range of its type"
            case .required: "\(entity).\(property) has no value, and is required"
            case .presence: "\(entity).\(property) lacks a part that is required"
            }
        case .rule(let entity, let name):
            "the rule \(name) of \(entity) is not met"
        case .unique(let entity, let properties):
            "two objects of \(entity) have the same \(properties.joined(separator: ", "))"
        }
    }

    /// The property with the constraint, if it is a single one.
    package var property: String? {
        if case .property(_, let name, _) = self { name } else { nil }
    }

    /// The entity with the constraint.
    package var entity: String {
        switch self {
        case .property(let entity, _, _), .rule(let entity, _), .unique(let entity, _): entity
        }
    }
}

extension Model {
    /// Returns the constraint in a message from SQLite, such as `CHECK constraint failed:
    /// Product.price.min` or `UNIQUE constraint failed: Product.sku, Product.tenant`.
    ///
    /// - Parameter entity: The entity of the row that failed, if it is known. Two entities of one
    ///   table may have columns in common.
    /// - Returns: Nil if the message does not name a constraint of this model.
    package func constraint(
        failedWith message: String, entity: Entity? = nil
    ) -> ConstraintName? {
        let parts = message.split(separator: ": ", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return nil }
        switch parts[0] {
        case "CHECK constraint failed":
            return ConstraintName(parts[1])
        case "UNIQUE constraint failed":
            return unique(of: columns(parts[1]), entity: entity)
        case "NOT NULL constraint failed":
            return columns(parts[1]).first.flatMap { table, column in
                property(ofColumn: column, inTable: table).map { owner, property in
                    .property(entity: owner.name, property: property, .required)
                }
            }
        default:
            return nil
        }
    }

    private func columns(_ text: String) -> [(table: String, column: String)] {
        var rest = Substring(text)
        var columns: [(table: String, column: String)] = []
        while !rest.isEmpty {
            let name = rest.prefix { $0 != "," }
            rest = rest.dropFirst(name.count).drop { $0 == "," || $0 == " " }
            let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
            if parts.count == 2 { columns.append((parts[0], parts[1])) }
        }
        return columns
    }

    private func unique(
        of columns: [(table: String, column: String)], entity: Entity?
    ) -> ConstraintName? {
        guard let table = columns.first?.table, let root = self.entity(named: table) else {
            return nil
        }
        let candidates = entity.map { lineage(of: $0) } ?? family(of: root)
        for candidate in candidates {
            for constraint in candidate.uniqueConstraints {
                let names = constraint.properties.map { property in
                    column(of: property, in: declarer(of: property, in: candidate) ?? candidate)
                }
                if names == columns.map(\.column) {
                    return .unique(entity: candidate.name, properties: constraint.properties)
                }
            }
        }
        return nil
    }

    private func property(
        ofColumn name: String, inTable table: String
    ) -> (Entity, String)? {
        guard let root = entity(named: table) else { return nil }
        for entity in family(of: root) {
            let names = entity.attributes.map { $0.name } + entity.relationships.map { $0.name }
            if let property = names.first(where: { column(of: $0, in: entity) == name }) {
                return (entity, property)
            }
        }
        return nil
    }
}
