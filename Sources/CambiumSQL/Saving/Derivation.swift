import CambiumModel

/// A derived attribute that SQLite cannot compute from the row alone. Each change of its sources
/// writes the values, set-wise.
package final class Derivation: DerivedValue {
    /// The entity that declares the attribute.
    package let entity: Entity
    /// The attribute.
    package let attribute: Attribute
    /// The sources of the values.
    package let sources: DerivationSources

    private let expression: ModelExpression
    let model: Model
    private let value: Result<SQLFragment, ExpressionDiagnostics>

    /// - Returns: Nil if the attribute is not derived, or SQLite computes it.
    init?(of attribute: Attribute, of entity: Entity, in model: Model) {
        guard let expression = attribute.derivation, !attribute.isTransient,
            model.generatedValue(of: attribute, of: entity) == nil
        else { return nil }
        self.entity = entity
        self.attribute = attribute
        self.expression = expression
        self.model = model
        sources = DerivationSources(of: expression, entity: entity, in: model)
        do throws(ExpressionDiagnostics) {
            value = .success(
                try ExpressionSQL.value(
                    expression, as: attribute.type, entity: entity, model: model, alias: "t"))
        } catch {
            value = .failure(error)
        }
    }

    private var table: String { SQLText.identifier(model.root(of: entity).name) }
    var column: String {
        SQLText.identifier(model.column(of: attribute.name, in: entity))
    }

    /// Returns the statement that updates the values of the rows in `pending`, with the values of
    /// its question marks. The statement returns the keys of the rows that were not up to date.
    ///
    /// The versions stay unchanged, because no value was set.
    package func update(
        now: Date
    ) throws(ExpressionDiagnostics) -> (sql: String, parameters: [StoredValue]) {
        let value = try value.get()
        let key = SQLText.identifier(SystemColumn.key)
        let restriction = restriction(before: "t.").map { " AND \($0)" } ?? ""
        let sql = """
            UPDATE \(table) SET \(column) = n.v FROM (SELECT t.\(key) AS k, \(value.text) AS v \
            FROM pending AS p CROSS JOIN \(table) AS t WHERE t.\(key) = p.key\(restriction)) AS n \
            WHERE \(table).\(key) = n.k AND \(table).\(column) IS NOT n.v RETURNING \(key)
            """
        return (sql, try value.bindings(now: now))
    }

    /// A query of the number of rows with outdated values; nil if the store cannot compute them.
    package var countOfStale: String? {
        condition.map { _, condition in
            "SELECT count(*) FROM \(table)\nWHERE \(condition)"
        }
    }

    /// A query of the keys of the rows with outdated values; nil if the store cannot compute them.
    package var stale: String? {
        condition.map { _, condition in
            "SELECT \(SQLText.identifier(SystemColumn.key)) FROM \(table)\nWHERE \(condition)"
        }
    }

    /// A query of the keys of the rows with values that differ from the computed ones. Differences
    /// that the order of a sum's numbers may cause are ignored. It is nil if the store cannot
    /// compute the values.
    package var differing: String? {
        condition.map { value, condition in
            let key = SQLText.identifier(SystemColumn.key)
            let start = "SELECT \(key) FROM \(table) WHERE \(condition)"
            guard let tolerance = attribute.derivedTolerance else { return start }
            return """
                \(start) AND NOT coalesce(abs(\(column) - (\(value.text))) \
                <= \(tolerance) * (abs(\(column)) + abs(\(value.text))), 0)
                """
        }
    }

    var condition: (value: SQLFragment, condition: String)? {
        let value = try? ExpressionSQL.value(
            expression, as: attribute.type, entity: entity, model: model, constants: .inline)
        guard let value else { return nil }
        let restriction = restriction(before: "").map { "\($0) AND " } ?? ""
        return (value, "\(restriction)\(column) IS NOT (\(value.text))")
    }

    /// Returns the condition that excludes the rows of other entities of the table.
    private func restriction(before alias: String) -> String? {
        guard entity.parent != nil else { return nil }
        return
            "\(alias)\"_entity\" IN (\(SQLText.literals(model.family(of: entity).names)))"
    }

}

extension Attribute {
    /// The allowed difference of two floating-point values that are computed from the same rows in
    /// another order, relative to their sum; nil if the values are exact.
    package var derivedTolerance: String? {
        switch type {
        case .float: "1e-6"
        case .double: "1e-9"
        default: nil
        }
    }
}

/// A derived attribute that an engine cannot compute from the row alone.
package protocol DerivedValue: Sendable {
    /// The entity that declares the attribute.
    var entity: Entity { get }
    var attribute: Attribute { get }
    var sources: DerivationSources { get }
}

extension DerivedValue {
    fileprivate var name: String { "\(entity.name).\(attribute.name)" }

