import CambiumModel
import CambiumRecords
import CambiumSQL

/// The statements that create an empty store in an empty schema of a database.
///
/// The tables and columns are those of a store in SQLite, with PostgreSQL's types.
package struct PostgresSchema {
    package let statements: [String]
    /// The tables of the model, without those of the runtime.
    package let tables: [Table]
    /// The indexes, and the statements that create them.
    package let indexes: [(name: String, statement: String)]
    /// The foreign keys, and the statements that create them.
    package let links: [(key: ForeignKey, statement: String)]

    package init(of derivations: PostgresDerivations) {
        let layout = derivations.layout
        let model = layout.model.model
        let tables = Self.tables(derivations)
        self.tables = tables
        let links = tables.flatMap(\.foreignKeys).map {
            (key: $0, statement: PostgresName.shortened($0.addition(layout.qualified).sql))
        }
        let indexes = tables.flatMap(\.indexes).map {
            (name: $0.name, statement: Self.creation(of: $0, layout))
        }
        (self.links, self.indexes) = (links, indexes)
        statements =
            [
                """
                CREATE TABLE \(layout.metadata) ("name" text COLLATE "C" PRIMARY KEY, \
                "value" text NOT NULL)
                """,
                """
                CREATE TABLE \(layout.keys) ("entity" text COLLATE "C" PRIMARY KEY, \
                "next" bigint NOT NULL)
                """,
                layout.commits.statement,
            ]
            + layout.external.statements
            + tables.map { Self.creation(of: $0, named: $0.name, layout.qualified) }
            + links.map(\.statement) + indexes.map(\.statement)
            + model.roots.map { root in
                """
                INSERT INTO \(layout.keys) ("entity", "next") VALUES \
                (\(SQLText.literal(root.name)), 1)
                """
            }
    }

    /// The statements that create an empty store of a model, with the schema itself.
    ///
    /// - Parameter schema: The name of the schema.
    package static func script(of model: Model, in schema: String = defaultName) -> [String] {
        let layout = PostgresLayout(.withoutClasses(model), schema: schema)
        return [layout.schemaStatement] + Self(of: PostgresDerivations(layout)).statements
    }

    /// The statement that restricts names to the tables of this store, within a transaction. Other
    /// schemas may contain tables of the same names.
    package static func searchPath(_ schema: String = SQLText.identifier(defaultName)) -> String {
        "SET LOCAL search_path = \(schema), pg_temp"
    }

    /// The schema of a store that is given none.
    package static let defaultName = "cambium"

    // MARK: Tables

    private static func tables(_ derivations: PostgresDerivations) -> [Table] {
        let layout = derivations.layout
        return Schema(of: layout.model.model).tables.filter { $0.content != .system }
            .map { table in
                Table(
                    name: table.name,
                    columns: table.columns.map { column($0, of: table, derivations) },
                    primaryKey: table.primaryKey,
                    checks: checks(of: table, layout).map { name, condition in
                        Table.Check(
                            name: name, condition: condition, columns: Set(table.columns.names))
                    },
                    options: "", indexes: table.indexes.compactMap { index($0, layout) },
                    content: table.content)
            }
    }

    /// The statement that creates a table, by its own or another name.
    ///
    /// - Parameter quoted: Writes the name of a table.
    package static func creation(
        of table: Table, named name: String, _ quoted: (String) -> String
    ) -> String {
        // The server's own name for the key's index may be that of another table.
        let key = "CONSTRAINT \(PostgresName.identifier(nameOfKey(of: name))) PRIMARY KEY"
        var lines = table.columns.map { column in
            column.isPrimaryKey ? "\(column.definition) \(key)" : column.definition
        }
        if !table.primaryKey.isEmpty {
            let columns = table.primaryKey.map(PostgresName.identifier).joined(separator: ", ")
            lines.append("\(key) (\(columns))")
        }
        lines += table.checks.map { check in
            "CONSTRAINT \(PostgresName.identifier(check.name.text)) CHECK (\(check.condition))"
        }
        return """
            CREATE TABLE \(quoted(name)) (
                \(lines.joined(separator: ",\n    "))
            )
            """
    }

    /// The name of the constraint that lets no two rows of a table have one key.
    package static func nameOfKey(of table: String) -> String { "\(table).key" }

    private typealias Check = (name: ConstraintName, condition: String)

    /// All named constraints, for resolving a failure to the model.
    package static func constraints(of layout: PostgresLayout) -> [ConstraintName] {
        Schema(of: layout.model.model).tables.flatMap { table in
            checks(of: table, layout).map(\.name)
                + table.indexes.compactMap { ConstraintName($0.name) }
        }
    }

    private static func checks(of table: Table, _ layout: PostgresLayout) -> [Check] {
        let model = layout.model.model
        return table.columns.flatMap { column -> [Check] in
            guard case .attribute(let owner, let name) = column.content,
                let entity = model.entity(named: owner),
                let attribute = entity.attributes.first(where: { $0.name == name })
            else { return [] }
            return checks(of: attribute, of: entity, column.name, model)
        }
            + requirements(of: table, model) + rules(of: table, layout)
    }

    /// The rules that the server can check.
    private static func rules(of table: Table, _ layout: PostgresLayout) -> [Check] {
        let model = layout.model.model
        guard case .objects(let name) = table.content, let root = model.entity(named: name) else {
            return []
        }
        return model.family(of: root).flatMap { entity in
            entity.rules.compactMap { rule -> Check? in
                guard let typed = model.postgresCheck(of: rule, of: entity),
                    let condition = PostgresExpression.condition(typed, for: .boolean, layout)
                else { return nil }
                let others = SQLText.isOfEntity(
                    model.family(of: entity).map(\.name), isNegated: true)
                return (
                    .rule(entity: entity.name, name: rule.name),
                    entity.parent == nil ? condition : "\(others) OR (\(condition))"
                )
            }
        }
    }

    /// The requirements of the sub-entities, and of complete composite values.
    private static func requirements(of table: Table, _ model: Model) -> [Check] {
        guard case .objects(let name) = table.content, let root = model.entity(named: name) else {
            return []
        }
        return Schema.requirements(of: root, in: model, PostgresName.identifier)
            .map { ($0.name, $0.condition) }
    }

    private static func column(
        _ column: Table.Column, of table: Table, _ derivations: PostgresDerivations
    ) -> Table.Column {
        let model = derivations.layout.model.model
        var type = PostgresType(of: column.content, nil, in: model)
        var value = column.name == SystemColumn.version ? "1" : nil
        var generation: String?
        if case .attribute(let owner, let name) = column.content,
            let entity = model.entity(named: owner),
            let attribute = entity.attributes.first(where: { $0.name == name })
        {
            type = .column(of: attribute, in: model)
            if attribute.derivation != nil {
                generation = derivations.generation(of: attribute, of: entity)
            }
            if column.isRequired {
                value = model.sqlDefault(of: attribute).flatMap { type.literal($0) }
            }
        }
        var text = "\(PostgresName.identifier(column.name)) \(type.name)"
        if type == .text { text += " COLLATE \"C\"" }
        if column.isRequired { text += " NOT NULL" }
        if let value { text += " DEFAULT \(value)" }
        if let generation { text += " GENERATED ALWAYS AS (\(generation)) STORED" }
        return Table.Column(
            name: column.name, type: column.type, isRequired: column.isRequired,
            isPrimaryKey: column.isPrimaryKey, destination: column.destination,
            generation: generation, content: column.content,
            form: .init(type: type.name, definition: text, defaultValue: value))
    }

    /// The limits of an attribute.
    private static func checks(
        of attribute: Attribute, of entity: Entity, _ column: String, _ model: Model
    ) -> [Check] {
        let type = PostgresType(attribute.type, in: model)
        let name = PostgresName.identifier(column)
        guard attribute.derivation == nil else { return [] }
        var checks: [Check] = []
        func add(_ check: ConstraintName.Check, _ condition: String) {
            checks.append(
                (.property(entity: entity.name, property: attribute.name, check), condition))
        }
        if case .decimal(let scale) = type, let least = type.literal(.integer(.min)),
            let greatest = type.literal(.integer(.max)), scale < 19
        {
            add(.range, "\(name) BETWEEN \(least) AND \(greatest)")
        }
        let limits = attribute.enforcedLimits
        func bound(_ value: Value?, _ near: (Double) -> Double?) -> String? {
            guard let value, let stored = model.stored(value, as: attribute.type) else {
                return nil
            }
            guard case (.timestamp, .real(let seconds)) = (type, stored) else {
                return type.literal(stored)
            }
            return near(seconds).flatMap { type.literal(.real($0)) }
        }
        if let value = bound(limits.minimum, PostgresTimestamp.notBefore) {
            add(.minimum, "\(name) >= \(value)")
        }
        if let value = bound(limits.maximum, PostgresTimestamp.notAfter) {
            add(.maximum, "\(name) <= \(value)")
        }
        guard !attribute.usesExternalForm, type == .text || type == .bytea else { return checks }
        let length = type == .text ? "char_length(\(name))" : "octet_length(\(name))"
        if let least = limits.minimumLength { add(.minimumLength, "\(length) >= \(least)") }
        if let greatest = limits.maximumLength { add(.maximumLength, "\(length) <= \(greatest)") }
        // The checks that other stores have too are simple, and mean the same here.
        if let pattern = limits.pattern, model.enforcesPattern(of: attribute) {
            add(.pattern, "\(name) ~ \(SQLText.literal("^(?:\(pattern))$"))")
        }
        return checks
    }

    // MARK: Indexes

    private static func creation(of index: TableIndex, _ layout: PostgresLayout) -> String {
        let elements = index.elements.map { $0.text(PostgresName.identifier) }
        return """
            CREATE \(index.uniqueRows == nil ? "" : "UNIQUE ")INDEX \
            \(PostgresName.identifier(index.name)) ON \(layout.qualified(index.table)) \
            (\(elements.joined(separator: ", ")))\(index.condition.map { " WHERE \($0)" } ?? "")
            """
    }

    /// The index in the server's form; nil if the server cannot have it.
    private static func index(_ index: TableIndex, _ layout: PostgresLayout) -> TableIndex? {
        if index.isOfEveryEngine { return index }
        return computed(index, layout).map { elements, rows in
            TableIndex(
                name: index.name, table: index.table, elements: elements, condition: rows,
                uniqueRows: index.uniqueRows)
        }
    }

    /// An index of computed values or of some of the rows.
    private static func computed(
        _ index: TableIndex, _ layout: PostgresLayout
    ) -> (elements: [TableIndex.Element], rows: String?)? {
        let model = layout.model.model
        guard let form = model.postgresForm(of: index) else { return nil }
        let elements = form.elements.compactMap { element -> TableIndex.Element? in
            switch element {
            case .column(let column): column
            case .value(let value, let isDescending):
                PostgresExpression.element(value, layout)
                    .map { .value($0, isDescending: isDescending) }
            }
        }
        guard elements.count == form.elements.count else { return nil }
        guard let condition = form.condition else { return (elements, nil) }
        return PostgresExpression.condition(condition, for: .filter, layout)
            .map { (elements, $0) }
    }
}
