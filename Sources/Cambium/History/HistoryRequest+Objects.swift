extension HistoryRequest {
    /// Only changes of objects of one entity and its sub-entities, or of one more.
    public func of<Entity: ManagedObject>(_ entity: Entity.Type) -> HistoryRequest {
        var copy = self
        copy.entityNames = (entityNames ?? []).union([Entity.entityName])
        return copy
    }
}

extension HistoryTransaction {
    /// The objects by what happened to them, for
    /// ``ManagedObjectContext/mergeChanges(fromRemoteContextSave:into:)``.
    public var objectIDs: RemoteChanges {
        func ids(_ kind: HistoryChange.Kind) -> [ObjectID] {
            changes.filter { $0.kind == kind }.map(\.objectID)
        }
        return RemoteChanges(inserted: ids(.insert), updated: ids(.update), deleted: ids(.delete))
    }
}
