import CambiumModel

/// One difference between two versions of a model. Names are from the new version, except for
/// dropped things.
package indirect enum ModelChange: Sendable {
    case entityAdded(String)
    case entityDropped(String)
    case entityRenamed(String, from: String)
    case entityBecameAbstract(String)
    /// Objects that meet the condition are deleted, and the entity stays.
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
    /// Tighter limits reject values that were within the old ones; wider ones reject none of them.
    case limitsChanged(entity: String, String, isTighter: Bool)
    case relationshipAdded(entity: String, String)
    case relationshipDropped(entity: String, String, losesLinks: Bool)
    case relationshipRenamed(entity: String, String, from: String)
    case relationshipChanged(entity: String, String)
    case relationshipBecameRequired(entity: String, String)
    case relationshipMoved(entity: String, String, from: [String])
    case linksDropped(entity: String, String)
    /// Limits on the number of objects changed. They are checked on save, and not for existing
    /// rows.
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
    /// Objects may have had the case. They get another one, or none.
    case caseDropped(enumeration: String, String, isReplaced: Bool)

    /// The entity or enumeration that changed, and its changed parts; the parts are nil if the
    /// owner itself changed.
    private var subject: (owner: String, parts: [String]?) {
        switch self {
        case .entityAdded(let owner), .entityDropped(let owner), .entityRenamed(let owner, _),
            .entityBecameAbstract(let owner), .objectsDropped(let owner, _),
            .parentChanged(let owner, _, _), .indexesChanged(let owner):
            (owner, nil)
        case .uniqueAdded(let owner, let names), .duplicatesDropped(let owner, let names),
            .uniqueDropped(let owner, let names):
            (owner, names)
        case .attributeAdded(let owner, let name, _), .attributeDropped(let owner, let name),
            .attributeRenamed(let owner, let name, _), .attributeMoved(let owner, let name, _),
            .attributeConverted(let owner, let name, _, _),
            .attributeBecameRequired(let owner, let name),
            .attributeBecameOptional(let owner, let name), .attributeRevised(let owner, let name),
            .attributeFilled(let owner, let name), .attributeStored(let owner, let name),
            .derivationAdded(let owner, let name), .derivationChanged(let owner, let name),
            .derivationDropped(let owner, let name), .externalChanged(let owner, let name, _),
            .presenceChanged(let owner, let name), .defaultChanged(let owner, let name),
            .limitsChanged(let owner, let name, _), .relationshipAdded(let owner, let name),
            .relationshipDropped(let owner, let name, _),
            .relationshipRenamed(let owner, let name, _), .relationshipChanged(let owner, let name),
            .relationshipBecameRequired(let owner, let name),
            .relationshipMoved(let owner, let name, _), .linksDropped(let owner, let name),
            .countsChanged(let owner, let name), .orderChanged(let owner, let name, _),
            .ruleAdded(let owner, let name), .ruleDropped(let owner, let name),
            .ruleChanged(let owner, let name), .caseAdded(let owner, let name),
            .caseRenamed(let owner, let name, _), .caseDropped(let owner, let name, _):
            (owner, [name])
        }
    }

    /// The details of the change besides its subject: former names, a condition, a type or a
    /// parent, and a flag.
    private var rest: (names: [String?], isSo: Bool?) {
        switch self {
        case .entityRenamed(_, let name), .objectsDropped(_, let name),
            .attributeRenamed(_, _, let name), .relationshipRenamed(_, _, let name),
            .caseRenamed(_, _, let name):
            ([name], nil)
        // The new parent is the one that sentences name.
        case .parentChanged(_, let former, let name): ([name, former], nil)
        case .attributeMoved(_, _, let names), .relationshipMoved(_, _, let names): (names, nil)
        case .attributeConverted(_, _, let name, let isSo): ([name], isSo)
        case .attributeAdded(_, _, let isSo), .externalChanged(_, _, let isSo),
            .limitsChanged(_, _, let isSo), .relationshipDropped(_, _, let isSo),
            .orderChanged(_, _, let isSo), .caseDropped(_, _, let isSo):
            ([], isSo)
        default: ([], nil)
        }
    }

    /// The entity that changed; empty if an enumeration changed, because entities only name it.
    package var entity: String { enumeration == nil ? subject.owner : "" }

    /// The property of the entity that changed. It is nil if the entity itself changed, and lists
    /// several properties that changed together. For an enumeration it is the case.
    package var property: String? { subject.parts?.joined(separator: ", ") }

    /// The enumeration that changed; nil if an entity changed.
    package var enumeration: String? {
        switch self {
        case .caseAdded, .caseRenamed, .caseDropped: subject.owner
        default: nil
        }
    }

    /// The owner and the part, as people write it: `Book.pages`.
    var place: String { property.map { "\(subject.owner).\($0)" } ?? subject.owner }

    /// The effect on the data.
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
            // A value that is already in a file cannot be moved back into the row.
            isExternal ? .reversible : .needsData
        case .attributeAdded(_, _, let needsData), .limitsChanged(_, _, let needsData):
            needsData ? .needsData : .additive
        // This includes a type that holds all values of the old one. Core Data infers no change of
        // a type, and the reviewer of the step should check how other programs read the values.
        case .attributeConverted, .attributeFilled, .entityBecameAbstract, .attributeBecameRequired,
            .relationshipBecameRequired, .uniqueAdded, .ruleAdded, .ruleChanged, .presenceChanged:
            .needsData
        case .orderChanged(_, _, let isOrdered):
            isOrdered ? .reversible : .lossy
        case .relationshipDropped(_, _, let losesLinks):
            losesLinks ? .lossy : .reversible
        case .entityDropped, .attributeDropped, .attributeRevised, .linksDropped,
            .duplicatesDropped, .objectsDropped:
            .lossy
        }
    }

    /// Whether data is lost or becomes less exact.
    package var losesData: Bool {
        switch kind {
        case .lossy, .destructive, .needsCode: true
        case .additive, .reversible, .needsData: false
        }
    }

    /// The change in words.
    package var summary: String { written(summaryForm) }

    private var summaryForm: String {
        switch self {
        case .entityAdded, .relationshipAdded: "add {place}"
        case .entityDropped, .attributeDropped: "drop {place} and its data"
        case .entityRenamed: "rename {former} to {owner}"
        case .entityBecameAbstract: "make {place} abstract"
        case .objectsDropped: "drop the objects of {place} where {detail}"
        case .parentChanged: "make {place} inherit from {detail}"
        case .attributeMoved, .relationshipMoved: "move {place} from {former}"
        case .linksDropped: "keep one of several links of {place}"
        case .duplicatesDropped: "keep one of several objects of {owner} with the same {name}"
        case .attributeAdded(_, _, isFilled: true): "add {place} with a value for existing objects"
        case .attributeAdded: "add {place}"
        case .attributeRenamed, .relationshipRenamed: "rename {owner}.{former} to {name}"
        case .attributeConverted: "change the type of {place} to {detail}"
        case .attributeBecameRequired, .relationshipBecameRequired: "require {place}"
        case .attributeBecameOptional: "make {place} optional"
        case .attributeRevised: "compute {place} again from its old value"
        case .attributeFilled: "give objects without {place} a value"
        case .countsChanged: "change how many objects {place} may have"
        case .attributeStored: "store {place}"
        case .derivationAdded: "compute {place}"
        case .derivationChanged: "compute {place} in another way"
        case .derivationDropped: "compute {place} no longer"
        case .externalChanged(_, _, isExternal: true): "keep large values of {place} in files"
        case .externalChanged: "keep all values of {place} in the store"
        case .presenceChanged: "change which parts of {place} are required"
        case .defaultChanged: "change the default of {place}"
        case .limitsChanged: "change the limits of {place}"
        case .relationshipDropped(_, _, losesLinks: true): "drop {place} and its links"
        case .relationshipDropped: "drop {place}"
        case .relationshipChanged: "change {place}"
        case .orderChanged(_, _, isOrdered: true): "keep the order of {place}"
        case .orderChanged: "forget the order of {place}"
        case .uniqueAdded: "make {name} of {owner} unique"
        case .uniqueDropped: "remove the uniqueness of {name} of {owner}"
        case .indexesChanged: "change the indexes of {place}"
        case .ruleAdded: "add the rule {name} of {owner}"
        case .ruleDropped: "drop the rule {name} of {owner}"
        case .ruleChanged: "change the rule {name} of {owner}"
        case .caseAdded: "add the case {name} of {owner}"
        case .caseRenamed: "rename the case {former} of {owner} to {name}"
        case .caseDropped(_, _, isReplaced: true):
            "drop the case {name} of {owner}, and give its objects another or none"
        case .caseDropped: "drop the case {name} of {owner}"
        }
    }

    /// Returns a sentence with the words of this change in place of `{place}`, `{owner}`, `{name}`,
    /// `{former}` and `{detail}`.
    private func written(_ form: String) -> String {
        var text = ""
        var rest = Substring(form)
        while let start = rest.firstIndex(of: "{"), let end = rest.firstIndex(of: "}") {
            text += rest[..<start]
            text += word(named: rest[start...end])
            rest = rest[rest.index(after: end)...]
        }
        return text + rest
    }

    private func word(named name: Substring) -> String {
        switch name {
        case "{place}": place
        case "{owner}": subject.owner
        case "{name}": property ?? ""
        case "{former}": rest.names.compactMap { $0 }.joined(separator: ", ")
        default: rest.names.first.flatMap { $0 } ?? "none"
        }
    }

    /// The kind of the change in one word, for programs: the name of the case. The word is never
    /// given to another kind.
    package var word: String {
        String("\(self)".prefix { $0 != "(" })
    }

    /// The state before and after a change, in few words.
    package struct Detail: Sendable {
        /// The value before the change.
        package let before: String?
        /// The value after the change.
        package let after: String?
    }

    /// Returns the change as a sentence about the model without its full stop: `Book.pages was
    /// added`. The ``summary`` describes the migration's action.
    package func fact(_ detail: Detail?) -> String {
        let fact = written(factForm)
        switch self {
        case .attributeConverted, .relationshipChanged, .defaultChanged, .limitsChanged,
            .countsChanged, .ruleChanged:
            return fact + Self.words(from: detail?.before, to: detail?.after)
        // Declarations of the author about rows, and consequences of other changes.
        case .objectsDropped, .linksDropped, .duplicatesDropped, .attributeRevised,
            .attributeFilled:
            return fact + summary
        default: return fact
        }
    }

    private var factForm: String {
        switch self {
        case .entityAdded, .attributeAdded, .relationshipAdded: "{place} was added"
        case .entityDropped, .attributeDropped, .relationshipDropped: "{place} was removed"
        case .entityRenamed: "{former} was renamed to {owner}"
        case .entityBecameAbstract: "{place} became abstract"
        case .parentChanged: "{place} inherits from {detail}"
        case .attributeRenamed, .relationshipRenamed: "{owner}.{former} was renamed to {name}"
        case .attributeMoved, .relationshipMoved: "{place} was moved there from {former}"
        case .attributeConverted, .relationshipChanged: "{place} changed"
        case .attributeBecameRequired, .relationshipBecameRequired: "{place} became required"
        case .attributeBecameOptional: "{place} became optional"
        case .attributeStored: "{place} is stored now"
        case .derivationAdded: "{place} is computed now"
        case .derivationChanged: "{place} is computed in another way"
        case .derivationDropped: "{place} is computed no longer"
        case .externalChanged(_, _, isExternal: true):
            "large values of {place} are kept in files"
        case .externalChanged: "large values of {place} are kept in the store"
        case .presenceChanged: "the required parts of {place} changed"
        case .defaultChanged: "the default of {place} changed"
        case .limitsChanged: "the limits of {place} changed"
        case .countsChanged: "the number of objects of {place} changed"
        case .orderChanged(_, _, isOrdered: true): "{place} became ordered"
        case .orderChanged: "{place} became unordered"
        case .uniqueAdded: "{name} of {owner} became unique"
        case .uniqueDropped: "{name} of {owner} is unique no longer"
        case .indexesChanged: "the indexes of {place} changed"
        case .ruleAdded: "the rule {place} was added"
        case .ruleDropped: "the rule {place} was removed"
        case .ruleChanged: "the rule {place} changed"
        case .caseAdded: "the case {place} was added"
        case .caseRenamed: "the case {owner}.{former} was renamed to {name}"
        case .caseDropped: "the case {place} was removed"
        case .objectsDropped, .linksDropped, .duplicatesDropped, .attributeRevised,
            .attributeFilled:
            "rows change: "
        }
    }

    private static func words(from before: String?, to after: String?) -> String {
        (before.map { " from \($0)" } ?? "") + (after.map { " to \($0)" } ?? "")
    }

    /// Returns the declaration of the new version about the changed thing; nil if there is none.
    func declaration(in migration: MigrationDeclaration) -> (any MigrationItem)? {
        let kind: any MigrationItem.Type
        switch self {
        case .caseDropped: kind = MigrationDeclaration.Replacement.self
        case .linksDropped: kind = MigrationDeclaration.Keep.self
        case .duplicatesDropped: kind = MigrationDeclaration.Deduplication.self
        case .attributeBecameRequired, .relationshipBecameRequired:
            kind = MigrationDeclaration.Requirement.self
        default: return nil
        }
        let names: [String?] = [subject.owner, subject.parts?.joined(separator: " ")]
        return migration.items.first { item in
            type(of: item) == kind && kind.subject.map { item[$0] } == names
        }
    }
}

