/// The author's declaration of the migration from the previous version: everything that a
/// comparison of the two versions cannot find out.
///
/// ## Topics
///
/// ### Creating
///
/// - ``init(from:fills:links:requirements:drops:replacements:keeps:deduplications:steps:)``
/// - ``from``
///
/// ### Values of existing objects
///
/// - ``fills``
/// - ``Fill``
/// - ``replacements``
/// - ``Replacement``
/// - ``requirements``
/// - ``Requirement``
///
/// ### Links of existing objects
///
/// - ``links``
/// - ``Link``
/// - ``keeps``
/// - ``Keep``
///
/// ### Deleted data
///
/// - ``drops``
/// - ``Drop``
/// - ``deduplications``
/// - ``Deduplication``
///
/// ### Orders that choose objects
///
/// - ``Order``
///
/// ### Steps of the program
///
/// - ``steps``
/// - ``Step``
public struct MigrationDeclaration: Sendable, Equatable {
    /// The version that the step starts from.
    public let from: String
    /// Values for attributes that rows of the old version do not have, or have to be put right.
    public package(set) var fills: [Fill]
    /// Objects to link existing objects to if a relationship is new or their link is missing.
    public package(set) var links: [Link]
    /// Properties that all existing objects have, as the author declares.
    public package(set) var requirements: [Requirement]
    /// Entities, objects and properties that are explicitly dropped.
    public package(set) var drops: [Drop]
    /// Replacements for deleted cases of enumerations in existing objects.
    public package(set) var replacements: [Replacement]
    /// The links to keep if a relationship holds fewer than before.
    public package(set) var keeps: [Keep]
    /// The treatment of objects that are equal in a new unique constraint.
    public package(set) var deduplications: [Deduplication]
    /// The steps that the program supplies.
    public package(set) var steps: [Step]

    /// Describes a step.
    public init(
        from: String, fills: [Fill] = [], links: [Link] = [], requirements: [Requirement] = [],
        drops: [Drop] = [], replacements: [Replacement] = [], keeps: [Keep] = [],
        deduplications: [Deduplication] = [], steps: [Step] = []
    ) {
        self.from = from
        self.fills = fills
        self.links = links
        self.requirements = requirements
        self.drops = drops
        self.replacements = replacements
        self.keeps = keeps
        self.deduplications = deduplications
        self.steps = steps
    }

    /// A value that existing rows get.
    public struct Fill: Sendable, Equatable {
        /// The entity, by its new name.
        public let entity: String
        /// The attribute, by its new name.
        public let attribute: String
        /// The value, computed from the row in the new version. The variable `old` is the row in
        /// the previous version, by its old names. If the expression uses the attribute itself,
        /// every row gets the value. Otherwise only rows without a value get it.
        public let value: ModelExpression

        /// Describes a fill.
        public init(entity: String, attribute: String, value: ModelExpression) {
            self.entity = entity
            self.attribute = attribute
            self.value = value
        }
    }

    /// The object to link existing objects to if their to-one relationship is empty.
    public struct Link: Sendable, Equatable {
        /// The entity that declares the relationship, by its new name.
        public let entity: String
        /// The to-one relationship, by its new name.
        public let relationship: String
        /// The condition that selects the object, in the old properties of the objects at the other
        /// end. The variable `source` is the old object that gets the link.
        public let condition: ModelExpression
        /// The order that chooses among several objects: the first by these old attributes, then
        /// the oldest.
        public let order: [Order]

        /// Describes a link.
        public init(
            entity: String, relationship: String, condition: ModelExpression, order: [Order] = []
        ) {
            self.entity = entity
            self.relationship = relationship
            self.condition = condition
            self.order = order
        }
    }

    /// A property that is required from now on and that every object has, as the author declares.
    /// If an object of a store lacks it, the migration fails and the store stays unchanged.
    public struct Requirement: Sendable, Equatable {
        /// The entity that declares the property, by its new name.
        public let entity: String
        /// The attribute or to-one relationship, by its new name.
        public let property: String
        /// The reason why every object has the property.
        public let reason: String

