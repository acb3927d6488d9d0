import CambiumModel

extension Model {
    /// The constraint that SQLite's message names, such as
    /// `CHECK constraint failed: Product.price.min` or
    /// `UNIQUE constraint failed: Product.sku, Product.tenant`.
    ///
    /// - Parameter entity: The entity of the row that failed, where it is known: two entities of
    ///   one table may have columns in common.
    /// - Returns: nil where the message names none of this model's.
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
            let names = entity.attributes.map(\.name) + entity.relationships.map(\.name)
            if let property = names.first(where: { column(of: $0, in: entity) == name }) {
                return (entity, property)
            }
        }
        return nil
    }
}
