import CambiumRecords

/// Work on one object: what it needs of it.
protocol ObjectAccess {
    /// The object.
    var subject: ManagedObject { get }
}

extension ObjectAccess {
    /// Its description.
    @inline(__always) var entity: EntityDescription { subject.entityDescription }
    /// What it knows of its context.
    @inline(__always) var state: ContextState { subject.state }
    /// Where it stands.
    @inline(__always) var lifecycle: Lifecycle { subject.lifecycle }
    /// What was noted of it.
    @inline(__always) var flags: ChangeFlags { subject.flags }
    /// Whether observers may want to hear of it.
    @inline(__always) var notesReads: Bool { subject.notesReads }
    /// What only some objects need.
    @inline(__always) var extras: ObjectExtras? { subject.extras }
    /// The same, made where it is not there.
    @inline(__always) var ownExtras: ObjectExtras { subject.ownExtras }
}