        /// Describes a requirement.
        public init(entity: String, property: String, reason: String) {
            self.entity = entity
            self.property = property
            self.reason = reason
        }
    }

    /// Data that is explicitly dropped.
    public struct Drop: Sendable, Equatable {
        /// The entity, by its old name.
        public let entity: String
        /// The property, by its old name; nil drops the whole entity, or objects of it.
        public let property: String?
        /// The condition that selects the objects to delete, in the entity's old properties, if the
        /// entity stays; nil if the entity itself is deleted.
        public let condition: ModelExpression?
        /// The reason why the data may be deleted.
        public let reason: String

        /// Describes a drop.
        public init(
            entity: String, property: String? = nil, condition: ModelExpression? = nil,
            reason: String
        ) {
            self.entity = entity
            self.property = property
            self.condition = condition
            self.reason = reason
        }
    }

    /// The replacement for a deleted case of an enumeration in existing objects.
    public struct Replacement: Sendable, Equatable {
        /// The enumeration.
        public let enumeration: String
        /// The deleted case, by its old name.
        public let name: String
        /// The case that objects get, by its new name. If it is nil, objects get no value; their
        /// attributes must allow nil.
        public let replacement: String?
        /// The reason why the difference between the two cases may be lost.
        public let reason: String

        /// Describes a replacement.
        public init(
            enumeration: String, case name: String, with replacement: String? = nil,
            reason: String
        ) {
            self.enumeration = enumeration
            self.name = name
            self.replacement = replacement
            self.reason = reason
        }
    }

    /// The link to keep if an object can have only one from now on. If this is true for both ends
    /// of a relationship, the first declaration is applied first.
    public struct Keep: Sendable, Equatable {
        /// The entity that declares the relationship, by its new name.
        public let entity: String
        /// The to-one relationship, by its new name.
        public let relationship: String
        /// The order that chooses the object at the other end, by its old attributes: the first
        /// stays. For equal objects, the index in the old list decides, then the age.
        public let order: [Order]
        /// The reason why the other links may be deleted.
        public let reason: String

        /// Describes the link to keep.
        public init(entity: String, relationship: String, order: [Order] = [], reason: String) {
            self.entity = entity
            self.relationship = relationship
            self.order = order
            self.reason = reason
        }
    }

    /// The treatment of objects that are equal in the properties of a new constraint.
    public struct Deduplication: Sendable, Equatable {
        /// The entity that declares the constraint, by its new name.
        public let entity: String
        /// The properties of the constraint, by their new names.
        public let properties: [String]
        /// The order that chooses the object that stays: the first by these new attributes, then
        /// the oldest.
        public let order: [Order]
        /// The treatment of links to the deleted objects.
        public let links: Links
        /// The reason why the other objects may be deleted.
        public let reason: String

        /// The treatment of links to deleted objects.
        public enum Links: String, Sendable, Hashable, CaseIterable {
            /// The links reference the remaining object.
            case move
            /// The links are deleted with the object.
            case drop
        }

        /// Describes the treatment of equal objects.
        public init(
            entity: String, properties: [String], order: [Order] = [], links: Links = .move,
            reason: String
        ) {
            self.entity = entity
            self.properties = properties
            self.order = order
            self.links = links
            self.reason = reason
        }
    }

    /// A place in an order of objects.
    public struct Order: Sendable, Equatable {
        /// The attribute that they are ordered by.
        public let attribute: String
        /// Whether the greatest value comes first.
        public let isDescending: Bool

        /// Describes a place in an order.
        public init(_ attribute: String, isDescending: Bool = false) {
            self.attribute = attribute
            self.isDescending = isDescending
        }
    }

    /// A step that the program supplies.
    public struct Step: Sendable, Equatable {
        /// The name of the method that does it.
        public let name: String
        /// The entities of the objects that it reads, creates or changes, by their new names, or by
        /// their old names if they are deleted. If there are none, it may use all entities that the
        /// migration changes.
        public let entities: [String]

