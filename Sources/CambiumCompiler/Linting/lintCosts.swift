import CambiumModel
import CambiumSQL

extension StepLint {
    /// Tables that are written again for nothing, or with more than one would think.
    func lintRebuilds() {
        for table in work.tables where table.effect == .rebuild {
            let idle = idleFills.filter { table.causes.contains("\($0.entity).\($0.attribute)") }
            if !idle.isEmpty, idle.count == table.causes.count {
                for fill in idle {
                    report(
                        .needlessRebuild,
                        """
                        The fill of \(fill.entity).\(fill.attribute) makes the migration write \
                        every row of \(table.table) again; the default, which is the same, \
                        needs no row to be written
                        """,
                        of: fill.entity, fill.attribute, notes: ["Remove the fill"])
                }
            } else {
                lintRebuiltData(of: table)
            }
        }
    }

    /// The fills of new attributes that repeat the default.
    private var idleFills: [MigrationDeclaration.Fill] {
        difference.changes.compactMap { change in
            guard case .attributeAdded(let entity, let name, isFilled: true) = change,
                let owner = new.model.entity(named: entity), owner.parent == nil,
                let attribute = new.model.attribute(name, of: owner), attribute.hasPlainDefault,
                case .constant(let value) = attribute.defaultValue,
                difference.match.fill(of: name, in: entity) == .literal(value)
            else { return nil }
            return .init(entity: entity, attribute: name, value: .literal(value))
        }
    }

    private func lintRebuiltData(of table: TableWork) {
        guard let root = new.model.entity(named: table.table) else { return }
        let large = new.model.family(of: root).flatMap { entity in
            entity.attributes.filter { attribute in
                attribute.isLarge && !difference.isAdded(attribute.name, to: entity.name)
                    && !table.causes.contains("\(entity.name).\(attribute.name)")
            }.map { (entity: entity.name, name: $0.name) }
        }
        guard let first = large.first else { return }
        let causes = table.causes.joined(separator: ", ")
        report(
            .rebuiltData,
            "The migration writes every row of \(table.table) again, with the large data in "
                + large.map { "'\($0.name)'" }.joined(separator: ", "),
            of: first.entity, first.name,
            notes: (causes.isEmpty ? [] : ["What makes it necessary: \(causes)"]) + [
                """
                Move such data to an entity of its own or into files, or test how long it takes \
                with the largest store
                """
            ])
    }

    // MARK: Indexes

    /// Reports deleted indexes, if a named request filters or sorts by their first property.
    func lintIndexes() {
        for case .indexesChanged(let name) in difference.changes {
            guard let entity = new.model.entity(named: name),
                let before = difference.match.oldEntity(of: entity)
            else { continue }
            for index in before.indexes where index.condition == nil {
                guard let column = index.elements.first, column.expression == nil,
                    let property = newName(of: column.property, in: before, entity),
                    new.model.relationship(property, of: entity) == nil,
                    !isIndexed(property, of: entity),
                    let user = request(thatNeeds: property, of: entity)
                else { continue }
                report(
                    .indexInUse,
                    """
                    The index that begins with '\(property)' was removed, and the request \
                    '\(user.request)' reads the whole table without it
                    """,
                    at: new.position(ofRequest: user.request, of: user.entity),
                    notes: ["Keep the index, or remove the request if it is not used"])
            }
        }
    }

    private func newName(of property: String, in before: Entity, _ entity: Entity) -> String? {
        let match = difference.match
        guard let declarer = old.model.declarer(of: property, in: before) else { return nil }
        return match.newAttribute(of: property, in: declarer.name)?.name
            ?? match.newRelationship(of: property, in: declarer.name)?.name
    }

    private func isIndexed(_ property: String, of entity: Entity) -> Bool {
        new.model.lineage(of: entity).contains { owner in
            owner.indexes.contains {
                $0.condition == nil && $0.elements.first?.property == property
            }
                || owner.uniqueConstraints.contains { $0.properties.first == property }
        }
    }

