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

extension ObjectID: CustomReflectable {
    /// The entity and the key.
    public var customMirror: Mirror {
        Mirror(self, children: ["entity": entityName, "key": key])
    }
}
