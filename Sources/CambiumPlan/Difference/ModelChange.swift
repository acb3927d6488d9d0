/// One difference of two versions of a model. Names are those of the new version, except of what
/// is dropped.
package enum ModelChange: Sendable, Hashable {
    case entityAdded(String)
    case entityDropped(String)
    case entityRenamed(String, from: String)
    case entityBecameAbstract(String)
    /// Objects that meet the condition go, and the entity stays.
    case objectsDropped(String, where: String)
    case parentChanged(entity: String, from: String?, to: String?)
    case attributeAdded(entity: String, String, isFilled: Bool)
    case attributeDropped(entity: String, String)
    case attributeRenamed(entity: String, String, from: String)
    case attributeMoved(entity: String, String, from: [String])
    /// Values that the new type may not be able to hold are checked.
    case attributeConverted(entity: String, String, to: String, isChecked: Bool)
    case attributeBecameRequired(entity: String, String)
    case attributeBecameOptional(entity: String, String)
    case attributeRevised(entity: String, String)
    /// Objects that have no value get one.
    case attributeFilled(entity: String, String)
    case attributeStored(entity: String, String)
    case derivationAdded(entity: String, String)
    case derivationChanged(entity: String, String)
    case derivationDropped(entity: String, String)
    case externalChanged(entity: String, String, isExternal: Bool)
    case presenceChanged(entity: String, String)
    case defaultChanged(entity: String, String)
    /// Tighter limits refuse values that were within the old ones; wider ones refuse none of them.
    case limitsChanged(entity: String, String, isTighter: Bool)
    case relationshipAdded(entity: String, String)
    case relationshipDropped(entity: String, String, losesLinks: Bool)
    case relationshipRenamed(entity: String, String, from: String)
    case relationshipChanged(entity: String, String)
    case relationshipBecameRequired(entity: String, String)
    case relationshipMoved(entity: String, String, from: [String])
    case linksDropped(entity: String, String)
    /// Numbers of objects that are asked for on save, and of no row that is there.
    case countsChanged(entity: String, String)
    case orderChanged(entity: String, String, isOrdered: Bool)
    case uniqueAdded(entity: String, [String])
    case duplicatesDropped(entity: String, [String])
    case uniqueDropped(entity: String, [String])
    case indexesChanged(entity: String)
    case ruleAdded(entity: String, String)
    case ruleDropped(entity: String, String)
    case ruleChanged(entity: String, String)
    case caseAdded(enumeration: String, String)
    case caseRenamed(enumeration: String, String, from: String)
    /// Objects may have had it, which get another one, or none.
    case caseDropped(enumeration: String, String, isReplaced: Bool)

    /// The entity that changed; empty where an enumeration did, which entities only name.
    package var entity: String {
        switch self {
        case .caseAdded, .caseRenamed, .caseDropped:
            ""
        case .entityAdded(let entity), .entityDropped(let entity), .entityRenamed(let entity, _),
            .entityBecameAbstract(let entity), .parentChanged(let entity, _, _),
            .objectsDropped(let entity, _), .relationshipBecameRequired(let entity, _),
            .attributeMoved(let entity, _, _), .relationshipMoved(let entity, _, _),
            .linksDropped(let entity, _), .duplicatesDropped(let entity, _),
            .attributeAdded(let entity, _, _),
            .attributeDropped(let entity, _), .attributeRenamed(let entity, _, _),
            .attributeConverted(let entity, _, _, _), .attributeBecameRequired(let entity, _),
            .attributeBecameOptional(let entity, _), .attributeRevised(let entity, _),
            .attributeFilled(let entity, _), .countsChanged(let entity, _),
            .attributeStored(let entity, _),
            .derivationAdded(let entity, _), .derivationChanged(let entity, _),
            .derivationDropped(let entity, _), .externalChanged(let entity, _, _),
            .presenceChanged(let entity, _),
            .defaultChanged(let entity, _), .limitsChanged(let entity, _, _),
            .relationshipAdded(let entity, _), .relationshipDropped(let entity, _, _),
            .relationshipRenamed(let entity, _, _), .relationshipChanged(let entity, _),
            .orderChanged(let entity, _, _),
            .uniqueAdded(let entity, _), .uniqueDropped(let entity, _),
            .indexesChanged(let entity), .ruleAdded(let entity, _), .ruleDropped(let entity, _),
            .ruleChanged(let entity, _):
            entity
        }
    }

    /// What it means for the data.
    package var kind: MigrationKind {
        switch self {
        case .entityAdded, .attributeStored, .relationshipAdded, .defaultChanged, .indexesChanged,
            .uniqueDropped, .ruleDropped, .derivationAdded, .caseAdded, .countsChanged:
            .additive
        case .entityRenamed, .attributeRenamed, .attributeBecameOptional, .relationshipRenamed,
            .relationshipChanged, .derivationChanged, .derivationDropped, .parentChanged,
            .attributeMoved, .relationshipMoved, .caseRenamed:
            .reversible
        case .caseDropped(_, _, let isReplaced):
            isReplaced ? .lossy : .reversible
        case .externalChanged(_, _, let isExternal):
            // What lies in a file already cannot come back into the row.
            isExternal ? .reversible : .needsData
        case .attributeAdded(_, _, let needsData), .limitsChanged(_, _, let needsData):
            needsData ? .needsData : .additive
        // Of a type that holds all that the old one held, too: Core Data infers no change of a type,
        // and whoever reviews the step is to look at what other programs make of the values.
        case .attributeConverted, .attributeFilled, .entityBecameAbstract, .attributeBecameRequired,
            .relationshipBecameRequired, .uniqueAdded, .ruleAdded, .ruleChanged, .presenceChanged:
            .needsData
        case .attributeRevised, .linksDropped, .duplicatesDropped, .objectsDropped:
            .lossy
        case .orderChanged(_, _, let isOrdered):
            isOrdered ? .reversible : .lossy
        case .relationshipDropped(_, _, let losesLinks):
            losesLinks ? .lossy : .reversible
        case .entityDropped, .attributeDropped:
            .lossy
        }
    }

    /// Whether data goes away or becomes less exact.
    package var losesData: Bool {
        switch kind {
        case .lossy, .destructive, .needsCode: true
        case .additive, .reversible, .needsData: false
        }
    }

    /// What it is, in words.
    package var summary: String {
        switch self {
        case .entityAdded(let entity): "add \(entity)"
        case .entityDropped(let entity): "drop \(entity) and its data"
        case .entityRenamed(let entity, let from): "rename \(from) to \(entity)"
        case .entityBecameAbstract(let entity): "make \(entity) abstract"
        case .objectsDropped(let entity, let condition):
            "drop the objects of \(entity) where \(condition)"
        case .parentChanged(let entity, _, let parent):
            parent.map { "let \(entity) inherit from \($0)" }
                ?? "let \(entity) inherit from none"
        case .attributeMoved(let entity, let name, let from),
            .relationshipMoved(let entity, let name, let from):
            "take \(entity).\(name) from \(from.joined(separator: ", "))"
        case .linksDropped(let entity, let name):
            "keep one of several links of \(entity).\(name)"
        case .duplicatesDropped(let entity, let properties):
            "keep one of several objects of \(entity) with the same "
                + properties.joined(separator: ", ")
        case .attributeAdded(let entity, let name, let isFilled):
            "add \(entity).\(name)" + (isFilled ? " with a value for existing objects" : "")
        case .attributeDropped(let entity, let name): "drop \(entity).\(name) and its data"
        case .attributeRenamed(let entity, let name, let from):
            "rename \(entity).\(from) to \(name)"
        case .attributeConverted(let entity, let name, let type, _):
            "change the type of \(entity).\(name) to \(type)"
        case .attributeBecameRequired(let entity, let name): "require \(entity).\(name)"
        case .attributeBecameOptional(let entity, let name): "make \(entity).\(name) optional"
        case .attributeRevised(let entity, let name):
            "compute \(entity).\(name) anew from what it was"
        case .attributeFilled(let entity, let name):
            "give objects without \(entity).\(name) a value"
        case .countsChanged(let entity, let name):
            "change how many objects \(entity).\(name) may have"
        case .attributeStored(let entity, let name): "store \(entity).\(name)"
        case .derivationAdded(let entity, let name): "compute \(entity).\(name)"
        case .derivationChanged(let entity, let name):
            "compute \(entity).\(name) in another way"
        case .derivationDropped(let entity, let name):
            "compute \(entity).\(name) no longer"
        case .externalChanged(let entity, let name, let isExternal):
            isExternal
                ? "keep large values of \(entity).\(name) in files"
                : "keep all values of \(entity).\(name) in the store"
        case .presenceChanged(let entity, let name):
            "change which parts of \(entity).\(name) are required"
        case .defaultChanged(let entity, let name): "change the default of \(entity).\(name)"
        case .limitsChanged(let entity, let name, _): "change the limits of \(entity).\(name)"
        case .relationshipAdded(let entity, let name): "add \(entity).\(name)"
        case .relationshipDropped(let entity, let name, let losesLinks):
            "drop \(entity).\(name)" + (losesLinks ? " and its links" : "")
        case .relationshipRenamed(let entity, let name, let from):
            "rename \(entity).\(from) to \(name)"
        case .relationshipChanged(let entity, let name): "change \(entity).\(name)"
        case .relationshipBecameRequired(let entity, let name): "require \(entity).\(name)"
        case .orderChanged(let entity, let name, let isOrdered):
            isOrdered
                ? "keep the order of \(entity).\(name)" : "forget the order of \(entity).\(name)"
        case .uniqueAdded(let entity, let properties):
            "make \(properties.joined(separator: ", ")) of \(entity) unique"
        case .uniqueDropped(let entity, let properties):
            "let \(properties.joined(separator: ", ")) of \(entity) repeat"
        case .indexesChanged(let entity): "change the indexes of \(entity)"
        case .ruleAdded(let entity, let name): "add the rule \(name) of \(entity)"
        case .ruleDropped(let entity, let name): "drop the rule \(name) of \(entity)"
        case .ruleChanged(let entity, let name): "change the rule \(name) of \(entity)"
        case .caseAdded(let type, let name): "add the case \(name) of \(type)"
        case .caseRenamed(let type, let name, let from):
            "rename the case \(from) of \(type) to \(name)"
        case .caseDropped(let type, let name, let isReplaced):
            "drop the case \(name) of \(type)"
                + (isReplaced ? ", and give its objects another or none" : "")
        }
    }

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
