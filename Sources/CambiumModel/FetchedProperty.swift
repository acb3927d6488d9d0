/// A list of objects that a condition finds anew, instead of links that are stored.
public struct FetchedProperty: Sendable, Hashable {
    /// The name of the Swift property.
    public let name: String
    /// The entity whose objects it finds.
    public let destination: String
    /// Which objects it finds; nil means all. `$source` is the object that has the property.
    public let condition: ModelExpression?
    /// The order of what it finds.
    public let sort: [IndexElement]
    /// How it is fetched.
    public let options: RequestOptions
    /// A text that makes the version hash another one although the storage is the same.
    public let hashModifier: String?
    /// What the author noted for programs.
    public let userInfo: [String: String]

    /// Describes a fetched property.
    public init(
        name: String, destination: String, condition: ModelExpression? = nil,
        sort: [IndexElement] = [], options: RequestOptions = RequestOptions(),
        hashModifier: String? = nil, userInfo: [String: String] = [:]
    ) {
        self.name = name
        self.destination = destination
        self.condition = condition
        self.sort = sort
        self.options = options
        self.hashModifier = hashModifier
        self.userInfo = userInfo
    }
}

extension Model {
    /// The fetched properties of an entity, inherited ones first.
    public func fetchedProperties(of entity: Entity) -> [FetchedProperty] {
        lineage(of: entity).flatMap(\.fetchedProperties)
    }
}