        /// Names a step.
        public init(name: String, entities: [String] = []) {
            self.name = name
            self.entities = entities
        }
    }
}

// MARK: How each is written

/// A declaration of a migration: an element of `<migration>`.
package protocol MigrationItem: Sendable, Equatable {
    /// XML attributes with their values, in order.
    typealias Attributes = KeyValuePairs<String, String?>

    /// The name of the element.
    static var element: String { get }
    /// The XML attributes that name the subject of a declaration. No two declarations have the same
    /// subject.
    static var subject: [String] { get }
    /// The list of the declarations of this kind in a migration.
    static var list: WritableKeyPath<MigrationDeclaration, [Self]> { get }

    /// Returns the XML attributes of the element.
    ///
    /// - Parameter text: Writes an expression.
    func attributes(_ text: (ModelExpression) -> String) -> Attributes
}

extension MigrationItem {
    /// The value of an XML attribute, except for expressions; nil if it is absent.
    package subscript(name: String) -> String? {
        attributes { _ in "" }.first { $0.key == name }?.value
    }

    /// Whether another declaration is of the same kind and equal.
    package func isEqual(to other: any MigrationItem) -> Bool { self == other as? Self }

    fileprivate static func items(of declaration: MigrationDeclaration) -> [any MigrationItem] {
        declaration[keyPath: list]
    }
}

extension MigrationDeclaration: DefinitionPart {
    /// Whether all declarations are equal.
    public static func == (one: MigrationDeclaration, other: MigrationDeclaration) -> Bool {
        one.isWritten(as: other)
    }

    /// The kinds of declarations.
    package static let kinds: [any MigrationItem.Type] = [
        Fill.self, Link.self, Requirement.self, Drop.self, Replacement.self, Keep.self,
        Deduplication.self, Step.self,
    ]

    /// All declarations, grouped by kind.
    package var items: [any MigrationItem] { Self.kinds.flatMap { $0.items(of: self) } }

    /// Adds a declaration after the others of its kind.
    package mutating func add<Item: MigrationItem>(_ item: Item) {
        self[keyPath: Item.list].append(item)
    }

    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        self.init(
            from: try coder.part(it?.from), fills: try coder.list("fills", it?.fills),
            links: try coder.list("links", it?.links),
            requirements: try coder.list("requirements", it?.requirements),
            drops: try coder.list("drops", it?.drops),
            replacements: try coder.list("replacements", it?.replacements),
            keeps: try coder.list("keeps", it?.keeps),
            deduplications: try coder.list("deduplications", it?.deduplications),
            steps: try coder.list("steps", it?.steps))
    }
}

extension [MigrationDeclaration.Order] {
    /// The order in the author's notation; nil if there is none.
    fileprivate var text: String? {
        let words = map { $0.attribute + ($0.isDescending ? " descending" : "") }
        return isEmpty ? nil : words.joined(separator: ", ")
    }
}

extension MigrationDeclaration.Fill: MigrationItem, DefinitionPart {
    package static let element = "fill"
    package static let subject = ["entity", "attribute"]
    package static var list: WritableKeyPath<MigrationDeclaration, [Self]> { \.fills }

    package func attributes(_ text: (ModelExpression) -> String) -> Attributes {
        ["entity": entity, "attribute": attribute, "with": text(value)]
    }

    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        self.init(
            entity: try coder.part(it?.entity), attribute: try coder.part(it?.attribute),
            value: try coder.part(it?.value))
    }
}

extension MigrationDeclaration.Link: MigrationItem, DefinitionPart {
    package static let element = "link"
    package static let subject = ["entity", "relationship"]
    package static var list: WritableKeyPath<MigrationDeclaration, [Self]> { \.links }

    package func attributes(_ text: (ModelExpression) -> String) -> Attributes {
        [
            "entity": entity, "relationship": relationship, "where": text(condition),
            "sort": order.text,
        ]
    }

    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        self.init(
            entity: try coder.part(it?.entity), relationship: try coder.part(it?.relationship),
            condition: try coder.part(it?.condition), order: try coder.list("order", it?.order))
    }
}