    /// Whether the values are computed from values of another derived attribute.
    package func depends(on other: some DerivedValue, in model: Model) -> Bool {
        sources.nodes.contains { node in
            node.properties.contains(other.attribute.name)
                && (model.entity(node.entity, isKindOf: other.entity)
                    || model.entity(other.entity, isKindOf: node.entity))
        }
    }
}

extension Model {
    /// The derived attributes that SQLite's engine has to keep up to date, each after the
    /// attributes that it uses.
    package var derivations: [Derivation] {
        inOrder(
            entities.flatMap { entity in
                entity.attributes.compactMap { Derivation(of: $0, of: entity, in: self) }
            })
    }

    /// Returns derived attributes in order, each after the attributes that it uses.
    package func inOrder<Derived: DerivedValue>(_ derivations: [Derived]) -> [Derived] {
        var rest = derivations
        var sorted: [Derived] = []
        while !rest.isEmpty {
            let ready = rest.filter { one in !rest.contains { one.depends(on: $0, in: self) } }
            // Attributes that depend on themselves come in any order. The compiler rejects them.
            guard !ready.isEmpty else { return sorted + rest }
            sorted += ready
            let names = Set(ready.map { $0.name })
            rest.removeAll { names.contains($0.name) }
        }
        return sorted
    }
}

/// The sources of a derived attribute: rows that are reachable from its own row, and their
/// properties that it uses.
package struct DerivationSources: Sendable {
    /// A relationship on the way, and the entity that it starts from.
    package struct Step: Sendable, Equatable {
        package let relationship: Relationship
        package let source: Entity

        package static func == (one: Step, other: Step) -> Bool {
            one.relationship.name == other.relationship.name
                && one.source.name == other.source.name
        }
    }

    /// The rows that one path references.
    package struct Node: Sendable {
        /// The way from the attribute's own row; empty for that row itself.
        package let path: [Step]
        /// The entity of the rows.
        package let entity: Entity
        /// The names of stored properties that affect the value when they change.
        package fileprivate(set) var properties: Set<String> = []
        /// The names of the key relationships among them that are inverses along the path: a change
        /// concerns the object that the row belonged to before, too.
        package fileprivate(set) var backLinks: Set<String> = []
        /// The join tables that continue the path, by the column of this side.
        package fileprivate(set) var joinTables: [String: String] = [:]
    }

    /// One node for each path. The first node is the row itself.
    package private(set) var nodes: [Node]
    /// Whether the time of the save is used.
    package private(set) var usesNow = false

    private let model: Model
    private let isComputed: @Sendable (Attribute, Entity) -> Bool

    /// Finds the sources of an expression.
    ///
    /// - Parameter isComputed: Whether the engine itself computes a derived attribute of an entity
    ///   from the row alone. Default: whether SQLite does.
    package init(
        of expression: ModelExpression, entity: Entity, in model: Model,
        isComputed: (@Sendable (Attribute, Entity) -> Bool)? = nil
    ) {
        self.model = model
        self.isComputed = isComputed ?? { model.generatedValue(of: $0, of: $1) != nil }
        nodes = [Node(path: [], entity: entity)]
        add(expression, [:])
    }

    // MARK: Gathering

    private mutating func node(at path: [Step], _ entity: Entity) -> Int {
        if let index = nodes.firstIndex(where: { $0.path == path }) { return index }
        nodes.append(Node(path: path, entity: entity))
        return nodes.count - 1
    }

    private mutating func add(_ expression: ModelExpression, _ variables: [String: Int]) {
        switch expression {
        case .literal, .parameter, .refused:
            break
        case .function(let function, let items):
            usesNow = usesNow || function == .now
            for item in items { add(item, variables) }
        case .keyPath(let root, let names):
            // The old values of a row before a migration are in no table.
            if let start = start(root, variables) { _ = follow(names, from: start) }
        case .list(let items), .and(let items), .or(let items):
            for item in items { add(item, variables) }
        case .not(let item), .quantified(_, let item), .aggregate(_, let item):
            add(item, variables)
        case .comparison(let left, _, let right, _), .arithmetic(let left, _, let right):
            add(left, variables)
            add(right, variables)
        case .between(let item, let lower, let upper),
            .conditional(let item, let lower, let upper):
            for item in [item, lower, upper] { add(item, variables) }
        case .subquery(let collection, let variable, let condition):
            var inner = variables
            inner[variable] = elements(of: collection, variables)
            add(condition, inner)
        }
    }

    private func start(_ root: PathRoot, _ variables: [String: Int]) -> Int? {
        if case .variable(let name) = root { variables[name] } else { 0 }
    }

    /// Returns the node of the objects that a subquery iterates over.
    private mutating func elements(
        of collection: ModelExpression, _ variables: [String: Int]
    ) -> Int {
        switch collection {
        case .keyPath(let root, let names):
            return start(root, variables).map { follow(names, from: $0) } ?? 0
        case .subquery(let inner, let variable, let condition):
            let index = elements(of: inner, variables)
            var scope = variables
            scope[variable] = index
            add(condition, scope)
            return index
        default:
            add(collection, variables)
            return 0
        }
    }

    /// Adds an attribute. If the engine computes it, it changes with its own sources, so these are
    /// added too.
    private mutating func look(at name: String, of index: Int) {
        guard nodes[index].properties.insert(name).inserted else { return }
        let entity = nodes[index].entity
        let declarer = model.declarer(of: name, in: entity) ?? entity
        guard let attribute = model.attribute(name, of: entity),
            let expression = attribute.derivation, isComputed(attribute, declarer)
        else { return }
        let sources = DerivationSources(
            of: expression, entity: entity, in: model, isComputed: isComputed)
        for part in sources.nodes[0].properties { look(at: part, of: index) }
    }

    /// Notes everything on the way, and returns the node of the last object.
    private mutating func follow(_ names: [String], from start: Int) -> Int {
        var index = start
        for (position, name) in names.enumerated() {
            let owner = nodes[index].entity
            guard let relationship = model.relationship(name, of: owner),
                let destination = model.entity(named: relationship.destination)
            else {
                look(at: names[position...].joined(separator: "."), of: index)
                return index
            }
            let declarer = model.declarer(of: name, in: owner) ?? owner
            let step = Step(relationship: relationship, source: declarer)
            let next = node(at: nodes[index].path + [step], destination)
            switch model.storage(of: relationship, of: declarer) {
            case .key:
                nodes[index].properties.insert(name)
            case .inverseKey:
                if let inverse = relationship.inverse {
                    nodes[next].properties.insert(inverse)
                    nodes[next].backLinks.insert(inverse)
                }
            case .joinTable(let table, let sourceColumn, _):
                nodes[index].joinTables[table] = sourceColumn
            case .transient:
                break
            }
            index = next
        }
        return index
    }
}

