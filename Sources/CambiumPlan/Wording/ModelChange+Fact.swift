extension ModelChange {
    /// What has changed, as a sentence about the model without its full stop: `Book.pages was added`.
    /// What a migration does about it is its ``summary``.
    package func fact(_ detail: ChangeDetails.Detail?) -> String {
        let values = Self.words(from: detail?.before, to: detail?.after)
        switch self {
        case .entityAdded(let entity): return "\(entity) was added"
        case .entityDropped(let entity): return "\(entity) was removed"
        case .entityRenamed(let entity, let from): return "\(from) was renamed to \(entity)"
        case .entityBecameAbstract(let entity): return "\(entity) became abstract"
        case .parentChanged(let entity, _, let parent):
            return "\(entity) inherits from \(parent ?? "none")"
        case .attributeAdded(let entity, let name, _), .relationshipAdded(let entity, let name):
            return "\(entity).\(name) was added"
        case .attributeDropped(let entity, let name), .relationshipDropped(let entity, let name, _):
            return "\(entity).\(name) was removed"
        case .attributeRenamed(let entity, let name, let from),
            .relationshipRenamed(let entity, let name, let from):
            return "\(entity).\(from) was renamed to \(name)"
        case .attributeMoved(let entity, let name, let from),
            .relationshipMoved(let entity, let name, let from):
            return "\(entity).\(name) was moved there from \(from.joined(separator: ", "))"
        case .attributeConverted(let entity, let name, _, _),
            .relationshipChanged(let entity, let name):
            return "\(entity).\(name) changed\(values)"
        case .attributeBecameRequired(let entity, let name),
            .relationshipBecameRequired(let entity, let name):
            return "\(entity).\(name) became required"
        case .attributeBecameOptional(let entity, let name):
            return "\(entity).\(name) became optional"
        case .attributeStored(let entity, let name): return "\(entity).\(name) is stored now"
        case .derivationAdded(let entity, let name): return "\(entity).\(name) is computed now"
        case .derivationChanged(let entity, let name):
            return "\(entity).\(name) is computed in another way"
        case .derivationDropped(let entity, let name):
            return "\(entity).\(name) is computed no longer"
        case .externalChanged(let entity, let name, let isExternal):
            return "large values of \(entity).\(name) are kept in "
                + (isExternal ? "files" : "the store")
        case .presenceChanged(let entity, let name):
            return "the required parts of \(entity).\(name) changed"
        case .defaultChanged(let entity, let name):
            return "the default of \(entity).\(name) changed\(values)"
        case .limitsChanged(let entity, let name, _):
            return "the limits of \(entity).\(name) changed\(values)"
        case .countsChanged(let entity, let name):
            return "the number of objects of \(entity).\(name) changed\(values)"
        case .orderChanged(let entity, let name, let isOrdered):
            return "\(entity).\(name) became \(isOrdered ? "" : "un")ordered"
        case .uniqueAdded(let entity, let properties):
            return "\(properties.joined(separator: ", ")) of \(entity) became unique"
        case .uniqueDropped(let entity, let properties):
            return "\(properties.joined(separator: ", ")) of \(entity) is unique no longer"
        case .indexesChanged(let entity): return "the indexes of \(entity) changed"
        case .ruleAdded(let entity, let name): return "the rule \(entity).\(name) was added"
        case .ruleDropped(let entity, let name): return "the rule \(entity).\(name) was removed"
        case .ruleChanged(let entity, let name):
            return "the rule \(entity).\(name) changed\(values)"
        case .caseAdded(let type, let name): return "the case \(type).\(name) was added"
        case .caseRenamed(let type, let name, let from):
            return "the case \(type).\(from) was renamed to \(name)"
        case .caseDropped(let type, let name, _): return "the case \(type).\(name) was removed"
        // What an author declares about rows, or what follows from another change.
        case .objectsDropped, .linksDropped, .duplicatesDropped, .attributeRevised,
            .attributeFilled:
            return "rows change: \(summary)"
        }
    }

    private static func words(from before: String?, to after: String?) -> String {
        (before.map { " from \($0)" } ?? "") + (after.map { " to \($0)" } ?? "")
    }
}
