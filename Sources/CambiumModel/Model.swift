/// One complete, checked version of a data model.
///
/// The compiler makes it from XML, generated code holds it as text, the runtime lives on it
/// and the migration planner compares two of them. There is no second model type.
///
/// Invariants that the compiler's checks establish, and that everything else may rely on: names are
/// unique, every name that is referred to exists, an inverse points back, parents have no cycles.
///
/// A class, because it never changes: what holds a model, or several, holds a reference to each.
public final class Model: Sendable {
    /// The model's name, such as `Shop`.
    public let name: String
    /// The version's name, such as `3`. Versions of a bundle are ordered by the compiler.
    public let version: String
    /// The entities in the order in which the model declares them.
    public let entities: [Entity]
    /// The enumerations that attributes may have as their type.
    public let enumerations: [Enumeration]
    /// The composite types that attributes may have.
    public let composites: [Composite]
    /// Parts of the model that stores of their own may hold.
    public let configurations: [Configuration]
    /// A name for the version that programs gave it in Core Data's tools, where it has one.
    public let identifier: String?
    /// What the author noted for programs.
    public let userInfo: [String: String]
    /// What the author declared about the step from the version before, if anything.
    public let migration: MigrationDeclaration?

    let indexByName: [String: Int]
    let hierarchy: ModelHierarchy

    /// Puts a model together. Later entities of an equal name are ignored in look-ups by name; the
    /// compiler refuses such models.
    public init(
        name: String, version: String, entities: [Entity], enumerations: [Enumeration] = [],
        composites: [Composite] = [], configurations: [Configuration] = [],
        identifier: String? = nil, userInfo: [String: String] = [:],
        migration: MigrationDeclaration? = nil
    ) {
        self.name = name
        self.version = version
        self.entities = entities
        self.enumerations = enumerations
        self.composites = composites
        self.configurations = configurations
        self.identifier = identifier
        self.userInfo = userInfo
        self.migration = migration
        indexByName = Dictionary(
            entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        hierarchy = ModelHierarchy(entities, indexByName)
    }

    /// The same as another model, but for some parts.
    package convenience init(
        _ model: Model, version: String? = nil, entities: [Entity]? = nil,
        migration: MigrationDeclaration?
    ) {
        self.init(
            name: model.name, version: version ?? model.version,
            entities: entities ?? model.entities, enumerations: model.enumerations,
            composites: model.composites, configurations: model.configurations,
            identifier: model.identifier, userInfo: model.userInfo, migration: migration)
    }

    /// The same with other entities.
    package func with(_ entities: [Entity]) -> Model {
        Model(self, entities: entities, migration: migration)
    }

    /// The same with another declaration of the step to it, or none.
    package func declaring(_ migration: MigrationDeclaration?) -> Model {
        Model(self, migration: migration)
    }

    /// The entity of that name, or nil.
    public func entity(named name: String) -> Entity? {
        indexByName[name].map { entities[$0] }
    }

    /// The enumeration of that name, or nil.
    public func enumeration(named name: String) -> Enumeration? {
        enumerations.first { $0.name == name }
    }

    /// The composite type of that name, or nil.
    public func composite(named name: String) -> Composite? {
        composites.first { $0.name == name }
    }
}

extension Model: Hashable {
    /// Whether all parts are equal.
    public static func == (one: Model, other: Model) -> Bool {
        one === other
            || one.name == other.name && one.version == other.version
                && one.entities == other.entities && one.enumerations == other.enumerations
                && one.composites == other.composites
                && one.configurations == other.configurations
                && one.identifier == other.identifier && one.userInfo == other.userInfo
                && one.migration == other.migration
    }

    /// Hashes what is nearly always different.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(version)
        hasher.combine(entities.count)
    }
}

extension Model: CustomStringConvertible {
    /// The name and the version: `Library, version 1`.
    public var description: String { "\(name), version \(version)" }
}
