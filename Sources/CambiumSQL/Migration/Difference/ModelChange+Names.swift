extension ModelChange {
    /// The property of the entity that changed; nil where the entity itself did, or several of its
    /// properties together. Of an enumeration it is the case.
    package var property: String? {
        switch self {
        case .attributeAdded(_, let name, _), .attributeDropped(_, let name),
            .attributeRenamed(_, let name, _), .attributeMoved(_, let name, _),
            .attributeConverted(_, let name, _, _), .attributeBecameRequired(_, let name),
            .attributeBecameOptional(_, let name), .attributeRevised(_, let name),
            .attributeFilled(_, let name), .countsChanged(_, let name),
            .attributeStored(_, let name), .derivationAdded(_, let name),
            .derivationChanged(_, let name), .derivationDropped(_, let name),
            .externalChanged(_, let name, _), .presenceChanged(_, let name),
            .defaultChanged(_, let name), .limitsChanged(_, let name, _),
            .relationshipAdded(_, let name), .relationshipDropped(_, let name, _),
            .relationshipRenamed(_, let name, _), .relationshipChanged(_, let name),
            .relationshipBecameRequired(_, let name),
            .relationshipMoved(_, let name, _), .linksDropped(_, let name),
            .orderChanged(_, let name, _), .ruleAdded(_, let name), .ruleDropped(_, let name),
            .ruleChanged(_, let name), .caseAdded(_, let name), .caseRenamed(_, let name, _),
            .caseDropped(_, let name, _):
            name
        case .uniqueAdded(_, let names), .uniqueDropped(_, let names),
            .duplicatesDropped(_, let names):
            names.joined(separator: ", ")
        default:
            nil
        }
    }

    /// The enumeration that changed, where it is one.
    package var enumeration: String? {
        switch self {
        case .caseAdded(let name, _), .caseRenamed(let name, _, _), .caseDropped(let name, _, _):
            name
        default: nil
        }
    }

    /// What kind of change it is, in one word for programs: the name of the case, which is never
    /// given to another kind.
    package var word: String {
        String("\(self)".prefix { $0 != "(" })
    }
}
