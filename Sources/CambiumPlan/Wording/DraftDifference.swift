import CambiumModel

/// The differences between two drafts of one version of a model: the draft that a store was written
/// with, and the program's draft. There are no declarations about the migration between them.
package struct DraftDifference: Sendable {
    /// The comparison that a migration is planned from.
    package let difference: ModelDifference
    /// The differences, each as a sentence without its full stop.
    package let changes: [String]
    /// The ambiguous changes and the data that would be lost; empty if the difference alone
    /// determines every value.
    package let obstacles: [String]

    /// Compares two drafts.
    ///
    /// - Parameters:
    ///   - old: The draft of the store.
    ///   - new: The draft of the program.
    ///   - support: The capabilities of the store's engine.
    package init(from old: Model, to new: Model, on support: any MigrationSupport) {
        // Messages name versions, and these two have one name.
        let old = old.draft(calledIn: "the store")
        let former = new.draft(calledIn: "the program").renamed(since: old)
        let new = former.model
        let difference = ModelDifference(from: old, to: new, on: support)
        self.difference = difference
        let details = ChangeDetails(of: difference)
        let problems = difference.problems
        let reported = difference.changes.filter { !details.isConsequence($0) }
            .map { (change: $0, fact: $0.fact(details.detail(of: $0))) }
        // The subject of a problem need not be among the changes.
        let open = problems.compactMap { difference.fact(of: $0) }
        changes = Self.unique(reported.map { $0.fact } + open)
        obstacles = Self.unique(
            problems.map { $0.draftFact } + former.ambiguities
                + reported.filter { $0.change.losesData }.map { "\($0.fact), which loses data" })
    }

    private static func unique(_ sentences: [String]) -> [String] {
        var seen: Set<String> = []
        return sentences.filter { seen.insert($0).inserted }
    }
}

extension ChangeDetails {
    /// Whether a change only follows from another one. Examples are a change of rows, and limits
    /// that have the same text for a value of another type.
    fileprivate func isConsequence(_ change: ModelChange) -> Bool {
        switch change {
        case .attributeFilled, .attributeRevised: true
        case .limitsChanged: detail(of: change) == nil
        default: false
        }
    }
}

extension MigrationProblem {
    /// The problem, with the remedies that a draft has. A draft declares nothing about another
    /// draft.
    fileprivate var draftFact: String {
        for case .rename(_, _, let former) in fixes {
            return "\(fact), and nothing there has renamedFrom=\"\(former)\""
        }
        for fix in fixes {
            switch fix {
            case .giveDefault(let name, _):
                return "\(fact): give \(name) a default, or make it optional"
            case .makeOptional(_, let name, _): return "\(fact): make \(name) optional"
            default: continue
            }
        }
        return fact
    }
}

extension ModelDifference {
    /// Returns the change of the thing that has a problem; nil if another change describes it.
    fileprivate func fact(of problem: MigrationProblem) -> String? {
        let place = problem.entity + (problem.property.map { ".\($0)" } ?? "")
        if let enumeration = problem.enumeration {
            let isReported = changes.contains { $0.enumeration == enumeration }
            return isReported ? nil : problem.fact
        }
        if problem.side == .old { return "\(place) was removed" }
        guard let name = problem.property,
            let before = match.oldAttribute(of: name, in: problem.entity),
            let after = new.entity(named: problem.entity)?.attribute(named: name)
        else {
            let isReported = changes.contains {
                $0.entity == problem.entity && $0.property == problem.property
            }
            return isReported ? nil : problem.fact
        }
        guard before.type != after.type else { return nil }
        return "\(place) changed from \(before.type.notation) to \(after.type.notation)"
    }
}

extension Model {
    /// Returns the draft without the declared migration from the previous version, under a name
    /// that distinguishes two drafts of a version.
    fileprivate func draft(calledIn place: String) -> Model {
        Model(self, version: "\(version) of \(place)", migration: nil)
    }

    /// Returns the model with the names that things had in another draft. A former name in a draft
    /// refers to the previous version. If both drafts give the same former name for two things,
    /// these are the same thing. A former name that the other draft does not have is ignored.
    ///
    /// - Returns: The model, and the ambiguous names.
    fileprivate func renamed(since draft: Model) -> (model: Model, ambiguities: [String]) {
        var ambiguities: [String] = []
        let former = DraftNames(
            entities.map { ($0.name, $0.renamedFrom) },
            since: draft.entities.map { ($0.name, $0.renamedFrom) }, &ambiguities)
        let renamed = entities.map { entity in
            let before = draft.entity(named: former[entity.name] ?? entity.name)
            func names(_ names: (Entity) -> [FormerNames.Name]) -> DraftNames {
                DraftNames(
                    names(entity), since: before.map(names) ?? [], of: entity.name, &ambiguities)
            }
            let attributes = names { $0.attributes.map { ($0.name, $0.renamedFrom) } }
            let composites = names { $0.compositeAttributes.map { ($0.name, $0.renamedFrom) } }
            let relationships = names { $0.relationships.map { ($0.name, $0.renamedFrom) } }
            return Entity(
                entity, renamedFrom: former[entity.name],
                attributes: entity.attributes.map { $0.renamed(from: attributes[$0.name]) },
                compositeAttributes: entity.compositeAttributes.map { attribute in
                    var renamed = attribute
                    renamed.renamedFrom = composites[attribute.name]
                    return renamed
                },
                relationships: entity.relationships.map {
                    $0.with(inverse: $0.inverse, renamedFrom: relationships[$0.name])
                })
        }
        return (with(renamed).declaring(nil), ambiguities)
    }
}

/// The names that things of a draft had in another draft.
private struct DraftNames {
    private var names: [String: String] = [:]

    /// - Parameter entity: The entity that has the properties; nil if the names are names of
    ///   entities.
    init(
        _ new: [FormerNames.Name], since old: [FormerNames.Name], of entity: String? = nil,
        _ ambiguities: inout [String]
    ) {
        let (present, known) = (Set(new.map { $0.name }), Set(old.map { $0.name }))
        for case (let name, let from?) in new {
            let others = old.filter { $0.renamedFrom == from && $0.name != name }
            if let other = others.first, others.count == 1, !known.contains(name),
                !present.contains(other.name)
            {
                names[name] = other.name
            } else if known.contains(from) {
                names[name] = from
            }
        }
        for case (let name, let from?) in old
        where present.contains(name) && present.contains(from) && !known.contains(from) {
            let place = entity.map { "\($0)." } ?? ""
            ambiguities.append(
                """
                \(place)\(name) was \(place)\(from) of the version before, which is now \
                something else
                """)
        }
    }

    subscript(name: String) -> String? { names[name] }
}
