import CambiumModel
import CambiumRecords
import CambiumSQL

/// The derived attributes of a store: the generated columns, and the statements that keep the other
/// attributes up to date.
package final class PostgresDerivations: Sendable {
    /// An attribute that saves keep up to date.
    package struct Maintained: Sendable {
        package let attribute: MaintainedAttribute
        package let derived: any DerivedValue
        /// The SQL for the values of the rows `t`, with the joined tables; nil if they are computed
        /// in memory.
        private let value: (fragment: PostgresFragment, joins: String)?
        /// Whether the value is the time of the save.
        private let isMoment: Bool
        /// The indices of the derived attributes that it reads, with the source of each.
        package let dependencies: [(source: MaintainedAttribute.Source, index: Int)]
        /// The length of the longest chain of attributes computed in memory that it reads.
        package let stage: Int
        /// The name of the column, in quotes.
        package let column: String
        package let type: PostgresType

        /// - Parameter others: The attributes that it may read.
        fileprivate init(
            _ derived: some DerivedValue, after others: [Self], _ layout: PostgresLayout
        ) {
            let (description, model) = (layout.model, layout.model.model)
            let attribute = MaintainedAttribute(derived, description.entities, in: model)
            var expression = PostgresExpression(layout)
            value = (try? expression.derived(derived.attribute, of: derived.entity))
                .map { ($0, expression.joinedTables) }
            isMoment = derived.attribute.derivation == .function(.now, [])
            let dependencies = attribute.sources.flatMap { source in
                others.indices.filter { index in
                    let other = others[index].attribute
                    // A write of a row sets its moment, and every value computed with it.
                    let isMeant =
                        !derived.sources.usesNow || !source.isOwnRow
                        || source.node.properties.contains(other.attribute.name)
                    return isMeant && other.isLookedAt(by: source, in: description)
                }
                .map { (source: source, index: $0) }
            }
            self.attribute = attribute
            self.derived = derived
            self.dependencies = dependencies
            stage =
                dependencies.map {
                    others[$0.index].stage + (others[$0.index].isComputedInMemory ? 1 : 0)
                }
                .max() ?? 0
            column = PostgresName.identifier(
                model.column(of: derived.attribute.name, in: derived.entity))
            type = .column(of: derived.attribute, in: model)
        }

        package var isComputedInMemory: Bool { value == nil && !isMoment }

        /// The SQL for the values of all rows, `t`, in a migration; nil if they are computed in
        /// memory.
        package var valueOfAll: (value: String, joins: String)? {
            if isMoment { return ("now()", "") }
            guard let value, let text = value.fragment.inlined else { return nil }
            return (text, value.joins)
        }

        /// The SQL for the values in a save; nil if they are computed in memory.
        package func value(at moment: Date) -> (fragment: PostgresFragment, joins: String)? {
            guard isMoment else { return value }
            return (
                PostgresFragment(.real(moment.timeIntervalSinceReferenceDate), as: .timestamp), ""
            )
        }
    }

    /// An attribute that is not a generated column.
    private struct Candidate: DerivedValue {
        let entity: Entity
        let attribute: Attribute
        let sources: DerivationSources
    }

    /// The attributes that saves keep up to date, each after the ones that it reads.
    package let maintained: [Maintained]
    /// The derived columns of each root entity.
    package let columns: [[String]]
    /// For each entity, the slots of its derived columns.
    package let slots: [[(slot: Int, column: Int)]]
    /// The statements of generated columns, by entity and attribute.
    private let generated: [String: String]
    package let names: DerivationNames
    package let layout: PostgresLayout
    private var model: ModelDescription { layout.model }

    package init(_ layout: PostgresLayout) {
        let (description, model) = (layout.model, layout.model.model)
        self.layout = layout
        names = DerivationNames(
            table: { layout.qualified($0) },
            column: { PostgresName.identifier($0) })
        var generated: [String: String] = [:]
        for entity in model.entities {
            for attribute in entity.attributes where attribute.derivation != nil {
                generated[Self.name(attribute, entity)] = Self.generation(
                    of: attribute, of: entity, layout)
            }
        }
        self.generated = generated
        let isComputed: @Sendable (Attribute, Entity) -> Bool = { [generated] attribute, entity in
            generated[Self.name(attribute, entity)] != nil
        }
        let candidates = model.entities.flatMap { entity in
            entity.attributes.compactMap { attribute -> Candidate? in
                guard let derivation = attribute.derivation, !attribute.isTransient,
                    !isComputed(attribute, entity)
                else { return nil }
                return Candidate(
                    entity: entity, attribute: attribute,
                    sources: DerivationSources(
                        of: derivation, entity: entity, in: model, isComputed: isComputed))
            }
        }
        var maintained: [Maintained] = []
        for candidate in model.inOrder(candidates) {
            maintained.append(Maintained(candidate, after: maintained, layout))
        }
        self.maintained = maintained
        let columns = description.entities.map { entity -> [String] in
            guard entity.rootIndex == entity.index else { return [] }
            return model.family(of: entity.entity).flatMap { member in
                member.attributes.filter { $0.derivation != nil && !$0.isTransient }
                    .map { model.column(of: $0.name, in: member) }
            }
        }
        self.columns = columns
        slots = description.entities.map { entity in
            entity.layout.slots.enumerated().compactMap { slot, place in
                guard entity.derivedSlots.contains(slot), let name = place.column else {
                    return nil
                }
                return columns[entity.rootIndex].firstIndex(of: name).map { (slot, $0) }
            }
        }
    }

    private static func name(_ attribute: Attribute, _ entity: Entity) -> String {
        "\(entity.name).\(attribute.name)"
    }

    /// Whether rows of any entity have derived values.
    package var isEmpty: Bool { columns.allSatisfy(\.isEmpty) }

    /// The expression of a generated column; nil if saves write the values.
    package func generation(of attribute: Attribute, of entity: Entity) -> String? {
        generated[Self.name(attribute, entity)]
    }

    private static func generation(
        of attribute: Attribute, of entity: Entity, _ layout: PostgresLayout
    ) -> String? {
        let model = layout.model.model
        guard let derivation = attribute.derivation, !attribute.isTransient else { return nil }
        // The time of a save is not a value of the row.
        let sources = DerivationSources(of: derivation, entity: entity, in: model)
        guard !sources.usesNow, sources.nodes.count == 1 else { return nil }
        guard let value = PostgresExpression.generated(attribute, of: entity, layout) else {
            return nil
        }
        if entity.parent == nil { return value }
        let family = SQLText.literals(model.family(of: entity).map(\.name))
        return "CASE WHEN \(PostgresName.identifier(SystemColumn.entity)) IN (\(family)) "
            + "THEN \(value) END"
    }

    /// The columns of a table that are not generated.
    package func writableColumns(ofRoot root: Int) -> String {
        let name = model.entities[root].name
        let table = Schema(of: model.model).tables.first { $0.content == .objects(root: name) }
        let columns = (table?.columns ?? []).filter { column in
            guard case .attribute(let owner, let property) = column.content,
                let entity = model.model.entity(named: owner),
                let attribute = entity.attributes.first(where: { $0.name == property })
            else { return true }
            return generation(of: attribute, of: entity) == nil
        }
        return columns.map { PostgresName.identifier($0.name) }.joined(separator: ", ")
    }

    /// Whether rows of an entity have derived values.
    package func hasValues(_ entity: EntityDescription) -> Bool { !slots[entity.index].isEmpty }
}
