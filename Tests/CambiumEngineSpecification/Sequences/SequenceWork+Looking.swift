import Cambium
import CambiumEngine

// What contexts show, and what the store keeps.
extension SequenceWork {
    /// Looks at an object, or at what is in memory.
    func look(_ index: Int) {
        let context = contexts[index]
        if generator.chance(0.5) {
            guard let object = pick(index, anyEntity()) else { return }
            attempt("\(index) look at \(object.objectID)") { try words(object) }
        } else {
            attempt("\(index) changes") {
                for (name, objects) in [
                    ("inserted", context.insertedObjects), ("updated", context.updatedObjects),
                    ("deleted", context.deletedObjects),
                ] {
                    for object in sorted(objects) {
                        transcript.add(
                            "\(name) \(object.objectID) "
                                + Transcript.words(object.changedValues()))
                    }
                }
                return ""
            }
        }
    }

    func lookAtAll(_ context: ManagedObjectContext) {
        for entity in ["Thing", "Shelf", "Room", "Label", "Piece"] {
            attempt("all of \(entity)") {
                for object in try context.all(entity) { transcript.add(try words(object)) }
                return ""
            }
        }
    }

    private func sorted(_ objects: Set<ManagedObject>) -> [ManagedObject] {
        objects.sorted {
            ($0.objectID.entityName, $0.objectID.key) < ($1.objectID.entityName, $1.objectID.key)
        }
    }

    /// All values and all links of an object.
    private func words(_ object: ManagedObject) throws -> String {
        let model = container.coordinator.managedObjectModel
        let values = try model.attributes(of: object.entity).map { attribute in
            "\(attribute.name)=\(Transcript.words(try object.value(forKey: attribute.name)))"
        }
        let links = try model.relationships(of: object.entity).map { relationship in
            let others =
                if !relationship.isToMany {
                    [try object.relatedObject(forKey: relationship.name)].compactMap { $0 }
                } else if relationship.isOrdered {
                    try Array(object.orderedRelatedObjects(forKey: relationship.name))
                } else {
                    sorted(Set(try object.many(relationship.name)))
                }
            return "\(relationship.name)=\(others.map(\.objectID))"
        }
        return "\(object.objectID) \((values + links).joined(separator: " "))"
    }

    /// Every row of the store with its version, its values and its links.
    func dump(_ engine: any StoreEngine) {
        attempt("rows") {
            let entities = container.coordinator.managedObjectModel.entities
            for index in entities.indices where entities[index].parent == nil {
                try engine.readNodes(of: [index]) { nodes, _ in
                    for node in nodes { transcript.add(Self.words(node)) }
                }
            }
            return ""
        }
    }

    private static func words(_ node: StoreNode) -> String {
        func name(_ reference: StoreReference) -> String {
            "\(reference.entityName)/\(reference.key)"
        }
        let links =
            node.destinations.mapValues { [name($0)] }
            .merging(node.members.mapValues { $0.map(name) }) { $1 }
            .sorted { $0.key < $1.key }.map { "\($0)=\($1)" }
        return "\(node.entityName)/\(node.key) version \(Transcript.words(version: node.version)) "
            + "\(Transcript.words(node.values)) \(links.joined(separator: " "))"
    }
}
