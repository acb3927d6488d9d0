/// How a request of the model is fetched.
public struct RequestOptions: Sendable, Hashable {
    /// The greatest number of results; nil means all.
    public let limit: Int?
    /// How many results are skipped; 0 by default.
    public let offset: Int
    /// How many objects are loaded at a time; 0, the default, means all at once.
    public let batchSize: Int
    /// What the results are; objects by default.
    public let resultKind: RequestResultKind
    /// Whether equal results appear once; false by default.
    public let isDistinct: Bool
    /// Whether objects of sub-entities count; true by default.
    public let includesSubentities: Bool
    /// Whether changes that are not saved yet count; true by default.
    public let includesPendingChanges: Bool
    /// Whether the values are loaded too; true by default.
    public let includesPropertyValues: Bool
    /// Whether objects are returned without values even where these were loaded; true by default,
    /// as in Core Data.
    public let returnsObjectsAsFaults: Bool
    /// The relationships whose objects are loaded too.
    public let prefetched: [String]

    /// Describes options; all defaults are those of a plain request.
    public init(
        limit: Int? = nil, offset: Int = 0, batchSize: Int = 0,
        resultKind: RequestResultKind = .objects, isDistinct: Bool = false,
        includesSubentities: Bool = true, includesPendingChanges: Bool = true,
        includesPropertyValues: Bool = true, returnsObjectsAsFaults: Bool = true,
        prefetched: [String] = []
    ) {
        self.limit = limit
        self.offset = offset
        self.batchSize = batchSize
        self.resultKind = resultKind
        self.isDistinct = isDistinct
        self.includesSubentities = includesSubentities
        self.includesPendingChanges = includesPendingChanges
        self.includesPropertyValues = includesPropertyValues
        self.returnsObjectsAsFaults = returnsObjectsAsFaults
        self.prefetched = prefetched
    }
}

/// What the results of a request are.
public enum RequestResultKind: String, Sendable, Hashable, CaseIterable {
    /// Objects.
    case objects
    /// Identities of objects.
    case ids
    /// How many there are.
    case count
    /// Values by name.
    case dictionaries
}
