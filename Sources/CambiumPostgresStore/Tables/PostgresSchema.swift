import CambiumModel
import CambiumRecords
import CambiumSQL

/// The statements that make an empty store in an empty schema of a database.
///
/// The tables and columns are those of a store in SQLite, with PostgreSQL's types.
struct PostgresSchema {
    let statements: [String]

    init(of derivations: PostgresDerivations) {
        let layout = derivations.layout
        let model = layout.model.model
        let schema = Schema(of: model)
        let objects = schema.tables.filter { $0.content != .system }
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
            ]
            + layout.external.statements
            + objects.map { Self.table($0, derivations) }
            + objects.flatMap { Self.foreignKeys(of: $0, layout) }
            + objects.flatMap { $0.indexes.compactMap { Self.index($0, layout) } }
            + model.roots.map { root in
                """
                INSERT INTO \(layout.keys) ("entity", "next") VALUES \
                (\(SQLText.literal(root.name)), 1)
                """
            }
    }

    // MARK: Tables

    private static func table(_ table: Table, _ derivations: PostgresDerivations) -> String {
        let layout = derivations.layout
        var lines = table.columns.map { column($0, of: table, derivations) }
        if !table.primaryKey.isEmpty {
            let columns = table.primaryKey.map(PostgresName.identifier).joined(separator: ", ")
            lines.append("\(key(of: table)) (\(columns))")
        }
        lines += checks(of: table, layout.model.model).map { name, condition in
            "CONSTRAINT \(PostgresName.identifier(name.text)) CHECK (\(condition))"
        }
        return """
            CREATE TABLE \(layout.qualified(table.name)) (
                \(lines.joined(separator: ",\n    "))
            )
            """
    }

    /// The server's own name for the key's index may be that of another table.
    private static func key(of table: Table) -> String {
        "CONSTRAINT \(PostgresName.identifier("\(table.name).key")) PRIMARY KEY"
    }

    private typealias Check = (name: ConstraintName, condition: String)

    /// All constraints with a name from which a failure is resolved to the model.
    static func constraints(of model: Model) -> [ConstraintName] {
        Schema(of: model).tables.flatMap { table in
            checks(of: table, model).map(\.name)
                + table.indexes.compactMap { ConstraintName($0.name) }
        }
    }

    private static func checks(of table: Table, _ model: Model) -> [Check] {
        table.columns.flatMap { column -> [Check] in
            guard case .attribute(let owner, let name) = column.content,
                let entity = model.entity(named: owner),
                let attribute = entity.attributes.first(where: { $0.name == name })
            else { return [] }
            return checks(of: attribute, of: entity, column.name, model)
        }
            + requirements(of: table, model)
    }

    /// What the sub-entities require, and whole composite values.
    private static func requirements(of table: Table, _ model: Model) -> [Check] {
        guard case .objects(let name) = table.content, let root = model.entity(named: name) else {
            return []
        }
        return Schema.requirements(of: root, in: model, PostgresName.identifier)
            .map { ($0.name, $0.condition) }
    }

    private static func column(
        _ column: Table.Column, of table: Table, _ derivations: PostgresDerivations
    ) -> String {
        let model = derivations.layout.model.model
        let type: PostgresType
        var value: String?
        var generation: String?
        switch column.content {
        case .system:
            type = .bigint
            if column.name == SystemColumn.version { value = "1" }
        case .key, .position: type = .bigint
        case .entity, .entityOfKey: type = .text
        case .attribute(let owner, let name):
            let entity = model.entity(named: owner)
            let attribute = entity?.attributes.first { $0.name == name }
            type = attribute.map { .column(of: $0, in: model) } ?? .text
            if let entity, let attribute, attribute.derivation != nil {
                generation = derivations.generation(of: attribute, of: entity)
            }
            if column.isRequired, let attribute {
                value = model.sqlDefault(of: attribute).flatMap { type.literal($0) }
            }
        }
        var text = "\(PostgresName.identifier(column.name)) \(type.name)"
        if type == .text { text += " COLLATE \"C\"" }
        if column.isRequired { text += " NOT NULL" }
        if column.isPrimaryKey { text += " \(key(of: table))" }
        if let value { text += " DEFAULT \(value)" }
        if let generation { text += " GENERATED ALWAYS AS (\(generation)) STORED" }
        return text
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
        func bound(_ value: Value?) -> String? {
            guard let value, let stored = model.stored(value, as: attribute.type) else {
                return nil
            }
            return type.literal(stored)
        }
        if let value = bound(limits.minimum) { add(.minimum, "\(name) >= \(value)") }
        if let value = bound(limits.maximum) { add(.maximum, "\(name) <= \(value)") }
        guard !attribute.usesExternalForm, type == .text || type == .bytea else { return checks }
        let length = type == .text ? "char_length(\(name))" : "octet_length(\(name))"
        if let least = limits.minimumLength { add(.minimumLength, "\(length) >= \(least)") }
        if let greatest = limits.maximumLength { add(.maximumLength, "\(length) <= \(greatest)") }
        // Those that other stores check too are simple, and mean the same here.
        if let pattern = limits.pattern, model.enforcesPattern(of: attribute) {
            add(.pattern, "\(name) ~ \(SQLText.literal("^(?:\(pattern))$"))")
        }
        return checks
    }

    // MARK: Keys and indexes

    private static func foreignKeys(of table: Table, _ layout: PostgresLayout) -> [String] {
        table.columns.compactMap { column in
            guard let destination = column.destination else { return nil }
            return """
                ALTER TABLE \(layout.qualified(table.name)) \
                ADD CONSTRAINT \(PostgresName.identifier("\(table.name).\(column.name).destination")) \
                FOREIGN KEY (\(PostgresName.identifier(column.name))) \
                REFERENCES \(layout.qualified(destination)) ("_id") DEFERRABLE INITIALLY DEFERRED
                """
        }
    }

    private static func index(_ index: TableIndex, _ layout: PostgresLayout) -> String? {
        // An index by what SQLite computes has another form here.
        guard index.isOfEveryEngine else { return nil }
        let rows = index.condition.map { " WHERE \($0)" } ?? ""
        let elements = index.elements.map { $0.text(PostgresName.identifier) }
        return """
            CREATE \(index.uniqueRows == nil ? "" : "UNIQUE ")INDEX \
            \(PostgresName.identifier(index.name)) ON \(layout.qualified(index.table)) \
            (\(elements.joined(separator: ", ")))\(rows)
            """
    }
}
