/// A named request with parameters.
public final class FetchTemplate: Sendable {
    /// The name; the generated function has it too.
    public let name: String
    /// The parameters that the caller supplies, in order.
    public let parameters: [FetchParameter]
    /// The condition that objects must meet; nil means all.
    public let condition: ModelExpression?
    /// The order of the results.
    public let sort: [IndexElement]
    /// The options of the fetch.
    public let options: RequestOptions
    /// The author's notes for programs.
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

extension FetchTemplate: Equatable {
    /// Whether all parts are equal.
    public static func == (one: FetchTemplate, other: FetchTemplate) -> Bool {
        one === other || one.isWritten(as: other)
    }
}

/// A parameter of a named request.
public struct FetchParameter: Sendable, Equatable {
    /// The name, without the dollar sign.
    public let name: String
    /// The type of its argument, or of the elements of a list; for objects that of their keys.
    public let type: AttributeType
    /// The entity of the argument's object or objects; nil if the argument is a value.
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

    /// Describes a parameter for an object of an entity, or for a list of objects.
    public init(name: String, entity: String, isList: Bool = false) {
        self.name = name
        self.entity = entity
        self.isList = isList
        type = .int64
    }
}

/// A list of objects that a condition finds on each access, instead of stored links.
public final class FetchedProperty: Sendable {
    /// The name of the Swift property.
    public let name: String
    /// The entity of the objects that it finds.
    public let destination: String
    /// The condition that objects must meet; nil means all. `$source` is the object that has the
    /// property.
    public let condition: ModelExpression?
    /// The order of the results.
    public let sort: [IndexElement]
    /// The options of the fetch.
    public let options: RequestOptions
    /// A text that changes the version hash although the storage is the same.
    public let hashModifier: String?
    /// The author's notes for programs.
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

extension FetchedProperty: Equatable {
    /// Whether all parts are equal.
    public static func == (one: FetchedProperty, other: FetchedProperty) -> Bool {
        one === other || one.isWritten(as: other)
    }
}

extension Model {
    /// The fetched properties of an entity, inherited ones first.
    public func fetchedProperties(of entity: Entity) -> [FetchedProperty] {
        lineage(of: entity).flatMap { $0.fetchedProperties }
    }
}

/// The options of a fetch request in the model.
///
/// ## Topics
///
/// ### Creating
///
/// - ``init(limit:offset:batchSize:resultKind:isDistinct:includesSubentities:includesPendingChanges:includesPropertyValues:returnsObjectsAsFaults:prefetched:)``
///
/// ### Results
///
/// - ``resultKind``
/// - ``isDistinct``
/// - ``limit``
/// - ``offset``
///
/// ### Objects
///
/// - ``includesSubentities``
/// - ``includesPendingChanges``
///
/// ### Values
///
/// - ``prefetched``
/// - ``batchSize``
/// - ``includesPropertyValues``
/// - ``returnsObjectsAsFaults``
public struct RequestOptions: Sendable, Equatable {
    /// The greatest number of results; nil means all.
    public let limit: Int?
    /// The number of results to skip. Default: 0.
    public let offset: Int
    /// The number of objects that are loaded at a time. Default: 0, which loads all objects at
    /// once.
    public let batchSize: Int
    /// The kind of the results; objects by default.
    public let resultKind: RequestResultKind
    /// Whether equal results appear once; false by default.
    public let isDistinct: Bool
    /// Whether objects of sub-entities count; true by default.
    public let includesSubentities: Bool
    /// Whether changes that are not saved yet count; true by default.
    public let includesPendingChanges: Bool
    /// Whether the values are loaded too; true by default.
    public let includesPropertyValues: Bool
    /// Whether objects are returned without values even if these were loaded; true by default, as
    /// in Core Data.
    public let returnsObjectsAsFaults: Bool
    /// The relationships with objects to load too.
    public let prefetched: [String]

    /// Describes options. The defaults are the options of a plain request.
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

/// The kind of a request's results.
public enum RequestResultKind: String, Sendable, Hashable, CaseIterable {
    /// Objects.
    case objects
    /// Identities of objects.
    case ids
    /// The number of objects.
    case count
    /// Values by name.
    case dictionaries
}
