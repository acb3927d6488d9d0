import CambiumRecords

/// Objects that were changed without a context of this coordinator knowing of it: by a batch
/// operation, another process, or SQL.
public struct RemoteChanges: Sendable {
    /// The objects that are new.
    public var inserted: [ObjectID]
    /// The objects that have other values or links.
    public var updated: [ObjectID]
    /// The objects that are gone.
    public var deleted: [ObjectID]

    /// Lists changes by their kind.
    public init(
        inserted: [ObjectID] = [], updated: [ObjectID] = [], deleted: [ObjectID] = []
    ) {
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
    }
}

extension ManagedObjectContext {
    /// Takes changes that were made elsewhere over into contexts: reads the rows of the objects
    /// that they have registered again, and brings the coordinator's row cache up to date.
    ///
    /// Unsaved changes stay on top, and no conflict is raised. Controllers hear of the changes.
    ///
    /// ```swift
    /// ManagedObjectContext.mergeChanges(
    ///     fromRemoteContextSave: RemoteChanges(updated: ids), into: [container.viewContext])
    /// ```
    ///
    /// - Parameters:
    ///   - changes: The objects, by what happened to them. Those of other stores are left out.
    ///   - contexts: Contexts of the isolation that calls.
    public static func mergeChanges(
        fromRemoteContextSave changes: RemoteChanges, into contexts: [ManagedObjectContext]
    ) {
        for context in contexts { context.mergeRemote(changes) }
    }

    private func mergeRemote(_ changes: RemoteChanges) {
        let (inserted, updated, deleted) = (
            rows(of: changes.inserted), rows(of: changes.updated), rows(of: changes.deleted)
        )
        var entities: [Int: EntityChanges] = [:]
        for (entity, id) in inserted {
            entities[entity.index, default: EntityChanges(entity: entity)].inserted
                .append(.init(key: id.key, placed: nil))
        }
        for (entity, id) in updated {
            entities[entity.index, default: EntityChanges(entity: entity)].updated
                .append(.anything(of: entity, id.key))
        }
        for (entity, id) in deleted {
            entities[entity.index, default: EntityChanges(entity: entity)].deleted.append(id.key)
        }
        mergeRemote(
            entities.sorted { $0.key < $1.key }.map(\.value),
            (inserted + updated + deleted).map(\.id))
    }

    /// Takes over changes of which no commit of this coordinator knows.
    ///
    /// - Parameter ids: The rows that they are about.
    func mergeRemote(_ entities: [EntityChanges], _ ids: [RowIdentity]) {
        processChanges()
        coordinator.rowCache.remove(ids)
        for store in coordinator.persistentStores { store.store.seeOthersCommits() }
        forgetLinks(of: Set(entities.map(\.entity.index)))
        mergeChanges(from: changeSets(of: entities), readsAgain: true)
    }

    /// Makes all links be read again that changes of some entities can touch. There is no commit
    /// that tells which were read before it.
    private func forgetLinks(of entities: Set<Int>) {
        let touched = Set(entities.flatMap { coordinator.model.touchedRelationships[$0] })
        for root in objects {
            root.map.forEach { object in
                guard let extras = object.extras else { return }
                for ordinal in extras.links.keys
                where touched.contains(object.entityDescription.relationships[ordinal].identity) {
                    extras.links[ordinal]?.forget()
                }
            }
        }
    }

    private func rows(of ids: [ObjectID]) -> [(entity: EntityDescription, id: RowIdentity)] {
        ids.compactMap { id in
            guard let entity = coordinator.model[id.entityName],
                id.store == coordinator.storeIdentifier(ofRoot: entity.rootIndex)
            else { return nil }
            return (entity, RowIdentity(root: entity.rootIndex, key: id.key))
        }
    }
}
