/// What the author of a version declared about the step from the version before: everything that
/// a comparison of the two versions cannot know.
public struct MigrationDeclaration: Sendable, Hashable {
    /// The version that the step starts from.
    public let from: String
    /// Values for attributes that rows of the old version do not have, or have to be put right.
    public let fills: [Fill]
    /// Entities and properties whose data is meant to be lost.
    public let drops: [Drop]
    /// The names of steps that the program supplies.
    public let steps: [String]

    /// Describes a step.
    public init(
        from: String, fills: [Fill] = [], drops: [Drop] = [], steps: [String] = []
    ) {
        self.from = from
        self.fills = fills
        self.drops = drops
        self.steps = steps
    }

    /// A value that existing rows get.
    public struct Fill: Sendable, Hashable {
        /// The entity, by its new name.
        public let entity: String
        /// The attribute, by its new name.
        public let attribute: String
        /// The value, computed from the row (old attributes that live on, and new ones without a
        /// fill). Where it looks at the attribute itself every row gets it, else each that has no
        /// value there.
        public let value: ModelExpression

        /// Describes a fill.
        public init(entity: String, attribute: String, value: ModelExpression) {
            self.entity = entity
            self.attribute = attribute
            self.value = value
        }
    }

    /// Something that is gone on purpose.
    public struct Drop: Sendable, Hashable {
        /// The entity, by its old name.
        public let entity: String
        /// The property, by its old name; nil drops the whole entity.
        public let property: String?
        /// Why the data may go.
        public let reason: String

        /// Describes a drop.
        public init(entity: String, property: String? = nil, reason: String) {
            self.entity = entity
            self.property = property
            self.reason = reason
        }
    }
}