extension DerivationSources.Node {
    /// Returns a query of the keys of the objects with an attribute that uses rows.
    ///
    /// - Parameter rows: A query of the keys of the rows. Default: the rows of `pending`.
    package func owners(
        in model: Model, names: DerivationNames = .plain,
        of rows: String = "SELECT key FROM pending"
    ) -> String {
        keys(at: 0, from: path.count, in: model, names: names, of: rows)
    }

    /// Returns a query of the keys of rows on the path from the attribute's own row.
    ///
    /// - Parameters:
    ///   - depth: The number of steps to the returned rows.
    ///   - start: The number of steps to the rows with the given keys, which the returned rows
    ///     reference.
    package func keys(
        at depth: Int, from start: Int, in model: Model, names: DerivationNames, of rows: String
    ) -> String {
        path[depth..<start].reversed().reduce(rows) { inner, step in
            let table = names.table(model.root(of: step.source).name)
            let destination =
                model.entity(named: step.relationship.destination).map {
                    names.table(model.root(of: $0).name)
                } ?? table
            let key = names.column(SystemColumn.key)
            switch model.storage(of: step.relationship, of: step.source) {
            case .key(let column, _):
                return "SELECT \(key) FROM \(table) WHERE \(names.column(column)) IN (\(inner))"
            case .inverseKey(let column):
                let column = names.column(column)
                return """
                    SELECT \(column) FROM \(destination) WHERE \(key) IN (\(inner)) \
                    AND \(column) IS NOT NULL
                    """
            case .joinTable(let name, let source, let far):
                return """
                    SELECT \(names.column(source)) FROM \(names.table(name)) \
                    WHERE \(names.column(far)) IN (\(inner))
                    """
            case .transient:
                return inner
            }
        }
    }

    /// Whether a new row can be added to its object without a change of any other row.
    package func isAffectedByInsertions(in model: Model) -> Bool {
        guard let last = path.last else { return true }
        if case .inverseKey = model.storage(of: last.relationship, of: last.source) { return true }
        return false
    }

    /// Whether a row is deleted without any other row's change.
    package func learnsOfDeletions(in model: Model) -> Bool {
        guard let last = path.last else { return false }
        switch model.storage(of: last.relationship, of: last.source) {
        case .inverseKey, .joinTable: return true
        case .key, .transient: return false
        }
    }
}

/// An engine's form of the names of tables and columns.
package struct DerivationNames: Sendable {
    let table: @Sendable (String) -> String
    let column: @Sendable (String) -> String

    package init(
        table: @escaping @Sendable (String) -> String,
        column: @escaping @Sendable (String) -> String
    ) {
        self.table = table
        self.column = column
    }

    /// The names in quotes.
    package static let plain = DerivationNames(
        table: { SQLText.identifier($0) }, column: { SQLText.identifier($0) })
}
