// What debuggers, `dump` and test frameworks show of objects. Without it they would walk from any
// object through its context to the whole model, at every failed and every passed expectation; and
// values, which may be private, are shown to nobody who has not asked for them.

extension ManagedObject: CustomReflectable {
    /// The entity and the key.
    public final var customMirror: Mirror {
        Mirror(
            self, children: ["entity": entityDescription.name, "key": key],
            ancestorRepresentation: .suppressed)
    }
}

extension ManagedObjectContext: CustomReflectable {
    /// The name, if it has one.
    public var customMirror: Mirror { Mirror(self, children: ["name": name as Any]) }
}

extension ObjectID: CustomReflectable {
    /// The entity and the key.
    public var customMirror: Mirror {
        Mirror(self, children: ["entity": entityName, "key": key])
    }
}

extension RowSnapshot: CustomReflectable {
    /// Nothing: what is in a row is for those who ask for its values.
    var customMirror: Mirror { Mirror(self, children: []) }
}

extension MergeConflict: CustomReflectable {
    /// The object, the properties that both sides changed, and the versions.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "objectID": objectID, "properties": properties, "isDeletion": isDeletion,
                "isRowGone": isRowGone, "oldVersion": oldVersion, "newVersion": newVersion,
            ])
    }
}

extension ConstraintConflict: CustomReflectable {
    /// The properties and the objects.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "constraint": constraint, "databaseObjectID": databaseObjectID as Any,
                "conflictingObjectIDs": conflictingObjectIDs,
            ])
    }
}