    private func request(
        thatNeeds property: String, of entity: Entity
    ) -> (entity: String, request: String)? {
        for member in new.model.family(of: entity) {
            let found = member.fetchTemplates.first { template in
                template.sort.first?.property == property
                    || template.condition?.narrows(property) ?? false
            }
            if let found { return (member.name, found.name) }
        }
        return nil
    }
}

extension Attribute {
    /// Whether a default of the type is a constant for the store too.
    fileprivate var hasPlainDefault: Bool {
        guard !isPart, !isTransient, derivation == nil else { return false }
        return type.descriptor.hasPlainDefault
    }

    /// Whether values are in the row and may be large according to their limit. Most data without a
    /// limit is a key or a few flags.
    fileprivate var isLarge: Bool {
        type == .data && !isTransient && derivation == nil && !usesExternalForm
            && limits.maximumLength.map { $0 > 16_384 } ?? false
    }
}

extension ModelExpression {
    /// Whether an index that begins with a property can find all objects that meet the condition.
    @inline(never)
    fileprivate func narrows(_ property: String) -> Bool {
        switch self {
        case .and(let operands):
            return operands.contains { $0.narrows(property) }
        case .comparison(.keyPath(root: .subject, names: [property]), let relation, let other, _):
            return other.isKnownBefore
                && [.equal, .less, .lessOrEqual, .greater, .greaterOrEqual, .in].contains(relation)
        case .comparison(let other, let relation, .keyPath(root: .subject, names: [property]), _):
            return other.isKnownBefore
                && [.equal, .less, .lessOrEqual, .greater, .greaterOrEqual].contains(relation)
        default:
            return false
        }
    }

    /// Whether the expression reads nothing of the object.
    private var isKnownBefore: Bool {
        var isKnown = true
        visit { if case .keyPath(root: .subject, _) = $0 { isKnown = false } }
        return isKnown
    }
}

extension ModelChecker {
    /// Numbers that are computed are seldom equal to the last bit.
    func warnAboutFloatingUniques(
        of entity: Entity, _ draft: EntityDraft, in model: Model
    ) {
        for (constraint, element) in zip(entity.uniqueConstraints, kept("unique", of: draft)) {
            let number = constraint.properties.first { name in
                let type = model.attribute(name, of: entity)?.type
                return type == .double || type == .float
            }
            guard let number, let written = element["by"] else { continue }
            report(
                .floatingUnique,
                "'\(number)' is a floating-point number: 0.3 and 0.1 + 0.2 do not collide",
                at: written,
                notes: [
                    """
                    Make it a \(wording.type("decimal")) or an integer, or leave it out of the \
                    constraint
                    """
                ])
        }
    }
}

extension ModelChecker {
    /// Some strings make the matching of such a pattern give up, and the save or the fetch fails.
    func warnAboutPattern(_ pattern: String, at offset: Int) {
        report(
            .costlyPattern,
            "'\(pattern)' cannot be matched in time that grows with the text only", at: offset,
            notes: [
                "Write it without back-references, look-ahead, atomic groups and \\X"
            ])
    }

    /// The patterns in the rules, the partial indexes and the requests of an entity.
    func warnAboutPatterns(of entity: Entity, _ draft: EntityDraft) {
        let rules = zip(entity.rules, kept("rule", of: draft))
        for (rule, element) in rules { warnAboutPatterns(in: rule.condition, element) }
        let requests = zip(entity.fetchTemplates, kept("fetch", of: draft))
        for (request, element) in requests { warnAboutPatterns(in: request.condition, element) }
    }

    private func warnAboutPatterns(
        in condition: ModelExpression?, _ element: ParsedElement
    ) {
        var open = condition.map { [$0] } ?? []
        while let part = open.popLast() {
            open += part.operands
            guard case .comparison(_, .matches, .literal(.string(let pattern)), _) = part,
                let expression = try? RegularExpression(pattern), !expression.isLinear
            else { continue }
            warnAboutPattern(pattern, at: element.text.sourceOffset(of: 0, in: parsed.source))
        }
    }
}
