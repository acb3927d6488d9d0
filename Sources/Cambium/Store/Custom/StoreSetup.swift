/// What a store of the program's own is told when it is made.
public struct StoreSetup: Sendable {
    /// The model of the program.
    public let model: Model
    /// The names of the entities whose objects the store is to hold, abstract ones too.
    public let entityNames: [String]
    /// Where the store is to be; in what sense is for the store to say.
    public let location: StoreLocation
    /// The configuration and the options that the program asked for.
    public let description: StoreDescription
}
