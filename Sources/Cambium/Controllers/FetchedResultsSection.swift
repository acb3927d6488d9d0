/// A section of a controller's results.
public struct FetchedResultsSection<Entity: ManagedObject> {
    /// What the section's objects have in common, as text.
    public let name: String
    /// What the section's objects have in common; null without sections.
    public let value: Value
    let entries: [ResultEntry<Entity>]

    /// The objects, in order.
    public var objects: [Entity] { entries.map(\.object) }
    /// How many objects there are.
    public var numberOfObjects: Int { entries.count }
}

extension Value {
    /// The value as the name of a section.
    var sectionName: String {
        switch self {
        case .null: ""
        case .bool(let value): value ? "true" : "false"
        case .int(let value): String(value)
        case .double(let value): String(value)
        case .decimal(let value): value.description
        case .string(let value): value
        case .date(let value): value.formatted(.iso8601)
        case .uuid(let value): value.uuidString
        case .uri(let value): value.absoluteString
        case .data(let value): value.base64EncodedString()
        }
    }
}
