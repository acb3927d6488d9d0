/// What a key path of a class leads to.
enum FoundProperty: Sendable {
    /// An attribute, or with a dot a part of a composite one.
    case attribute(String)
    /// A composite value.
    case composite(String)
    case toOne(String, ManagedObject.Type)
    case toMany(String, ManagedObject.Type)
    /// The object's identity.
    case identity
}

/// What a key path may lead to, going by the readings so far.
enum PossibleProperty: Hashable {
    case slot(Int)
    case composite(String)
    /// A relationship, by its ordinal.
    case relationship(Int)
    case identity
}
