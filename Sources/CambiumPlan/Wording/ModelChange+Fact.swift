extension ModelChange {
    /// What has changed, as a sentence about the model without its full stop: `Book.pages was added`.
    /// What a migration does about it is its ``summary``.
    package func fact(_ detail: ChangeDetails.Detail?) -> String {
        let values = Self.words(from: detail?.before, to: detail?.after)
        let place = place
        return switch self {
        case .entityAdded, .attributeAdded, .relationshipAdded: "\(place) was added"
        case .entityDropped, .attributeDropped, .relationshipDropped: "\(place) was removed"
        case .entityRenamed(let entity, let from): "\(from) was renamed to \(entity)"
        case .entityBecameAbstract: "\(place) became abstract"
        case .parentChanged(_, _, let parent): "\(place) inherits from \(parent ?? "none")"
        case .attributeRenamed(let entity, let name, let from),
            .relationshipRenamed(let entity, let name, let from):
            "\(entity).\(from) was renamed to \(name)"
        case .attributeMoved(_, _, let from), .relationshipMoved(_, _, let from):
            "\(place) was moved there from \(from.joined(separator: ", "))"
        case .attributeConverted, .relationshipChanged: "\(place) changed\(values)"
        case .attributeBecameRequired, .relationshipBecameRequired: "\(place) became required"
        case .attributeBecameOptional: "\(place) became optional"
        case .attributeStored: "\(place) is stored now"
        case .derivationAdded: "\(place) is computed now"
        case .derivationChanged: "\(place) is computed in another way"
        case .derivationDropped: "\(place) is computed no longer"
        case .externalChanged(_, _, let isExternal):
            "large values of \(place) are kept in \(isExternal ? "files" : "the store")"
        case .presenceChanged: "the required parts of \(place) changed"
        case .defaultChanged: "the default of \(place) changed\(values)"
        case .limitsChanged: "the limits of \(place) changed\(values)"
        case .countsChanged: "the number of objects of \(place) changed\(values)"
        case .orderChanged(_, _, let isOrdered): "\(place) became \(isOrdered ? "" : "un")ordered"
        case .uniqueAdded(let entity, let properties):
            "\(properties.joined(separator: ", ")) of \(entity) became unique"
        case .uniqueDropped(let entity, let properties):
            "\(properties.joined(separator: ", ")) of \(entity) is unique no longer"
        case .indexesChanged: "the indexes of \(place) changed"
        case .ruleAdded: "the rule \(place) was added"
        case .ruleDropped: "the rule \(place) was removed"
        case .ruleChanged: "the rule \(place) changed\(values)"
        case .caseAdded: "the case \(place) was added"
        case .caseRenamed(let type, let name, let from):
            "the case \(type).\(from) was renamed to \(name)"
        case .caseDropped: "the case \(place) was removed"
        // What an author declares about rows, or what follows from another change.
        case .objectsDropped, .linksDropped, .duplicatesDropped, .attributeRevised,
            .attributeFilled:
            "rows change: \(summary)"
        }
    }

    private static func words(from before: String?, to after: String?) -> String {
        (before.map { " from \($0)" } ?? "") + (after.map { " to \($0)" } ?? "")
    }
}
