import Cambium
import Foundation

/// All that an object says through access by name, as JSON.
struct ObjectValues {
    /// `{"entity": …, "id": …, "values": {name: null or [kind, text]}, "links": {name: …}}`, where a
    /// to-one is a key or null, a to-many a list of keys. Values are texts, so that no reader of
    /// JSON makes other numbers of them.
    let json: [String: Any]

    init(of object: ManagedObject, in model: Model) throws {
        var values: [String: Any] = [:]
        for attribute in model.attributes(of: object.entity) where !attribute.isTransient {
            values[attribute.name] = Self.text(
                of: try object.value(forKey: attribute.name), attribute.type)
        }
        var links: [String: Any] = [:]
        for relationship in model.relationships(of: object.entity) where !relationship.isTransient {
            let name = relationship.name
            if !relationship.isToMany {
                links[name] = try object.relatedObject(forKey: name)?.objectID.key ?? NSNull()
            } else if relationship.isOrdered {
                links[name] = try object.orderedRelatedObjects(forKey: name).map {
                    $0.objectID.key
                }
            } else {
                links[name] = try object.relatedObjects(forKey: name).map { $0.objectID.key }
            }
        }
        json = [
            "entity": object.entity.name, "id": object.objectID.key, "values": values,
            "links": links,
        ]
    }

    private static func text(of value: Value, _ type: AttributeType) -> Any {
        switch value {
        case .null: NSNull()
        case .bool(let value): ["bool", value ? "1" : "0"]
        case .int(let value): ["int", "\(value)"]
        case .double(let value): ["double", "\(value)"]
        case .decimal(let value): ["decimal", value.description]
        case .string(let value):
            if case .codable = type { ["json", value] } else { ["string", value] }
        case .date(let value): ["date", "\(value.timeIntervalSinceReferenceDate)"]
        case .duration(let value): ["duration", "\(value)"]
        case .uuid(let value): ["uuid", value.uuidString]
        case .uri(let value): ["uri", value.absoluteString]
        case .data(let value): ["data", value.base64EncodedString()]
        }
    }
}
