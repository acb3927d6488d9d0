import Cambium
import Foundation

/// What a store holds, in words. Compiled twice: into the tests, and into the program that made the
/// stores with the first edition (`Scripts/old-stores.sh`), so that both say the same of the same
/// rows. Uses public API only.
enum StoreContents {
    /// A line for each object, by entity and key: all values and all links.
    static func objects(in context: ManagedObjectContext) throws -> [String] {
        let model = context.coordinator.managedObjectModel
        var lines: [String] = []
        for root in model.entities where root.parent == nil {
            for object in try context.fetch(FetchRequest<ManagedObject>(entityName: root.name)) {
                lines.append(try line(of: object, in: model))
            }
        }
        return lines.sorted()
    }

    private static func line(of object: ManagedObject, in model: Model) throws -> String {
        let entity = object.entity
        let values = try model.attributes(of: entity).filter { !$0.isTransient }.map {
            "\($0.name)=\(words(try object.value(forKey: $0.name)))"
        }
        let links = try model.relationships(of: entity).filter { !$0.isTransient }.map {
            "\($0.name)=\(try others(of: object, along: $0))"
        }
        return ([object.objectID.description] + values + links).joined(separator: "\t")
    }

    private static func others(
        of object: ManagedObject, along relationship: Relationship
    ) throws -> String {
        if !relationship.isToMany {
            return try object.relatedObject(forKey: relationship.name)
                .map(\.objectID.description) ?? "nil"
        }
        if relationship.isOrdered {
            return try object.orderedRelatedObjects(forKey: relationship.name)
                .map(\.objectID.description).joined(separator: ",")
        }
        return try object.relatedObjects(forKey: relationship.name)
            .map(\.objectID.description).sorted().joined(separator: ",")
    }

    /// A line for each change in the history.
    static func history(in context: ManagedObjectContext) throws -> [String] {
        try context.fetchHistory(HistoryRequest()).transactions.flatMap { transaction in
            transaction.changes.map { change in
                let tombstone = (change.tombstone ?? [:]).mapValues { PropertyValue.value($0) }
                return [
                    "\(transaction.number) \(transaction.author ?? "nil") \(change.kind)",
                    change.objectID.description,
                    "changed=" + change.updatedProperties.sorted().joined(separator: ","),
                    "old=" + words(change.oldValues), "new=" + words(change.newValues),
                    "tombstone=" + words(tombstone),
                ].joined(separator: "\t")
            }
        }
    }

    private static func words(_ values: [String: PropertyValue]) -> String {
        values.sorted { $0.key < $1.key }.map { name, value in
            let text =
                switch value {
                case .value(let value): words(value)
                case .toOne(let id): id?.description ?? "nil"
                case .toMany(let ids): ids.map(\.description).joined(separator: "+")
                case .unread: "unread"
                }
            return "\(name):\(text)"
        }.joined(separator: ",")
    }

    /// A value exactly: floating-point numbers and dates by their bits.
    private static func words(_ value: Value) -> String {
        switch value {
        case .null: "nil"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .double(let value): "\(value) \(String(value.bitPattern, radix: 16))"
        case .decimal(let value): "\(value)"
        case .string(let text): text.debugDescription
        case .date(let date):
            "\(date.timeIntervalSinceReferenceDate) "
                + String(date.timeIntervalSinceReferenceDate.bitPattern, radix: 16)
        case .duration(let value): "\(value)"
        case .uuid(let id): id.uuidString
        case .uri(let url): url.absoluteString
        case .data(let data):
            "\(data.count) bytes \(data.prefix(24).base64EncodedString()) "
                + "\(data.reduce(into: 0) { $0 = ($0 &* 31 &+ Int($1)) & 0xffff_ffff })"
        }
    }
}
