import CambiumModel
import CambiumPlan

/// Attributes of an enumeration that the author fills from values that need not be cases of it, or
/// no longer are: no column says what the fill has to give, so that it is asked for.
struct FilledCases {
    let match: ModelMatch

    /// Statements that fail where a fill leaves something else than a case, and why.
    ///
    /// - Parameter name: The name that a new table has when they run.
    func refusals(in name: (_ root: Entity) -> String) -> [(
        reason: String, statements: [MigrationStatement]
    )] {
        match.new.entities.flatMap { entity in
            entity.attributes.filter { isInQuestion($0, of: entity) }.map { attribute in
                let column = SQLText.identifier(match.new.column(of: attribute.name, in: entity))
                let reason =
                    "the fill of \(entity.name).\(attribute.name) leaves a value that is no "
                    + "case of \(match.new.name(ofEnumeration: attribute.type))"
                let table = name(match.new.root(of: entity))
                return (
                    reason,
                    RefusalSQL.statements(
                        "SELECT \"_id\", \(column) FROM \(SQLText.identifier(table))\n"
                            + "WHERE \(column) NOT IN (\(cases(of: attribute.type))) LIMIT 1",
                        of: table, reason: reason)
                )
            }
        }
    }

    private func isInQuestion(_ attribute: Attribute, of entity: Entity) -> Bool {
        guard case .enumeration(let name) = attribute.type, !attribute.isTransient,
            attribute.derivation == nil, match.isRevised(attribute.name, in: entity.name),
            let now = match.new.enumeration(named: name)
        else { return false }
        let values = Set(now.cases.map(\.rawValue))
        return match.sources(of: attribute.name, in: entity).contains { source in
            guard let old = match.oldAttribute(at: source.old), !old.isTransient,
                case .enumeration(let former) = old.type,
                let before = match.old.enumeration(named: former)
            else { return true }
            return !Set(before.cases.map(\.rawValue)).isSubset(of: values)
        }
    }

    private func cases(of type: AttributeType) -> String {
        guard case .enumeration(let name) = type else { return "" }
        return (match.new.enumeration(named: name)?.cases ?? [])
            .compactMap { match.new.stored($0.rawValue, as: type) }
            .map(SQLText.literal).joined(separator: ", ")
    }
}

extension Model {
    fileprivate func name(ofEnumeration type: AttributeType) -> String {
        if case .enumeration(let name) = type { name } else { "\(type)" }
    }
}
