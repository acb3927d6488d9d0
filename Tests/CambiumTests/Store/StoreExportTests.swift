@testable import Cambium
import CambiumAuthoring
import Testing

/// What tools write of a whole store by SQL, beside what objects say.
@Suite(.onSQLite("What the tool writes is read from a file."))
struct StoreExportTests {
    /// The lines of all objects, as an export writes them, by hierarchy: objects of two may have the
    /// same line.
    private func lines(of context: ManagedObjectContext) throws -> [String: [String]] {
        let model = context.coordinator.managedObjectModel
        var lines: [String: [String]] = [:]
        for root in model.roots {
            lines[root.name] = []
            for object in try context.all(root.name).sorted(by: {
                $0.objectID.key < $1.objectID.key
            }) {
                var json = JSONWriter()
                json.write(raw: "{\"_id\":\(object.objectID.key)")
                if model.hasSubentities(root) {
                    json.write(raw: ",\"_entity\":\"\(object.entity.name)\"")
                }
                for entity in model.lineage(of: object.entity) {
                    for attribute in entity.attributes where !attribute.isTransient {
                        json.writeName(attribute.name, isFirst: false)
                        let value = try object.value(forKey: attribute.name)
                        if case (.codable, .string(let text)) = (attribute.type, value) {
                            json.write(raw: text)
                        } else {
                            json.write(value, as: attribute.type)
                        }
                    }
                    for relationship in entity.relationships where !relationship.isTransient {
                        json.writeName(relationship.name, isFirst: false)
                        try write(relationship, of: object, to: &json)
                    }
                }
                json.write(raw: "}")
                lines[root.name, default: []].append(
                    String(decoding: json.text, as: UTF8.self))
            }
        }
        return lines
    }

    /// The lines of an export, by hierarchy.
    private func lines(ofExport text: [UInt8]) -> [String: [String]] {
        var lines: [String: [String]] = [:]
        var root = ""
        for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
            if line.hasPrefix("{\"_id\"") {
                lines[root]?.append(line.hasSuffix(",") ? String(line.dropLast()) : String(line))
            } else if let name = line.firstRange(of: "\":[") {
                root = String(line[..<name.lowerBound].dropFirst())
                lines[root] = []
            }
        }
        return lines
    }

    private func write(
        _ relationship: Relationship, of object: ManagedObject, to json: inout JSONWriter
    ) throws {
        let name = relationship.name
        guard relationship.isToMany else {
            let key = try object.relatedObject(forKey: name)?.objectID.key
            return json.write(raw: key.map { "\($0)" } ?? "null")
        }
        var keys = try object.many(name).map { $0.objectID.key }
        if !relationship.isOrdered { keys.sort() }
        json.write(raw: "[\(keys.map { "\($0)" }.joined(separator: ","))]")
    }

    @Test func `a store is exported as its objects are`() throws {
        try forEachSeed(for: 0.2) { seed in
            try withStoreFile { path in
                let container = try PersistentContainer(
                    model: CompiledModel(RandomObjects.model), at: .temporary(path))
                let context = container.newContext()
                var objects = RandomObjects(in: context, seed: seed)
                try objects.fill()
                let expected = try lines(of: container.newContext())
                var text: [UInt8] = []
                try StoreExporter(fileAt: path, versions: [RandomObjects.model]).export {
                    text += $0
                }
                #expect(lines(ofExport: text) == expected, "seed \(seed)")
            }
        }
    }
}
