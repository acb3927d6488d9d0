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
    /// The type of its argument, or of the elements of a list.
    public let type: AttributeType
    /// Whether the argument is a list of values.
    public let isList: Bool

    /// Describes a parameter.
    public init(name: String, type: AttributeType, isList: Bool = false) {
        self.name = name
        self.type = type
        self.isList = isList
    }
}