extension MigrationDeclaration.Requirement: MigrationItem, DefinitionPart {
    package static let element = "require"
    package static let subject = ["entity", "property"]
    package static var list: WritableKeyPath<MigrationDeclaration, [Self]> { \.requirements }

    package func attributes(_ text: (ModelExpression) -> String) -> Attributes {
        ["entity": entity, "property": property, "reason": reason]
    }

    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        self.init(
            entity: try coder.part(it?.entity), property: try coder.part(it?.property),
            reason: try coder.part(it?.reason))
    }
}

extension MigrationDeclaration.Drop: MigrationItem, DefinitionPart {
    package static let element = "drop"
    package static let subject = ["entity", "property"]
    package static var list: WritableKeyPath<MigrationDeclaration, [Self]> { \.drops }

    package func attributes(_ text: (ModelExpression) -> String) -> Attributes {
        ["entity": entity, "property": property, "where": condition.map(text), "reason": reason]
    }

    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        self.init(
            entity: try coder.part(it?.entity),
            property: try coder.optional("property", it?.property),
            condition: try coder.optional("where", it?.condition),
            reason: try coder.part(it?.reason))
    }
}

extension MigrationDeclaration.Replacement: MigrationItem, DefinitionPart {
    package static let element = "replace"
    package static let subject = ["enum", "case"]
    package static var list: WritableKeyPath<MigrationDeclaration, [Self]> { \.replacements }

    package func attributes(_ text: (ModelExpression) -> String) -> Attributes {
        ["enum": enumeration, "case": name, "with": replacement, "reason": reason]
    }

    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        self.init(
            enumeration: try coder.part(it?.enumeration), case: try coder.part(it?.name),
            with: try coder.optional("with", it?.replacement), reason: try coder.part(it?.reason))
    }
}

extension MigrationDeclaration.Keep: MigrationItem, DefinitionPart {
    package static let element = "keep"
    package static let subject = ["entity", "relationship"]
    package static var list: WritableKeyPath<MigrationDeclaration, [Self]> { \.keeps }

    package func attributes(_ text: (ModelExpression) -> String) -> Attributes {
        ["entity": entity, "relationship": relationship, "sort": order.text, "reason": reason]
    }

    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        self.init(
            entity: try coder.part(it?.entity), relationship: try coder.part(it?.relationship),
            order: try coder.list("order", it?.order), reason: try coder.part(it?.reason))
    }
}

extension MigrationDeclaration.Deduplication: MigrationItem, DefinitionPart {
    package static let element = "deduplicate"
    package static let subject = ["entity", "by"]
    package static var list: WritableKeyPath<MigrationDeclaration, [Self]> { \.deduplications }

    package func attributes(_ text: (ModelExpression) -> String) -> Attributes {
        [
            "entity": entity, "by": properties.joined(separator: " "), "sort": order.text,
            "links": links.rawValue, "reason": reason,
        ]
    }

    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        self.init(
            entity: try coder.part(it?.entity), properties: try coder.list(it?.properties),
            order: try coder.list("order", it?.order),
            links: try coder.part("links", it?.links, unless: .move),
            reason: try coder.part(it?.reason))
    }
}

extension MigrationDeclaration.Step: MigrationItem, DefinitionPart {
    package static let element = "step"
    package static let subject: [String] = []
    package static var list: WritableKeyPath<MigrationDeclaration, [Self]> { \.steps }

    package func attributes(_ text: (ModelExpression) -> String) -> Attributes {
        ["name": name, "entities": entities.isEmpty ? nil : entities.joined(separator: " ")]
    }

    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        self.init(name: try coder.part(it?.name), entities: try coder.list(it?.entities))
    }
}

extension MigrationDeclaration.Order: DefinitionPart {
    static let isGroup = false

    init(_ it: Self?, _ coder: inout DefinitionCoder) throws(UnreadableDefinition) {
        self.init(
            try coder.part(it?.attribute),
            isDescending: coder.flag("descending", it?.isDescending))
    }
}

extension MigrationDeclaration.Deduplication.Links: DefinitionPart {}
