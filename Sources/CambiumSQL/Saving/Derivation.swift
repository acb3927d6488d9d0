import CambiumModel

/// A derived attribute whose values SQLite cannot compute from the row alone: each change of what
/// they are computed from writes them, set-wise.
package struct Derivation: Sendable {
    /// The entity that declares the attribute.
    package let entity: Entity
    /// The attribute.
    package let attribute: Attribute
    /// What the values are computed from.
    package let sources: DerivationSources

    private let expression: ModelExpression
    let model: Model
    private let value: Result<SQLFragment, ExpressionDiagnostics>

    /// - Returns: nil where the attribute is not derived, or SQLite computes it.
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

    /// The statement that brings the values of the rows of `pending` up to date and returns the
    /// keys of those that were not, with the values of its question marks.
    ///
    /// The versions stay: no value was set.
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

    /// A query of the number of rows whose values are not up to date; nil where the store
    /// cannot compute them.
    package var countOfStale: String? {
        condition.map { _, condition in
            "SELECT count(*) FROM \(table)\nWHERE \(condition)"
        }
    }

    /// A query of the keys of the rows whose values are not up to date; nil where the store
    /// cannot compute them.
    package var stale: String? {
        condition.map { _, condition in
            "SELECT \(SQLText.identifier(SystemColumn.key)) FROM \(table)\nWHERE \(condition)"
        }
    }

    var condition: (value: SQLFragment, condition: String)? {
        let value = try? ExpressionSQL.value(
            expression, as: attribute.type, entity: entity, model: model, constants: .inline)
        guard let value else { return nil }
        let restriction = restriction(before: "").map { "\($0) AND " } ?? ""
        return (value, "\(restriction)\(column) IS NOT (\(value.text))")
    }

    /// What leaves out the rows of other entities of the table.
    private func restriction(before alias: String) -> String? {
        guard entity.parent != nil else { return nil }
        return "\(alias)\"_entity\" IN (\(SQLText.literals(model.family(of: entity).map(\.name))))"
    }

    fileprivate var name: String { "\(entity.name).\(attribute.name)" }

    fileprivate func looks(at other: Derivation, in model: Model) -> Bool {
        sources.nodes.contains { node in
            node.properties.contains(other.attribute.name)
                && (model.entity(node.entity, isKindOf: other.entity)
                    || model.entity(other.entity, isKindOf: node.entity))
        }
    }
}

extension Model {
    /// The derived attributes that have to be kept up to date, each after those that it looks at.
    package var derivations: [Derivation] {
        var rest = entities.flatMap { entity in
            entity.attributes.compactMap { Derivation(of: $0, of: entity, in: self) }
        }
        var sorted: [Derivation] = []
        while !rest.isEmpty {
            let ready = rest.filter { one in !rest.contains { one.looks(at: $0, in: self) } }
            // What looks at itself, which the compiler refuses, comes in any order.
            guard !ready.isEmpty else { return sorted + rest }
            sorted += ready
            let names = Set(ready.map(\.name))
            rest.removeAll { names.contains($0.name) }
        }
        return sorted
    }
}