// Few changes are compared, and the derived comparison of these many cases is long.
extension ModelChange: Equatable {
    package static func == (left: ModelChange, right: ModelChange) -> Bool {
        left.subject == right.subject && left.rest == right.rest && left.word == right.word
    }
}

/// The effect of a model change on existing data.
public enum MigrationKind: String, Sendable, Hashable, CaseIterable {
    /// An addition that leaves existing data unchanged.
    case additive
    /// The data is kept in another place or under another name. The change can be reversed.
    case reversible
    /// Data becomes less exact, or is explicitly dropped: values, links, or whole objects.
    case lossy
    /// Data is deleted that is not explicitly dropped. No compiled migration does that: the build
    /// stops with a diagnostic.
    case destructive
    /// Data must be added or must meet a new condition. If a store's data does not, the migration
    /// fails and the store stays unchanged.
    case needsData
    /// The change requires custom code that can interpret the data.
    case needsCode
}

extension MigrationKind: Comparable {
    /// Orders kinds by how much care they need.
    public static func < (left: MigrationKind, right: MigrationKind) -> Bool {
        left.severity < right.severity
    }

    private var severity: Int {
        switch self {
        case .additive: 0
        case .reversible: 1
        case .lossy: 2
        case .destructive: 3
        case .needsData: 4
        case .needsCode: 5
        }
    }
}
