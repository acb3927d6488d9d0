/// A part of the model that a store of its own may hold.
public struct Configuration: Sendable, Hashable {
    /// The name.
    public let name: String
    /// The names of its entities, in order.
    public let entities: [String]
    /// What the author noted for programs.
    public let userInfo: [String: String]

    /// Describes a configuration.
    public init(name: String, entities: [String], userInfo: [String: String] = [:]) {
        self.name = name
        self.entities = entities
        self.userInfo = userInfo
    }
}
