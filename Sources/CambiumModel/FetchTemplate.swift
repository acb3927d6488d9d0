/// A named request with parameters.
public struct FetchTemplate: Sendable, Hashable {
    /// The name; the generated function has it too.
    public let name: String
    /// What the caller supplies, in order.
    public let parameters: [FetchParameter]
    /// Which objects it finds; nil means all.
    public let condition: ModelExpression?
    /// The order of what it finds.
    public let sort: [IndexElement]
    /// How it is fetched.
    public let options: RequestOptions
    /// What the author noted for programs.
    public let userInfo: [String: String]

    /// Describes a template.
    public init(
        name: String, parameters: [FetchParameter] = [], condition: ModelExpression? = nil,
        sort: [IndexElement] = [], options: RequestOptions = RequestOptions(),
        userInfo: [String: String] = [:]
    ) {
        self.name = name
        self.parameters = parameters
        self.condition = condition
        self.sort = sort
        self.options = options
        self.userInfo = userInfo
    }
}

/// A parameter of a named request.
public struct FetchParameter: Sendable, Hashable {
    /// The name, without the dollar sign.
    public let name: String
    /// The type of its argument, or of the elements of a list; for objects that of their keys.
    public let type: AttributeType
    /// The entity of the object that its argument is, or of those in a list; nil where it is a
    /// value and no object.
    public let entity: String?
    /// Whether the argument is a list of values.
    public let isList: Bool

    /// Describes a parameter.
    public init(name: String, type: AttributeType, isList: Bool = false) {
        self.name = name
        self.type = type
        self.isList = isList
        entity = nil
    }

    /// Describes a parameter that stands for an object of an entity, or for a list of them.
    public init(name: String, entity: String, isList: Bool = false) {
        self.name = name
        self.entity = entity
        self.isList = isList
        type = .int64
    }
}
